/** Makes a value when it is first asked for, and not again. */
export function onceOnly<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
