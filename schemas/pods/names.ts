const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const dnsLabel1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
/** A pattern as the server shows it. */
const shownPattern = ({ source }: RegExp): string => source.slice(1, -1);
const qualifiedName = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character " +
  `(e.g. 'example.com', regex used for validation is '${shownPattern(subdomain)}')`;
const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character " +
  `(e.g. 'my-name',  or '123-abc', regex used for validation is '${shownPattern(dnsLabel)}')`;
const label1035Rule =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character " +
  `(e.g. 'my-name',  or 'abc-123', regex used for validation is '${shownPattern(dnsLabel1035)}')`;
const qualifiedChars =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** How objects of a kind can be named; `path`: any valid path segment. */
export type NameRule = 'subdomain' | 'label' | 'label1035' | 'path';

/** The length in UTF-8, by which the server measures. */
export function bytes(text: string): number {
  return Buffer.byteLength(text);
}

/** Errors of a name, in the wording of the rule. */
export function nameFaults(name: string, rule: NameRule): string[] {
  if (rule === 'path') {
    if (name === '.' || name === '..') return [`may not be '${name}'`];
    return ['/', '%'].filter((sign) => name.includes(sign)).map((sign) => `may not contain '${sign}'`);
  }
  const limit = rule === 'subdomain' ? 253 : 63;
  const faults = bytes(name) > limit ? [`must be no more than ${limit} characters`] : [];
  if (rule === 'subdomain' && !subdomain.test(name)) faults.push(subdomainRule);
  if (rule === 'label1035' && !dnsLabel1035.test(name)) faults.push(label1035Rule);
  if (rule === 'label' && !dnsLabel.test(name))
    faults.push(subdomain.test(name) ? 'must not contain dots' : labelRule);
  return faults;
}

/** Why a text is not an RFC 1035 label, in the server's wording. */
export function label1035Faults(text: string): string[] {
  return nameFaults(text, 'label1035');
}

/** Errors of a qualified name (`example.com/name`), in the server's wording. */
export function qualifiedNameFaults(key: string): string[] {
  const [first = '', second, ...more] = key.split('/');
  if (more.length > 0)
    return [
      `a valid label key ${qualifiedChars} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const faults: string[] = [];
  if (second !== undefined) {
    if (first === '') faults.push('prefix part must be non-empty');
    else {
      if (bytes(first) > 253) faults.push('prefix part must be no more than 253 bytes');
      if (!subdomain.test(first)) faults.push(`prefix part ${subdomainRule}`);
    }
  }
  const name = second ?? first;
  if (name === '') faults.push('name part must be non-empty');
  else if (bytes(name) > 63) faults.push('name part must be no more than 63 bytes');
  if (!qualifiedName.test(name)) faults.push(`name part ${qualifiedChars}`);
  return faults;
}

/** Errors of a label value. */
export function labelValueFaults(value: string): string[] {
  return [
    ...(bytes(value) > 63 ? ['must be no more than 63 bytes'] : []),
    ...(labelValue.test(value) ? [] : [labelValueRule]),
  ];
}
