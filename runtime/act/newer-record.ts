import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

/**
 * Reads a record whose write was refused, because another process has changed it. Nothing more is decided about the target
 * until the caches show that version: on the record before, pods would be taken back to where they came from.
 */
export async function readNewer(
  resource: Resource,
  at: { namespace?: string; name: string },
  {
    cluster,
    onWritten,
  }: { cluster: Cluster; onWritten(resource: Resource, object: KubeObject | undefined): void },
): Promise<void> {
  try {
    onWritten(resource, await cluster.get(resource, at));
  } catch (error) {
    // It was deleted, or cannot be read: the conflict is the answer, and the next reconcile decides again.
    if (!(error instanceof ApiError)) throw error;
  }
}
