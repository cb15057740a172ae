/**
 * Caches a value computed from an immutable object on the object itself, under a symbol of the calling module: copies,
 * comparisons and JSON do not include it. For ten thousand objects a WeakMap is several times slower, to read and to collect.
 */
export function setDefined<Value>(object: object, key: symbol, value: Value): Value {
  if (Object.isExtensible(object)) Object.defineProperty(object, key, { value, configurable: true });
  return value;
}
