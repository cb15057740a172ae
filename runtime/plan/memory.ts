import { ApiError, type Cluster, type Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { controllerReference, isOwnedBy } from '../../semantics/owner.ts';
import {
  parseSnapshot,
  PROGRESS_ANNOTATION,
  type Progress,
  snapshotObject,
} from '../../semantics/plan/memory.ts';
import type { RecordWrite } from '../../semantics/reconcile/reconcile.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import { type ObservedVersions, withObservedVersions } from '../act/observed-versions.ts';

export interface MemoryOptions {
  cluster: Cluster;
  target: KubeObject;
  /** Where what targets in no namespace remember is. */
  home: string;
  fieldManager: string;
  /** What the write was decided on. */
  seen: ObservedVersions;
  onWritten(resource: Resource, object: KubeObject | undefined): void;
}

const resource = resources.ControllerRevision;

/**
 * Puts an accepted plan, or progress of one, on record: compare-and-swap on the snapshot's version. A conflict is thrown,
 * and the look that wanted the write is repeated on what is true by then. Returns the name of a snapshot that was made, and
 * the one that it has where nobody else has taken it.
 */
export async function writeMemory(
  write: Exclude<RecordWrite, { do: 'actions' }>,
  options: MemoryOptions,
): Promise<{ name: string; usual: string } | undefined> {
  const { cluster, target, fieldManager, seen, onWritten } = options;
  if (write.do === 'progress') {
    const { object, progress } = write.accepted;
    onWritten(
      resource,
      await cluster.patch(resource, keyOf(object), progressPatch(object, progress, seen), { fieldManager }),
    );
    return undefined;
  }
  const { name, namespace = options.home, uid } = target.metadata;
  const usual = snapshotObject(
    { name, namespace, owner: controllerReference(target) },
    write.spec,
    write.progress,
  );
  // Left by a target of the same name that is gone: nothing of it may be believed or changed.
  const other = {
    ...usual,
    metadata: { ...usual.metadata, name: `${usual.metadata.name}-${(uid ?? '').slice(0, 8)}` },
  };
  for (const snapshot of [usual, other]) {
    if (await keep(snapshot, write.progress, options))
      return { name: snapshot.metadata.name, usual: usual.metadata.name };
  }
  const names = `${usual.metadata.name} and ${other.metadata.name}`;
  throw new Error(
    `the plan cannot be recorded: ControllerRevisions ${names} are there with other content; delete those without an owner; to delete one that a ${target.kind} owns, use an account that the policy controllerrevisions.plan.kruise.io lists`,
  );
}

/** Creates a snapshot, or begins the progress of our own earlier one anew. False: the name belongs to somebody else. */
async function keep(snapshot: KubeObject, progress: Progress, options: MemoryOptions): Promise<boolean> {
  const { cluster, target, fieldManager, seen, onWritten } = options;
  try {
    onWritten(
      resource,
      await cluster.create(resource, withObservedVersions(snapshot, seen), { fieldManager }),
    );
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status.reason !== 'AlreadyExists') throw error;
    const known = await cluster.get(resource, keyOf(snapshot));
    if (!isOwnedBy(known, target)) return false;
    // What a revision holds can never be changed: of another plan no progress would ever be read.
    if (canonicalJson(known['data']) !== canonicalJson(snapshot['data'])) return false;
    // Somebody accepted it in the meantime: what they recorded is newer than what was decided here.
    if ((parseSnapshot(known)?.progress.seq ?? 0) >= progress.seq) throw error;
    const patch = progressPatch(known, progress, seen);
    onWritten(resource, await cluster.patch(resource, keyOf(known), patch, { fieldManager }));
    return true;
  }
}

function progressPatch(object: KubeObject, progress: Progress, seen: ObservedVersions) {
  const { uid, resourceVersion } = object.metadata;
  const annotations = { [PROGRESS_ANNOTATION]: JSON.stringify(progress) };
  const metadata = { uid: uid ?? '', resourceVersion: resourceVersion ?? '', annotations };
  return { type: 'merge', body: withObservedVersions({ metadata }, seen) } as const;
}

function keyOf(object: KubeObject): { namespace?: string; name: string } {
  const { namespace, name } = object.metadata;
  return { ...(namespace === undefined ? {} : { namespace }), name };
}
