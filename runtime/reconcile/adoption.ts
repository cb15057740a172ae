import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Action } from '../../semantics/decision.ts';
import type { Orphans } from '../../semantics/kinds/kind.ts';
import { controllerOf } from '../../semantics/owner.ts';
import { adoptionPending } from '../../semantics/plan/held-undecided.ts';
import { REVISION_LABEL } from '../../semantics/pod/types.ts';
import { shortHash } from '../../semantics/pod/revision-label.ts';
import { revisionNamed } from '../../semantics/revision/revisions.ts';
import type { ReconcileTools, Subject } from './tools.ts';

/** Revisions that are read in one reconcile: users choose the labels of pods. */
const MOST_READS = 20;

/**
 * The actions without adoptions, unless the server still has the target, and it is not being deleted. A deletion with
 * `--cascade=orphan` releases the pods before the watch may show it, and they must not be adopted again (as
 * `RecheckDeletionTimestamp` of Kubernetes).
 */
export async function withoutLateAdoptions(
  { cluster }: ReconcileTools,
  { kind, target }: Subject,
  actions: readonly Action[],
): Promise<readonly Action[]> {
  const isAdoption = (action: Action): boolean => action.do === 'patch' && action.adopts === true;
  if (!actions.some(isAdoption)) return actions;
  const { namespace, name, uid } = target.metadata;
  const live = await found(() =>
    cluster.get(kind.resource, { ...(namespace === undefined ? {} : { namespace }), name }),
  );
  const isSame = live?.metadata.uid === uid && live?.metadata.deletionTimestamp === undefined;
  return isSame ? actions : actions.filter((action) => !isAdoption(action));
}

/**
 * Why nothing is decided yet: an orphan is on a revision that has another controller, or that the cache does not show. The
 * garbage collector releases pods and revisions one by one, in any order. Only a revision that does not exist is unknown.
 */
export async function awaitedRevision(
  { cluster, caches }: ReconcileTools,
  { target }: Subject,
  orphans: Orphans | undefined,
): Promise<{ reason: string; message: string } | undefined> {
  const { namespace = '', name: workload, deletionTimestamp } = target.metadata;
  if (orphans === undefined || orphans.pods.length === 0 || deletionTimestamp !== undefined) return undefined;
  const known = new Set(
    [...caches.revisionsOf(target), ...orphans.revisions].map(({ metadata }) => shortHash(metadata.name)),
  );
  const podOf = new Map<string, string>();
  for (const { metadata } of orphans.pods) {
    const label = metadata.labels?.[REVISION_LABEL] ?? '';
    if (label !== '' && !known.has(shortHash(label)) && !podOf.has(label)) podOf.set(label, metadata.name);
  }
  for (const [label, pod] of [...podOf].slice(0, MOST_READS)) {
    const name = revisionNamed(label, workload);
    const revision = await found(() => cluster.get(resources.ControllerRevision, { namespace, name }));
    if (revision !== undefined) return adoptionPending(pod, name, controllerOf(revision));
  }
  return undefined;
}

async function found(get: () => Promise<KubeObject>): Promise<KubeObject | undefined> {
  try {
    return await get();
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 404) return undefined;
    throw error;
  }
}
