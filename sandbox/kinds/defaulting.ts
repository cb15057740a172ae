import type { KubeObject } from '../../schemas/wire/object.ts';
import type { KindRules } from '../api/registry.ts';
import { isFields, type Fields } from '../store/value.ts';

/** A list with each of its objects completed; anything else as it is. */
export function each(list: unknown, complete: (item: Fields) => Fields): unknown {
  return Array.isArray(list) ? list.map((item: unknown) => (isFields(item) ? complete(item) : item)) : list;
}

/** Fields of an object completed where they are objects themselves. */
export function within(object: Fields, names: readonly string[], complete: (item: Fields) => Fields): Fields {
  let result: Fields | undefined;
  for (const name of names) {
    const found = object[name];
    if (isFields(found)) (result ??= { ...object })[name] = complete(found);
  }
  return result ?? object;
}

/** Lists of an object with each of their objects completed. */
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

/** An object with defaults for what it does not say; to a server, a number that is 0 and a text that is empty say nothing. */
export function withDefaultsForEmpty(object: Fields, defaults: Fields): Fields {
  const isUnsaid = (value: unknown) => value === undefined || value === null || value === 0 || value === '';
  let result: Fields | undefined;
  for (const name of Object.keys(defaults))
    if (isUnsaid(object[name])) (result ??= { ...object })[name] = defaults[name];
  return result ?? object;
}

/** An object with defaults for what is not there at all. */
export function withDefaultsForAbsent(object: Fields, defaults: Fields): Fields {
  let result: Fields | undefined;
  for (const name of Object.keys(defaults))
    if (object[name] === undefined || object[name] === null)
      (result ??= { ...object })[name] = defaults[name];
  return result ?? object;
}

/** Defaults that only the spec decides: one that is as it was is complete. */
export function specDefaulter(
  complete: (object: KubeObject) => KubeObject,
): NonNullable<KindRules['defaults']> {
  return (object, current) =>
    current !== undefined && object['spec'] === current['spec'] ? object : complete(object);
}

/** The rule that completes a kind's spec, where it has one. */
export function specDefaults(complete: (spec: Fields) => Fields): NonNullable<KindRules['defaults']> {
  return specDefaulter((object) =>
    isFields(object['spec']) ? { ...object, spec: complete(object['spec']) } : object,
  );
}
