import { createHash } from 'node:crypto';

/**
 * Order of two strings by Unicode code point. JavaScript's own `<` goes by UTF-16 unit, which puts the emoji
 * before U+FFFD; other languages that check a digest do not.
 */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rankUnit(x) - rankUnit(y);
  }
  return a.length - b.length;
}

/** Moves the surrogates (which stand for code points above U+FFFF) behind every other UTF-16 unit. */
function rankUnit(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** The keys of an object by code point. */
export function sortedKeys(value: object): string[] {
  const keys = Object.keys(value);
  for (let i = 1; i < keys.length; i++) {
    if ((keys[i - 1] ?? '') > (keys[i] ?? '')) {
      keys.sort();
      break;
    }
  }
  // Without surrogates the order of UTF-16 units, which is many times faster, is that of code points.
  return keys.some((key) => surrogate.test(key)) ? keys.sort(compareCodePoints) : keys;
}

const surrogate = /[\ud800-\udfff]/;

/**
 * One text per JSON value: keys sorted by code point, no spaces, numbers and strings as `JSON.stringify` writes
 * them. Members that are `undefined` are left out, as `JSON.stringify` does.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) {
    let text = '';
    for (const item of value) text += (text === '' ? '' : ',') + canonicalJson(item);
    return `[${text}]`;
  }
  const members = value as Record<string, unknown>;
  let text = '';
  for (const key of sortedKeys(members)) {
    const member = members[key];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/**
 * `h1:` and 32 hexadecimal digits: the first 128 bits of SHA-256 over the UTF-8 bytes of the canonical text.
 * The prefix names this algorithm, so that another one can follow without being mistaken for it.
 */
export function contentHash(value: unknown): string {
  return `h1:${createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex').slice(0, 32)}`;
}
