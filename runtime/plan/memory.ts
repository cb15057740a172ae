import { ApiError, type Cluster, type Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { controllerReference } from '../../semantics/owner.ts';
import {
  PROGRESS_ANNOTATION,
  type Progress,
  snapshotName,
  snapshotObject,
} from '../../semantics/plan/memory.ts';
import type { MemoryWrite } from '../../semantics/plan/state.ts';

export interface MemoryOptions {
  cluster: Cluster;
  target: KubeObject;
  fieldManager: string;
  onWritten(resource: Resource, object: KubeObject | undefined): void;
}

const resource = resources.ControllerRevision;

/**
 * Puts an accepted plan, or progress of one, on record: compare-and-swap on the snapshot's version. A conflict is thrown,
 * and the look that wanted the write is repeated on what is true by then.
 */
export async function remember(
  write: Exclude<MemoryWrite, { do: 'complete' }>,
  options: MemoryOptions,
): Promise<void> {
  const { cluster, target, fieldManager, onWritten } = options;
  if (write.do === 'progress') {
    const { object, progress } = write.accepted;
    onWritten(
      resource,
      await cluster.patch(resource, keyOf(object), progressPatch(object, progress), { fieldManager }),
    );
    return;
  }
  const { name, namespace } = target.metadata;
  const snapshot = snapshotObject(
    { name, namespace, owner: controllerReference(target) },
    write.spec,
    write.progress,
  );
  try {
    onWritten(resource, await cluster.create(resource, snapshot, { fieldManager }));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status.reason !== 'AlreadyExists') throw error;
    // The same plan was accepted before: its snapshot is immutable and stays, only its progress begins anew.
    const known = await cluster.get(resource, {
      ...keyOf(snapshot),
      name: snapshotName(name, write.spec.digest),
    });
    // Left by a target of the same name, and not yet collected: nothing of it may be believed or changed.
    if (
      !known.metadata.ownerReferences?.some(
        (ref) => ref.controller === true && ref.uid === target.metadata.uid,
      )
    )
      throw error;
    onWritten(
      resource,
      await cluster.patch(resource, keyOf(known), progressPatch(known, write.progress), { fieldManager }),
    );
  }
}

function progressPatch(object: KubeObject, progress: Progress) {
  const { uid, resourceVersion } = object.metadata;
  const annotations = { [PROGRESS_ANNOTATION]: JSON.stringify(progress) };
  return {
    type: 'merge',
    body: { metadata: { uid: uid ?? '', resourceVersion: resourceVersion ?? '', annotations } },
  } as const;
}

function keyOf(object: KubeObject): { namespace?: string; name: string } {
  const { namespace, name } = object.metadata;
  return { ...(namespace === undefined ? {} : { namespace }), name };
}
