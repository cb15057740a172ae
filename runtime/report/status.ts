import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { Json } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { isConflictOrNotFound } from '../act/conflict.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';

/**
 * Replaces the status of an object where it differs from what is wanted; a status that is as wanted costs no write.
 * Returns what the server stored. A conflict or a vanished object is no error: the next look writes what is true then.
 */
export async function writeStatus(
  cluster: Cluster,
  resource: Resource,
  object: KubeObject,
  status: object,
  fieldManager: string,
): Promise<KubeObject | undefined> {
  const before = (object['status'] ?? {}) as Record<string, unknown>;
  if (canonicalJson(before) === canonicalJson(status)) return undefined;
  const { namespace, name, uid, resourceVersion } = object.metadata;
  // A merge patch keeps what it does not name: fields that are no longer wanted are named null.
  const removed = Object.fromEntries(Object.keys(before).map((key) => [key, null]));
  const body = {
    metadata: { uid: uid ?? '', resourceVersion: resourceVersion ?? '' },
    status: { ...removed, ...(status as Record<string, Json>) },
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
    if (isConflictOrNotFound(error)) return undefined;
    throw error;
  }
}
