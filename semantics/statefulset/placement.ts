import { effectivePartition } from '../plan/partition.ts';
import type { Envelope } from '../plan/envelope.ts';
import type { RefusedPod } from '../plan/rollout-context.ts';
import { partitionValue } from '../values/int-or-percent.ts';
import { isRefusedAt } from '../workload/missing-pod.ts';
import { madeAt } from './made-at.ts';
import type { Layout, Slot } from './slots.ts';
import type { StatefulSetView } from './view.ts';

/** Which revision a new pod gets, and how many further pods may be updated. */
export interface Placement {
  /** Hash of the revision on which the missing pod of a slot is created. */
  hashFor(slot: Slot): string;
  /** The pod of this slot may be updated, as far as partition and bound by position allow. */
  isEligible(slot: Slot): boolean;
  /** How many pods may still be updated to the goal, beyond those that are on it or are created on it. */
  left: number;
}

/**
 * Decides on which revision missing pods are created (OpenKruise advanced-statefulset, rule 6.6).
 *
 * - With the target's own strategy alone: as with OpenKruise, by position. The slots below the partition are old.
 * - Under a plan the number of pods on the goal counts. Missing pods are created on the goal as long as it is below what the
 *   envelope allows, the highest first, but none below the partition; all others on the stable revision. A pod whose claims
 *   were last used at the goal comes back there, whatever is allowed, and uses up a part of it.
 * - While the server refuses the old revision the lowest come first: the order creates these first, and would wait for them.
 */
export function placementOf(
  view: StatefulSetView,
  layout: Layout,
  envelope: Envelope,
  refusals: readonly RefusedPod[] = [],
): Placement {
  const { spec } = view;
  const { goal, stable, retained } = envelope;
  const isNew = (hash: string | undefined): boolean => hash === goal;
  const oldHash = ({ index }: Slot): string =>
    retained !== undefined && index < retained.n ? retained.hash : stable;
  const old = effectivePartition(spec, envelope);
  const atGoal = view.active.filter((pod) => isNew(view.hashOf(pod))).length;
  const allowed = Math.max(spec.replicas - old, 0);
  const ascending = layout.slots.filter(({ pod }) => pod === undefined);
  const isRefused = ascending.some((slot) => isRefusedAt(view, oldHash(slot), refusals));
  const open = isRefused ? ascending : ascending.toReversed();

  if (envelope.ownStrategy === true) {
    const olds = layout.slots.filter(({ pod }) => pod !== undefined && !isNew(view.hashOf(pod))).length;
    const isOld = spec.isUnordered ? () => olds < old : ({ index }: Slot) => index < old;
    return {
      hashFor: (slot) => (!spec.onDelete && isOld(slot) ? oldHash(slot) : goal),
      isEligible: spec.isUnordered ? () => true : ({ index }) => index >= old,
      left: allowed,
    };
  }
  const bound = boundOf(view, envelope, old);
  const isEligible = ({ index }: Slot): boolean => spec.isUnordered || index >= bound;
  const made = goal === stable ? new Set<number>() : madeAt(view, goal);
  const again = open.filter(({ ordinal }) => made.has(ordinal));
  const others = open.filter((slot) => isEligible(slot) && !made.has(slot.ordinal));
  const taken = [...again, ...others.slice(0, Math.max(allowed - atGoal - again.length, 0))];
  const onGoal = new Set(taken.map(({ ordinal }) => ordinal));
  return {
    hashFor: (slot) => (onGoal.has(slot.ordinal) ? goal : oldHash(slot)),
    isEligible,
    left: Math.max(allowed - atGoal - taken.length, 0),
  };
}

/**
 * How many slots partition and bound retain on old revisions by their position.
 *
 * @param old how many pods are wanted on old revisions
 */
function boundOf(
  { spec }: StatefulSetView,
  { obeyPartition, bound, retained, goal, stable }: Envelope,
  old: number,
): number {
  // What an earlier bound retains, as far as the envelope does not allow more.
  const before = goal === stable ? Math.min(retained?.n ?? 0, old) : 0;
  if (!obeyPartition) return before;
  return Math.max(before, spec.partition, partitionValue(bound ?? 0, spec.replicas));
}
