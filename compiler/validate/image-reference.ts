const HOST =
  /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*(?::[0-9]+)?$/;
const IPV6_HOST = /^\[[0-9A-Fa-f:]+\](?::[0-9]+)?$/;
const REPOSITORY_PART = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,}$/;
const MOST_NAME = 255;

/** Whether a container runtime can read the text as a reference: the grammar of the registry, as the kubelet uses it. */
export function isImageReference(text: string): boolean {
  const [named = '', digest, ...rest] = text.split('@');
  if (rest.length > 0 || (digest !== undefined && !DIGEST.test(digest))) return false;
  const slash = named.lastIndexOf('/');
  const colon = named.indexOf(':', slash + 1);
  const name = colon < 0 ? named : named.slice(0, colon);
  if (colon >= 0 && !TAG.test(named.slice(colon + 1))) return false;
  const [first = '', ...parts] = name.split('/');
  if (name.length > MOST_NAME) return false;
  if (parts.length === 0) return REPOSITORY_PART.test(first);
  const isFirst = HOST.test(first) || IPV6_HOST.test(first) || REPOSITORY_PART.test(first);
  return isFirst && parts.every((part) => REPOSITORY_PART.test(part));
}

/** The reference that was probably meant; undefined if it is not clear. */
export function suggestImage(text: string): string | undefined {
  const plain = text.trim().replace(/^[a-z]+:\/\//, '');
  const named = plain.split('@', 1)[0] ?? '';
  const colon = named.lastIndexOf(':');
  const isTagged = colon !== -1 && /^[A-Za-z0-9_.-]+$/.test(named.slice(colon + 1));
  const name = isTagged ? named.slice(0, colon) : named;
  const tag = plain.slice(name.length);
  return [plain, name.toLowerCase() + tag].find((each) => each !== text && isImageReference(each));
}
