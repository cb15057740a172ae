import { isObject } from '../../semantics/values/json-shape.ts';

/** Reads values of a JSON document that nobody vouches for. Every text, list and number has a limit. */

/** The document is not what a program of ours has written. Names where, and nothing of what is there. */
export class InvalidDocument extends Error {
  constructor(path: string, expected: string) {
    super(`${path === '' ? 'the document' : path} is not ${expected}`);
    this.name = 'InvalidDocument';
  }
}

/** A value, and its path for messages: `groups[3].what`. */
export interface Located {
  value: unknown;
  path: string;
}

/** A member of an object. What is absent is undefined. */
export function member({ value, path }: Located, name: string): Located {
  if (!isObject(value)) throw new InvalidDocument(path, 'an object');
  const at = path === '' ? name : `${path}.${name}`;
  return { value: Object.hasOwn(value, name) ? value[name] : undefined, path: at };
}

/** The items of a list; of an absent one none. */
export function items({ value, path }: Located, most: number): Located[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > most)
    throw new InvalidDocument(path, `a list of at most ${most}`);
  return value.map((each: unknown, index) => ({ value: each, path: `${path}[${index}]` }));
}

export function text({ value, path }: Located, most: number): string {
  if (typeof value !== 'string' || value.length > most)
    throw new InvalidDocument(path, `a text of at most ${most} characters`);
  return value;
}

/** A text of one form. */
export function textLike(located: Located, form: RegExp, what: string): string {
  const { value, path } = located;
  if (typeof value !== 'string' || !form.test(value)) throw new InvalidDocument(path, what);
  return value;
}

export function count({ value, path }: Located, most: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > most)
    throw new InvalidDocument(path, `a whole number up to ${most}`);
  return value;
}

/** One of a list of words. */
export function oneOf<Word extends string>({ value, path }: Located, words: readonly Word[]): Word {
  const found = words.find((word) => word === value);
  if (found === undefined) throw new InvalidDocument(path, 'a word that is known here');
  return found;
}

/** What `read` makes of a value; undefined if it is absent. */
export function ifThere<T>(located: Located, read: (located: Located) => T): T | undefined {
  return located.value === undefined ? undefined : read(located);
}
