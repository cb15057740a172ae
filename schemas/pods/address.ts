import { isIPv6 } from 'node:net';
import { field, type FieldError } from './fieldErrors.ts';
import { textOf } from './fieldChecks.ts';

const notAnAddress = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

/** Leading zeros are accepted, like in legacy fields of the API server. */
function isIPv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^\d+$/.test(part) && Number(part) <= 255);
}

/** An address of either family, without a zone. */
export function checkAddress(path: string, value: unknown): FieldError[] {
  const text = textOf(value);
  return isIPv4(text) || (isIPv6(text) && !text.includes('%'))
    ? []
    : [field.invalid(path, text, notAnAddress)];
}
