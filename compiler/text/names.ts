const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Whether Kubernetes accepts the text as the name of an object: a DNS subdomain. */
export function isName(text: string): boolean {
  return text.length <= 253 && SUBDOMAIN.test(text);
}

/** Whether the text is a DNS label, as names of namespaces and IDs of steps must be. */
export function isLabel(text: string): boolean {
  return LABEL.test(text);
}
