import type { OtherObject } from './other-objects.ts';

/**
 * Finds the object that is the same as another one but for its namespace, which one of the two names and the other leaves to the
 * engine. Returns that namespace, of the first object that is the same; undefined: none is.
 *
 * @param idOf equal for the same object of a cluster; called once for each object, as both sides may be thousands
 */
export function suppliedNamespaces(
  others: readonly OtherObject[],
  idOf: (object: OtherObject) => string,
): (object: OtherObject) => string | undefined {
  const idWithoutNamespace = (object: OtherObject): string => idOf({ ...object, namespace: undefined });
  const named = new Map<string, string>();
  const unnamed = new Set<string>();
  for (const other of others) {
    const id = idWithoutNamespace(other);
    if (other.namespace === undefined) unnamed.add(id);
    else if (!named.has(id)) named.set(id, other.namespace);
  }
  return (object) => {
    const id = idWithoutNamespace(object);
    if (object.namespace === undefined) return named.get(id);
    return unnamed.has(id) ? object.namespace : undefined;
  };
}
