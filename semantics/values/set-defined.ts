/**
 * Keeps what was computed of an object on the object, under a symbol of the module that computed it, where no copy,
 * comparison or JSON shows it. The object is immutable once seen. A WeakMap does the same and costs several times as much
 * where there are ten thousand objects, both to ask and to collect.
 */
export function setDefined<Value>(object: object, key: symbol, value: Value): Value {
  if (Object.isExtensible(object)) Object.defineProperty(object, key, { value, configurable: true });
  return value;
}
