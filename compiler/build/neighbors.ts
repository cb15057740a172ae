import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Neighbors } from '../../semantics/kinds/lowering.ts';
import { scaledBy } from '../load/autoscalers.ts';
import { idOfNames, type Names } from './verdict.ts';

/** An object with its names. */
export interface NamedObject {
  object: JsonObject;
  names: Names;
}

/**
 * What the objects of a state say about any other one.
 *
 * @param built what the last build has written
 */
export function neighborsIn(
  objects: readonly NamedObject[],
  built: readonly NamedObject[],
): (names: Names) => Neighbors {
  const scaled = new Set<string>();
  const namespaces = new Map<string, KubeObject[]>();
  const within = new Map<string, KubeObject[]>();
  const every: KubeObject[] = [];
  const before = new Map<string, KubeObject[]>();
  for (const { object, names } of built)
    if (names.namespace !== undefined) add(before, names.namespace, object as KubeObject);
  for (const { object, names } of objects) {
    const found = scaledBy(object);
    if (found !== undefined) scaled.add(idOfNames({ ...found, namespace: names.namespace }));
    if (names.namespace !== undefined) add(within, names.namespace, object as KubeObject);
    if (names.group !== '' || names.kind !== 'Namespace') continue;
    add(namespaces, names.name, object as KubeObject);
    every.push(object as KubeObject);
  }
  return (names) => ({
    isScaled: scaled.has(idOfNames(names)),
    namespaces: names.namespace === undefined ? every : (namespaces.get(names.namespace) ?? []),
    before: names.namespace === undefined ? [] : (before.get(names.namespace) ?? []),
    inNamespace: names.namespace === undefined ? [] : (within.get(names.namespace) ?? []),
  });
}

function add(to: Map<string, KubeObject[]>, key: string, object: KubeObject): void {
  const known = to.get(key);
  if (known === undefined) to.set(key, [object]);
  else known.push(object);
}
