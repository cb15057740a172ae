import { refuse } from '../api/errors.ts';

import { fieldAt, isFields, ownField, type Fields } from '../../schemas/pods/fields.ts';

/** Sets an own property even for `__proto__`, where assignment would set the prototype. */
export function setOwn(target: Fields, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

/** The scalar at a path as text; '' if absent. */
export function textAt(path: readonly string[]): (value: unknown) => string {
  return (value) => {
    const found = fieldAt(value, path);
    return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean'
      ? `${found}`
      : '';
  };
}

/** Copies `value` with the field at `path` set; only objects along the path are copied. */
export function withField(value: unknown, path: readonly string[], leaf: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return leaf;
  const copy: Fields = isFields(value) ? { ...value } : {};
  setOwn(copy, key, withField(ownField(value, key), rest, leaf));
  return copy;
}

/**
 * Interns a JSON value: returns a deep-frozen copy in which every part equal to `previous` (a stored value) is
 * identical to it. The input is not modified. An equal value returns `previous` itself, and versions of an object
 * share unchanged parts. 400 for values that JSON cannot represent.
 *
 * @param like an object of which this is no version: of equal parts only those in the same order of fields are shared
 */
export function internValue<T>(value: T, previous?: unknown, like?: unknown): T {
  return adoptUnknown(value, previous ?? like, previous === undefined) as T;
}

function adoptUnknown(value: unknown, previous: unknown, isOrdered: boolean): unknown {
  // Equal strings can be separate in memory: the stored one is reused.
  if (value === previous && (previous === null || typeof previous !== 'object' || Object.isFrozen(previous)))
    return previous;
  if (Array.isArray(value)) return adoptArray(value, previous, isOrdered);
  if (isFields(value)) return adoptFields(value, previous, isOrdered);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw refuse.badRequest(`${typeof value === 'number' ? value : typeof value} is no JSON value`);
}

function adoptArray(value: readonly unknown[], previous: unknown, isOrdered: boolean): readonly unknown[] {
  const before = Array.isArray(previous) ? (previous as unknown[]) : undefined;
  let sameAsPrevious = before !== undefined && before.length === value.length;
  let sameAsValue = Object.isFrozen(value);
  const items = new Array<unknown>(value.length);
  for (let index = 0; index < value.length; index += 1) {
    const item = adoptUnknown(value[index], before?.[index], isOrdered);
    items[index] = item;
    if (sameAsPrevious && item !== before?.[index]) sameAsPrevious = false;
    if (sameAsValue && item !== value[index]) sameAsValue = false;
  }
  if (sameAsPrevious && before !== undefined) return before;
  return sameAsValue ? value : Object.freeze(items);
}

function adoptFields(value: Fields, previous: unknown, isOrdered: boolean): Fields {
  const before = isFields(previous) ? previous : undefined;
  const keys = Object.keys(value);
  const parts = new Array<unknown>(keys.length);
  let sameAsPrevious = before !== undefined;
  let sameAsValue = Object.isFrozen(value);
  let count = 0;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? '';
    const field = value[key];
    if (field === undefined) {
      sameAsValue = false;
      continue;
    }
    const old = before !== undefined && Object.hasOwn(before, key) ? before[key] : undefined;
    const adopted = adoptUnknown(field, old, isOrdered);
    parts[index] = adopted;
    count += 1;
    if (sameAsPrevious && adopted !== old) sameAsPrevious = false;
    if (sameAsValue && adopted !== field) sameAsValue = false;
  }
  if (sameAsPrevious && before !== undefined) {
    const others = Object.keys(before);
    if (others.length === count && (!isOrdered || others.every((key, index) => key === keys[index])))
      return before;
  }
  if (sameAsValue) return value;
  return Object.freeze(count === keys.length ? cloneOf(value, keys, parts) : fieldsOf(keys, parts));
}

/** A clone keeps the layout of `value`, with its fields in one block: smaller, and faster to make, than field by field. */
function cloneOf(value: Fields, keys: readonly string[], parts: readonly unknown[]): Fields {
  const copy = { ...value };
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? '';
    if (parts[index] !== copy[key]) setOwn(copy, key, parts[index]);
  }
  return copy;
}

function fieldsOf(keys: readonly string[], parts: readonly unknown[]): Fields {
  const fields: Fields = {};
  for (let index = 0; index < keys.length; index += 1)
    if (parts[index] !== undefined) setOwn(fields, keys[index] ?? '', parts[index]);
  return fields;
}

/** A value as Go writes it: fields in the order of their names. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
