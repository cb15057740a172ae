import { canonicalQuantity } from './quantity.ts';
import type { StructuralSchema } from './structural.ts';

const dateTime = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
const wholeSeconds = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;
const layouts = {
  'date-time': '2006-01-02T15:04:05Z07:00',
  'micro-time': '2006-01-02T15:04:05.000000Z07:00',
} as const;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** An invalid scalar: `type` for a wrong type, else `text` with the full message. */
export type ScalarFault = { type: string } | { text: string };

/** Parses an RFC 3339 time to milliseconds; undefined for invalid dates such as February 30. */
export function timeOf(text: string): number | undefined {
  const match = dateTime.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (month < 1 || month > 12 || day < 1 || day > last) return undefined;
  if ((hour ?? 0) > 23 || (minute ?? 0) > 59 || (second ?? 0) > 59) return undefined;
  const at = Date.parse(text);
  return Number.isFinite(at) ? at : undefined;
}

/** The remaining text at a parse error and the expected layout element, as in Go's message. */
function timeFault(text: string, layout: string): string {
  const parts: [RegExp, string][] = [
    [/^\d{4}/, '2006'],
    [/^-/, '-'],
    [/^\d{2}/, '01'],
    [/^-/, '-'],
    [/^\d{2}/, '02'],
    [/^T/, 'T'],
    [/^\d{1,2}/, '15'],
    [/^:/, ':'],
    [/^\d{2}/, '04'],
    [/^:/, ':'],
    [/^\d{2}/, '05'],
    layout === layouts['micro-time'] ? [/^\.\d{6}(?!\d)/, '.000000'] : [/^(\.\d+)?/, ''],
    [/^(Z|[+-]\d{2}:\d{2})/, 'Z07:00'],
  ];
  const head = `parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}`;
  let rest = text;
  for (const [pattern, expected] of parts) {
    const [found] = pattern.exec(rest) ?? [];
    if (found === undefined)
      return `${head}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(expected)}`;
    rest = rest.slice(found.length);
  }
  const quoted = JSON.stringify(text);
  if (rest !== '') return `parsing time ${quoted}: extra text: ${JSON.stringify(rest)}`;
  const [, month = 0] = (dateTime.exec(text) ?? []).slice(1, 3).map(Number);
  return `parsing time ${quoted}: ${month < 1 || month > 12 ? 'month' : 'day'} out of range`;
}

function decodeTime(text: string, format: keyof typeof layouts): { value: string } | ScalarFault {
  if (format === 'date-time' && wholeSeconds.test(text) && timeOf(text) !== undefined) return { value: text };
  const at = timeOf(text);
  if (at === undefined || (format === 'micro-time' && !/:\d{2}\.\d{6}[Z+-]/.test(text)))
    return { text: timeFault(text, layouts[format]) };
  if (format === 'micro-time') {
    // Dates have millisecond precision; the rest of the fraction is independent of the zone.
    const fraction = /\.(\d{6})/.exec(text)?.[1] ?? '000000';
    return { value: `${new Date(at).toISOString().slice(0, 19)}.${fraction}Z` };
  }
  return { value: `${new Date(at).toISOString().slice(0, 19)}Z` };
}

function decodeBytes(text: string): { value: string } | ScalarFault {
  const plain = text.replace(/[\r\n]/g, '');
  if (base64.test(plain)) return { value: plain };
  const strange = /[^A-Za-z0-9+/=\r\n]/.exec(text);
  const at = strange?.index ?? Math.floor(plain.length / 4) * 4;
  return { text: `illegal base64 data at input byte ${at}` };
}

function isIntegerOf(format: string | undefined, value: number): boolean {
  if (!Number.isInteger(value)) return false;
  return format === 'int32' ? value >= -(2 ** 31) && value < 2 ** 31 : Math.abs(value) <= 2 ** 63;
}

/** Values that are not strings are parsed from their JSON text. */
function quantityText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : JSON.stringify(value);
}

/** Decodes scalars of built-in kinds: the stored value, or the error. */
export function decodeScalar(schema: StructuralSchema, value: unknown): { value: unknown } | ScalarFault {
  const { type, format } = schema;
  if (schema['x-kubernetes-int-or-string'] === true)
    return typeof value === 'string' || (typeof value === 'number' && isIntegerOf('int32', value))
      ? { value }
      : { type: 'int32' };
  if (format === 'quantity') {
    const read = canonicalQuantity(quantityText(value));
    return 'fault' in read ? { text: read.fault } : read;
  }
  switch (type) {
    case 'string':
      if (typeof value !== 'string') return { type: format === 'byte' ? '[]uint8' : 'string' };
      if (format === 'date-time' || format === 'micro-time') return decodeTime(value, format);
      return format === 'byte' ? decodeBytes(value) : { value };
    case 'integer':
      return typeof value === 'number' && isIntegerOf(format, value)
        ? { value }
        : { type: format ?? 'int64' };
    case 'number':
      return typeof value === 'number' ? { value } : { type: 'float64' };
    case 'boolean':
      return typeof value === 'boolean' ? { value } : { type: 'bool' };
    case undefined:
    default:
      return { value };
  }
}
