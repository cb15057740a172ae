import { hash } from 'node:crypto';

/**
 * Compares two strings by Unicode code point, so that digests can be verified in any language. JavaScript's own `<` compares
 * UTF-16 units, which puts emoji before U+FFFD.
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

/** Sorts surrogates (which encode code points above U+FFFF) after every other UTF-16 unit. */
function rankUnit(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** The keys of an object, sorted by code point. */
export function sortedKeys(value: object): string[] {
  const keys = Object.keys(value);
  for (let i = 1; i < keys.length; i++) {
    if ((keys[i - 1] ?? '') > (keys[i] ?? '')) {
      keys.sort();
      break;
    }
  }
  // Without surrogates both orders are the same, and sorting by UTF-16 units is many times faster.
  return keys.some((key) => surrogate.test(key)) ? keys.sort(compareCodePoints) : keys;
}

const surrogate = /[\ud800-\udfff]/;

/**
 * The canonical text of a JSON value: keys sorted by code point, no spaces, numbers and strings as in `JSON.stringify`.
 * Members that are `undefined` are left out.
 */
export function canonicalJson(value: unknown): string {
  if (isScalarOrInOrder(value)) {
    const text = JSON.stringify(value) ?? 'null';
    // UTF-16 orders surrogates otherwise, and JSON escapes those without their pair.
    if (!surrogate.test(text) && !text.includes('\\ud')) return text;
  }
  return joined(value);
}

/**
 * Whether all keys are sorted as JavaScript sorts them. Most objects are, such as canonical templates, and V8 writes the text of these
 * several times as fast.
 */
function isInOrder(value: object): boolean {
  if (Array.isArray(value)) return value.every(isScalarOrInOrder);
  let last = '';
  for (const key of Object.keys(value)) {
    if (key < last) return false;
    last = key;
    if (!isScalarOrInOrder((value as Record<string, unknown>)[key])) return false;
  }
  return true;
}

function isScalarOrInOrder(value: unknown): boolean {
  return typeof value !== 'object' || value === null || isInOrder(value);
}

/** The text of a value, member by member. */
function joined(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) {
    let text = '';
    for (const item of value) text += (text === '' ? '' : ',') + joined(item);
    return `[${text}]`;
  }
  const members = value as Record<string, unknown>;
  let text = '';
  for (const key of sortedKeys(members)) {
    const member = members[key];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${joined(member)}`;
  }
  return `{${text}}`;
}

/**
 * `h1:` and 32 hexadecimal digits: the first 128 bits of SHA-256 over the UTF-8 bytes of the canonical text.
 * The prefix names the algorithm, so that a later one can be distinguished from it.
 */
export function contentHash(value: unknown): string {
  return `h1:${hash('sha256', canonicalJson(value)).slice(0, 32)}`;
}
