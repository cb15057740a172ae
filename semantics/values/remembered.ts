/**
 * A function of an object whose result is kept as long as the object: asked again, it costs a look-up. What it is asked about must not
 * change afterwards: objects that were observed, and manifests that were read, never do.
 */
export function remembered<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { value: Value }>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before.value;
    const value = make(key);
    known.set(key, { value });
    return value;
  };
}
