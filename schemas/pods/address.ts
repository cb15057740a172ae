import { isIPv6 } from 'node:net';
import { field, type FieldError } from './fieldErrors.ts';
import { textOf } from './fieldChecks.ts';

/** An IP address or network: its family and bits, most significant first. */
export interface Net {
  family: 4 | 6;
  bits: bigint;
  prefix: number;
}

const notAnAddress = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const notANet = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

function ipv4Bits(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let bits = 0n;
  for (const part of parts) {
    // Leading zeros are accepted, like in legacy fields of the API server.
    if (!/^\d+$/.test(part) || Number(part) > 255) return undefined;
    bits = bits * 256n + BigInt(part);
  }
  return bits;
}

function ipv6Bits(text: string): bigint | undefined {
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const low = dotted === null ? undefined : ipv4Bits(dotted[2] ?? '');
  const plain =
    low === undefined
      ? text
      : `${dotted?.[1] ?? ''}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`;
  const [head = '', tail] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...middle, ...right].reduce((bits, part) => bits * 65536n + BigInt(`0x${part}`), 0n);
}

/** Parses an address; undefined if it is invalid. IPv4-mapped IPv6 addresses are IPv4. */
export function addressOf(value: unknown): Net | undefined {
  const text = textOf(value);
  const four = ipv4Bits(text);
  if (four !== undefined) return { family: 4, bits: four, prefix: 32 };
  const six = ipv6Bits(text);
  if (six === undefined) return undefined;
  return six >> 32n === 0xffffn
    ? { family: 4, bits: six & 0xffffffffn, prefix: 32 }
    : { family: 6, bits: six, prefix: 128 };
}

/** Parses a network; undefined if it is invalid. Host bits are ignored. */
export function netOf(value: unknown): Net | undefined {
  const [text = '', length = '', ...more] = textOf(value).split('/');
  const address = addressOf(text);
  if (address === undefined || more.length > 0 || !/^\d+$/.test(length)) return undefined;
  const prefix = Number(length);
  if (prefix > address.prefix) return undefined;
  const rest = BigInt(address.prefix - prefix);
  return { ...address, bits: (address.bits >> rest) << rest, prefix };
}

export function checkAddress(path: string, value: unknown): FieldError[] {
  return addressOf(value) === undefined ? [field.invalid(path, textOf(value), notAnAddress)] : [];
}

export function checkNet(path: string, value: unknown): FieldError[] {
  return netOf(value) === undefined ? [field.invalid(path, textOf(value), notANet)] : [];
}
