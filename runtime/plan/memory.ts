import { ApiError, type Cluster, type Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { controllerReference, isOwnedBy } from '../../semantics/owner.ts';
import {
  parseSnapshot,
  progressAnnotation,
  type Progress,
  snapshotObject,
} from '../../semantics/plan/memory.ts';
import { noticeAnnotations, NOTIFIED_ANNOTATION } from '../../semantics/plan/notice.ts';
import type { RecordWrite } from '../../semantics/reconcile/reconcile.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import { isConflictOrNotFound } from '../act/conflict.ts';
import { readNewer } from '../act/newer-record.ts';
import { type ObservedVersions, withObservedVersions } from '../act/observed-versions.ts';

export interface MemoryOptions {
  cluster: Cluster;
  target: KubeObject;
  /** The namespace of the records of cluster-scoped targets. */
  stateNamespace: string;
  fieldManager: string;
  /** Milliseconds since 1970. */
  now: number;
  /** The versions that the write was decided on. */
  observed: ObservedVersions;
  onWritten(resource: Resource, object: KubeObject | undefined): void;
}

const resource = resources.ControllerRevision;

/**
 * Records an accepted plan, or progress of one: compare-and-swap on the snapshot's version. A conflict is thrown, and the
 * reconcile is repeated on the new state. Returns the name of a created snapshot, and the name that it has unless that one
 * is taken.
 */
export async function writeMemory(
  write: Exclude<RecordWrite, { do: 'actions' }>,
  options: MemoryOptions,
): Promise<{ name: string; usual: string } | undefined> {
  const { cluster, target, fieldManager, onWritten } = options;
  if (write.do === 'progress') {
    const { object, progress } = write.accepted;
    const patch = progressPatch(object, progress, options);
    try {
      onWritten(resource, await cluster.patch(resource, keyOf(object), patch, { fieldManager }));
    } catch (error) {
      if (isConflictOrNotFound(error)) await readNewer(resource, keyOf(object), options);
      throw error;
    }
    return undefined;
  }
  const { name, namespace = options.stateNamespace, uid } = target.metadata;
  const usual = snapshotObject(
    { name, namespace, owner: controllerReference(target) },
    write.spec,
    write.progress,
  );
  // The usual name may belong to a deleted target of the same name: that snapshot is neither trusted nor changed.
  const other = {
    ...usual,
    metadata: { ...usual.metadata, name: `${usual.metadata.name}-${(uid ?? '').slice(0, 8)}` },
  };
  for (const snapshot of [usual, other]) {
    if (await store(snapshot, write.progress, options))
      return { name: snapshot.metadata.name, usual: usual.metadata.name };
  }
  const names = `${usual.metadata.name} and ${other.metadata.name}`;
  throw new Error(
    `the plan cannot be recorded: ControllerRevisions ${names} exist with other content. Delete those without an owner. To delete one that a ${target.kind} owns, use an account that the policy controllerrevisions.plan.kruise.io lists`,
  );
}

/** Creates a snapshot, or resets the progress of our own earlier one. False: the name belongs to another owner. */
async function store(snapshot: KubeObject, progress: Progress, options: MemoryOptions): Promise<boolean> {
  const { cluster, target, fieldManager, observed, onWritten } = options;
  try {
    onWritten(
      resource,
      await cluster.create(resource, withObservedVersions(snapshot, observed), { fieldManager }),
    );
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status.reason !== 'AlreadyExists') throw error;
    const known = await cluster.get(resource, keyOf(snapshot));
    if (!isOwnedBy(known, target)) return false;
    // The data of a revision is immutable: progress on another plan's snapshot would never be read.
    if (canonicalJson(known['data']) !== canonicalJson(snapshot['data'])) return false;
    // Another process accepted the plan in the meantime: its record is newer than this decision.
    if ((parseSnapshot(known)?.progress.seq ?? 0) >= progress.seq) {
      onWritten(resource, known);
      throw error;
    }
    const patch = progressPatch(known, progress, options);
    onWritten(resource, await cluster.patch(resource, keyOf(known), patch, { fieldManager }));
    return true;
  }
}

function progressPatch(
  object: KubeObject,
  progress: Progress,
  { observed, now }: Pick<MemoryOptions, 'observed' | 'now'>,
) {
  const { uid, resourceVersion, annotations: there = {} } = object.metadata;
  const annotations = {
    ...progressAnnotation(progress),
    ...noticeAnnotations(there, parseSnapshot(object)?.progress, progress, now),
  };
  const metadata = { uid: uid ?? '', resourceVersion: resourceVersion ?? '', annotations };
  return { type: 'merge', body: withObservedVersions({ metadata }, observed) } as const;
}

/** Records that the webhook has reported the phase and step that a plan is in. */
export async function writeMark(
  object: KubeObject,
  mark: string,
  options: Pick<MemoryOptions, 'cluster' | 'fieldManager' | 'onWritten'>,
): Promise<void> {
  const { cluster, fieldManager, onWritten } = options;
  const { uid, resourceVersion } = object.metadata;
  const annotations = { [NOTIFIED_ANNOTATION]: mark };
  const body = { metadata: { uid: uid ?? '', resourceVersion: resourceVersion ?? '', annotations } };
  onWritten(
    resource,
    await cluster.patch(resource, keyOf(object), { type: 'merge', body }, { fieldManager }),
  );
}

function keyOf(object: KubeObject): { namespace?: string; name: string } {
  const { namespace, name } = object.metadata;
  return { ...(namespace === undefined ? {} : { namespace }), name };
}
