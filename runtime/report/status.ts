import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { isConflictOrNotFound } from '../act/conflict.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import { isObject } from '../../semantics/values/json-shape.ts';

/**
 * Replaces the status of an object if it differs from the wanted one. Returns what the server stored; undefined if it does not
 * differ. A conflict or a deleted object is no error: the next reconcile writes the status of then.
 */
export async function writeStatus(
  cluster: Cluster,
  resource: Resource,
  object: KubeObject,
  status: object,
  fieldManager: string,
): Promise<KubeObject | 'conflict' | undefined> {
  const before = (object['status'] ?? {}) as Record<string, unknown>;
  if (canonicalJson(before) === canonicalJson(status)) return undefined;
  const { namespace, name, uid, resourceVersion } = object.metadata;
  const body = {
    metadata: { uid: uid ?? '', resourceVersion: resourceVersion ?? '' },
    status: replacing(before as JsonObject, status as JsonObject),
  };
  const at = { ...(namespace === undefined ? {} : { namespace }), name };
  try {
    return await cluster.patch(
      resource,
      at,
      { type: 'merge', body },
      { subresource: 'status', fieldManager },
    );
  } catch (error) {
    if (isConflictOrNotFound(error)) return 'conflict';
    throw error;
  }
}

/** A merge patch keeps fields that it does not name, those of nested objects too: the ones to be removed are set to null. */
function replacing(before: JsonObject, after: JsonObject): JsonObject {
  const removed = Object.fromEntries(Object.keys(before).map((key) => [key, null]));
  const kept = Object.entries(after).map(([key, value]) => {
    const old = before[key];
    return [key, isObject(value) && isObject(old) ? replacing(old, value) : value] as const;
  });
  return { ...removed, ...Object.fromEntries(kept) };
}
