import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ChildPods, ChildRow, FailingPods } from '../plan/units.ts';
import type { RetainedUnits } from '../revision/revision.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { readShare, SHARE_ANNOTATION, shareDigest, type WrittenShare } from './shares.ts';
import type { ShareRecords } from './share-records.ts';

/** What the status of a workload counts. */
export interface ChildCounts {
  pods: number;
  available: number;
  /** Those on the revision of its template, and how many of them are available. */
  updated: number;
  updatedAvailable: number;
}

/** What a root knows of one of its children. */
export interface KnownChild {
  name: string;
  subset: string;
  size: number;
  steps: ChildRow['steps'];
  /** Undefined: it does not exist. */
  object: KubeObject | undefined;
  counts: ChildCounts;
  /** What it says of pods that fail, be it of an earlier spec; undefined: nothing. */
  failing: FailingPods | undefined;
  /** What is on record of the pods of its subset that a bound has left; undefined: nothing. */
  left: RetainedUnits | undefined;
}

/** The share that stands on a child, if its root has it on record; undefined: somebody else has written it, or there is none. */
export function ownShare(object: KubeObject, records: ShareRecords): WrittenShare | undefined {
  const { name, annotations = {} } = object.metadata;
  const text = annotations[SHARE_ANNOTATION];
  const isOwn = text !== undefined && records.get(name)?.includes(shareDigest(text)) === true;
  return isOwn ? readShare(object) : undefined;
}

/**
 * The row of a child, by its share and what it counts. A status counts pods on its template and others: which revision these are on
 * follows from the share. Until the child has observed another template, the counts are about the one before.
 *
 * Example: 5 pods, of which 2 are to go to a new revision. Before it has observed that, 5 are on the revision before; then 0, 1 and 2
 * are on the new one, and the others on the stable one. When it goes back, pods that are not there yet are on what was the goal.
 *
 * @param stable hash of the stable revision of the root, for a child whose share is not that of the root
 */
export function childRow(known: KnownChild, records: ShareRecords, stable: string): ChildRow {
  const { name, subset, size, steps, object, counts, left } = known;
  const row = { name, subset, size, steps, failing: undefined, left: undefined };
  if (object === undefined) return { ...row, pods: [], given: undefined, isObserved: true };
  const written = ownShare(object, records);
  const { pods: count, available } = counts;
  if (written === undefined)
    return {
      ...row,
      pods: pods({ hash: stable, count, available }),
      given: undefined,
      left,
      isObserved: false,
    };
  const { root, share } = written;
  const observed = observedGeneration(object);
  const [updated, others] =
    observed >= root.since
      ? [root.goal, root.goal === root.stable ? (root.before ?? root.stable) : root.stable]
      : [root.before ?? root.stable, root.stable];
  return {
    ...row,
    pods: pods(
      { hash: others, count: count - counts.updated, available: available - counts.updatedAvailable },
      { hash: updated, count: counts.updated, available: counts.updatedAvailable },
    ),
    given: { goal: root.goal, allowed: share.allowed, atMost: root.atMost },
    // A rollout that has taken it on counts its other pods as on the stable revision: those that were left are none of their own then.
    left: left?.hash === root.stable ? left : undefined,
    isObserved: observesPresentSpec(object),
    failing: observesPresentSpec(object) ? known.failing : undefined,
  };
}

/** Whether the status of a child is about its present spec. */
export function observesPresentSpec(child: KubeObject): boolean {
  return observedGeneration(child) >= (child.metadata.generation ?? 0);
}

function observedGeneration({ status }: KubeObject): number {
  return numberOf(objectOf(status)['observedGeneration']) ?? 0;
}

function pods(...all: readonly ChildPods[]): ChildPods[] {
  return all
    .filter(({ count }) => count > 0)
    .map((each) => ({ ...each, available: Math.min(Math.max(each.available, 0), each.count) }));
}
