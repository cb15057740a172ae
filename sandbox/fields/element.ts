import { isFields, type Fields } from '../../schemas/pods/fields.ts';

/**
 * One path element in `fieldsV1` notation: `f:NAME` a field, `k:{…}` an item by keys, `v:VALUE` an item of a set,
 * `i:INDEX` an item by index, `.` the node itself.
 */
export type Element = string;

export const self: Element = '.';

/** Cache of elements: the same names occur in every write. */
const elementsLimit = 10_000;
const fieldElements = new Map<string, Element>();
const keyElements = new Map<string, Map<string, Element>>();

function remember<V>(elements: Map<string, V>, key: string, made: V): V {
  if (elements.size >= elementsLimit) elements.clear();
  elements.set(key, made);
  return made;
}

export function fieldElement(name: string): Element {
  return fieldElements.get(name) ?? remember(fieldElements, name, `f:${name}`);
}

/** JSON as the API server writes it in path elements: with HTML escaping. */
function json(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Keys are sorted by name. */
export function keyElement(keys: readonly (readonly [string, unknown])[]): Element {
  const [first] = keys;
  if (first === undefined || keys.length > 1 || typeof first[1] !== 'string') return newKeyElement(keys);
  const [name, value] = first;
  const known = keyElements.get(name) ?? remember(keyElements, name, new Map<string, Element>());
  return known.get(value) ?? remember(known, value, newKeyElement(keys));
}

function newKeyElement(keys: readonly (readonly [string, unknown])[]): Element {
  const sorted = keys.length > 1 ? [...keys].sort(([a], [b]) => compareText(a, b)) : keys;
  return `k:{${sorted.map(([name, value]) => `${json(name)}:${json(value)}`).join(',')}}`;
}

export function valueElement(value: unknown): Element {
  return `v:${json(value)}`;
}

const parsedLimit = 10_000;
const parsedElements = new Map<Element, unknown>();

function parsed(element: Element): unknown {
  const known = parsedElements.get(element);
  if (known !== undefined) return known;
  let value: unknown;
  try {
    value = JSON.parse(element.slice(2));
  } catch {
    return undefined;
  }
  if (parsedElements.size >= parsedLimit) parsedElements.clear();
  parsedElements.set(element, value);
  return value;
}

/** Whether the text after the element's prefix is valid for that prefix. */
export function isElement(text: string): boolean {
  if (text.startsWith('f:')) return true;
  if (text.startsWith('i:')) return /^i:-?\d+$/.test(text);
  const value = parsed(text);
  return text.startsWith('k:') ? isFields(value) : text.startsWith('v:') && value !== undefined;
}

/** The canonical form of an element written by a client. */
export function canonicalElement(element: Element): Element {
  if (element.startsWith('k:')) return keyElement(Object.entries(parsed(element) as Fields));
  return element.startsWith('v:') ? valueElement(parsed(element)) : element;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function rankOf(value: unknown): number {
  if (typeof value === 'number') return 0;
  if (typeof value === 'string') return 1;
  return typeof value === 'boolean' ? 2 : 3;
}

function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  return rankOf(a) - rankOf(b) || Number(a) - Number(b);
}

function compareKeys(a: Fields, b: Fields): number {
  const names = Object.keys(a);
  const others = Object.keys(b);
  for (const [index, name] of names.entries()) {
    const other = others[index];
    if (other === undefined) return 1;
    const order = compareText(name, other) || compareValues(a[name], b[other]);
    if (order !== 0) return order;
  }
  return names.length - others.length;
}

const kinds = ['.', 'f', 'k', 'v', 'i'];

/** The sort order of the server: fields by name, then items by keys, by value, by index. */
export function compareElements(a: Element, b: Element): number {
  if (a === b) return 0;
  const kind = a.charAt(0);
  const order = kinds.indexOf(kind) - kinds.indexOf(b.charAt(0));
  if (order !== 0) return order;
  if (kind === 'f') return compareText(a, b);
  if (kind === 'i') return Number(a.slice(2)) - Number(b.slice(2));
  const [left, right] = [parsed(a), parsed(b)];
  return kind === 'k' && isFields(left) && isFields(right)
    ? compareKeys(left, right)
    : compareValues(left, right);
}

/** The format of messages: `.spec`, `[name="web"]`, `[="a"]`, `[0]`. */
export function showElement(element: Element): string {
  const rest = element.slice(2);
  switch (element.charAt(0)) {
    case 'f':
      return `.${rest}`;
    case 'k': {
      const keys = parsed(element);
      const shown = Object.entries(isFields(keys) ? keys : {}).map(
        ([name, value]) => `${name}=${JSON.stringify(value)}`,
      );
      return `[${shown.join(',')}]`;
    }
    case 'v':
      return `[=${JSON.stringify(parsed(element))}]`;
    default:
      return `[${rest}]`;
  }
}
