import { timeOf } from './scalar.ts';

const hexDigits = '[0-9a-fA-F]';
const uuid = (version: string) =>
  new RegExp(
    `^${hexDigits}{8}-?${hexDigits}{4}-?${version}${hexDigits}{3}-?${hexDigits}{4}-?${hexDigits}{12}$`,
  );
const durationUnit =
  'ns|nano|nanosecond|us|µs|micro|microsecond|ms|milli|millisecond|s|sec|second|m|min|minute|h|hr|hour|d|day|w|wk|week';
const goDuration =
  /^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h))*$/;
const wordDuration = new RegExp(`^(\\s*[+-]?\\d+\\s*(${durationUnit})s?)+\\s*$`, 'i');
const isoDuration = /^P(?!$)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?$/;
const label = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
const hostLabel = '[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?';

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2 || !text.includes(':')) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const tail = isIpv4(last) ? groups.splice(-1, 1).length * 2 : 0;
  const count = groups.length + tail;
  return (
    groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group)) &&
    (halves.length === 2 ? count < 8 : count === 8)
  );
}

function isCidr(text: string): boolean {
  const match = /^(.*)\/(0|[1-9]\d{0,2})$/.exec(text);
  const [, address = '', bits = ''] = match ?? [];
  return (isIpv4(address) && Number(bits) <= 32) || (isIpv6(address) && Number(bits) <= 128);
}

function isUri(text: string): boolean {
  return text.startsWith('/') ? !/[\s]/.test(text) : /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/.test(text);
}

function isHostname(text: string): boolean {
  return text.length <= 255 && new RegExp(`^${hostLabel}$`).test(text);
}

const matching = (pattern: RegExp) => (text: string) => pattern.test(text);

/** The validated string formats; all others are informational. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': (text) => timeOf(text.toUpperCase()) !== undefined,
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && timeOf(`${text}T00:00:00Z`) !== undefined,
  duration: (text) => [goDuration, wordDuration, isoDuration].some((pattern) => pattern.test(text)),
  ipv4: isIpv4,
  ipv6: isIpv6,
  cidr: isCidr,
  uuid: matching(uuid(hexDigits)),
  uuid3: matching(uuid('3')),
  uuid4: matching(uuid('4')),
  uuid5: matching(uuid('5')),
  byte: matching(/^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/),
  uri: isUri,
  hostname: isHostname,
  email: matching(/^([^<>]*<)?[^\s@<>]+@[^\s@<>]+>?$/),
  mac: matching(
    /^(([0-9a-f]{2}:){5}[0-9a-f]{2}|([0-9a-f]{2}-){5}[0-9a-f]{2}|([0-9a-f]{4}\.){2}[0-9a-f]{4})$/i,
  ),
  hexcolor: matching(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  bsonobjectid: matching(/^[0-9a-fA-F]{24}$/),
  ssn: matching(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  rgbcolor: matching(/^rgb\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*\)$/),
  'k8s-short-name': matching(new RegExp(`^${label}$`)),
  'k8s-long-name': (text) => text.length <= 253 && new RegExp(`^${label}(\\.${label})*$`).test(text),
};

/** Whether a string has a format; true for formats without validation. */
export function hasFormat(format: string, text: string): boolean {
  return !Object.hasOwn(formats, format) || formats[format]?.(text) === true;
}
