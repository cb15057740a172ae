import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { baselineOf } from './baseline.ts';
import { awayFrom, takenBack } from './bound-state.ts';
import { podBreach } from './breach.ts';
import type { Accepted } from './memory.ts';
import type { PodRow } from './pod-row.ts';
import { podsAt } from './pods-at.ts';
import { hookNote, problemNote } from './problem.ts';
import { allowedPodsAt, wantedPodsAt } from './revision-sizes.ts';
import type { RolloutView, UnitRules } from './rollout-view.ts';
import { takesNone } from './sizes.ts';
import { columnOf } from './table.ts';
import { judgeUpdate } from './update-step.ts';

/** What is the same for all units that are never lost for a while and found again. */
export const alwaysThere = {
  isLeftOut: () => () => false,
  isJudged: () => () => true,
  awayAtFirst: () => ({}),
  hasLost: () => false,
  followAway: () => undefined,
  followBack: () => undefined,
  unreverted: () => [],
} satisfies Partial<UnitRules>;

/** What is the same for all pods that a plan takes from one revision to another. */
export const onRevisions = {
  ...alwaysThere,
  hasStable: true,
  allowed: allowedPodsAt,
  isEmpty: (view: RolloutView, accepted: Accepted, step: number) =>
    takesNone(view, accepted, allowedPodsAt(view, accepted, step)),
  wanted: wantedPodsAt,
  judge: judgeUpdate,
  breach: podBreach,
  isComplete: isCompleteOn,
  isWhole,
  alreadyThere: nothingToDo,
  backWaitsFor: podsBackWaitFor,
  isMoving: arePodsMoving,
  envelope: () => ({}),
} satisfies Partial<UnitRules>;

/** Whether the target is complete on `to`, no pod is on another revision, and no claim has to grow. */
export function isCompleteOn(view: RolloutView, { to }: RolloutPlanSpec): boolean {
  return view.stable === to.hash && podsAt(view, to.hash).length === view.pods.length;
}

export function isWhole({ replicas, pods, liveHash }: RolloutView): boolean {
  return (
    replicas > 0 && pods.length === replicas && pods.every((pod) => pod.hash === liveHash && pod.available)
  );
}

export function nothingToDo({ pods }: RolloutView): string {
  return pods.length === 0
    ? 'there is no pod yet, and new ones are created on it'
    : 'every pod is on it already';
}

/**
 * A way back is done when every pod that is not retained is on the goal, none is missing, and those that were available before are
 * available again. With OnDelete, pods stay on their revision.
 *
 * @param missing how many pods are to be created; negative: so many are to be deleted
 * @param isAwaited whether it waits until a pod at the goal is available; default: for each
 */
export function podsBackWaitFor(
  view: RolloutView,
  accepted: Accepted,
  missing = view.replicas - view.pods.length,
  isAwaited: (pod: PodRow) => boolean = () => true,
): string {
  const { goal = view.stable } = accepted.progress;
  const { wasBroken } = baselineOf(accepted.progress);
  const away = awayFrom(view, accepted, goal);
  if (away.length > 0 && !view.onDelete) return `${away.length} more to be reverted${hookNote(view)}`;
  if (missing !== 0)
    return `${missing > 0 ? `${missing} more to be created` : `${-missing} too many to be deleted`}${hookNote(view)}`;
  const { left } = takenBack(view, accepted, goal);
  const isThere = ({ hash }: PodRow): boolean => hash === goal || (hash !== undefined && left.includes(hash));
  const isBroken = (pod: PodRow): boolean => !pod.available && !wasBroken(pod) && isAwaited(pod);
  const broken = view.pods.find((pod) => isThere(pod) && isBroken(pod));
  return broken === undefined ? '' : `${broken.name} to become available${problemNote(broken)}`;
}

function arePodsMoving(view: RolloutView, accepted: Accepted): boolean {
  const { spec, progress } = accepted;
  const column = columnOf(progress.phase);
  if (column === 'Reverting') return arePodsAway(view, accepted);
  if (column !== 'active') return false;
  const there = podsAt(view, spec.to.hash).length;
  return there < wantedPodsAt(view, accepted, progress.step) && view.pods.length > there;
}

/** Whether a way back has pods left to take. */
export function arePodsAway(view: RolloutView, accepted: Accepted): boolean {
  return awayFrom(view, accepted, accepted.progress.goal ?? '').length > 0;
}
