import { isFields, type Fields } from './fields.ts';

/** Applies `complete` to each object of a list; other values are returned as they are. */
export function each(list: unknown, complete: (item: Fields) => Fields): unknown {
  return Array.isArray(list) ? list.map((item: unknown) => (isFields(item) ? complete(item) : item)) : list;
}

/** Applies `complete` to the named fields that are objects. */
export function within(object: Fields, names: readonly string[], complete: (item: Fields) => Fields): Fields {
  let result: Fields | undefined;
  for (const name of names) {
    const found = object[name];
    if (isFields(found)) (result ??= { ...object })[name] = complete(found);
  }
  return result ?? object;
}

/** Applies `complete` to each object in the named lists. */
export function eachWithin(
  object: Fields,
  names: readonly string[],
  complete: (item: Fields) => Fields,
): Fields {
  let result: Fields | undefined;
  for (const name of names)
    if (Array.isArray(object[name])) (result ??= { ...object })[name] = each(object[name], complete);
  return result ?? object;
}

/** Applies defaults to unset fields; like in Go, 0 and the empty string are unset. */
export function withDefaultsForEmpty(object: Fields, defaults: Fields): Fields {
  const isUnsaid = (value: unknown) => value === undefined || value === null || value === 0 || value === '';
  let result: Fields | undefined;
  for (const name of Object.keys(defaults))
    if (isUnsaid(object[name])) (result ??= { ...object })[name] = defaults[name];
  return result ?? object;
}

/** Applies defaults to absent fields only. */
export function withDefaultsForAbsent(object: Fields, defaults: Fields): Fields {
  let result: Fields | undefined;
  for (const name of Object.keys(defaults))
    if (object[name] === undefined || object[name] === null)
      (result ??= { ...object })[name] = defaults[name];
  return result ?? object;
}
