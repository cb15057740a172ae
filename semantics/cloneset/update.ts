import type { Action, Explanation } from '../decision.ts';
import { withinBudget } from '../limits/budget.ts';
import { effectivePartition } from '../plan/partition.ts';
import type { Envelope } from '../plan/envelope.ts';
import { factsOf } from '../pod/facts.ts';
import { updateThroughHook } from '../lifecycle/transitions.ts';
import { isBegun, isPreparingDelete } from '../lifecycle/states.ts';
import { isInGrace } from '../pod/in-place-state.ts';
import { type Preference, updateOrder } from '../pod/order.ts';
import { byPriority } from '../pod/priority.ts';
import { scattered } from '../pod/scatter.ts';
import type { Pod } from '../pod/types.ts';
import { type Revision, revisionOf } from '../revision/revision.ts';
import { inPlacePatchTo, type UpdateBlocker, updateBlockerOf } from '../workload/update-blocker.ts';
import type { Diff } from './diff.ts';
import { markForRecreation } from './recreation.ts';
import type { CloneSetView } from './view.ts';

export interface UpdateInput {
  view: CloneSetView;
  envelope: Envelope;
  diff: Diff;
  available: (pod: Pod) => boolean;
  marked: (pod: Pod) => boolean;
  /** During a revert: the pod was broken before the plan, and does not count against maxUnavailable. */
  excused: (pod: Pod) => boolean;
  now: number;
}

/**
 * Updates pods to the goal revision within the limits of the diff (OpenKruise cloneset, rule 6.5). An in-place update is two
 * writes in two reconciles, drain and patch. Drained pods come first, so that none stays out of traffic while others start.
 */
export function update(input: UpdateInput): { actions: Action[]; explanations: Explanation[] } {
  const { view, envelope, diff } = input;
  const goal = revisionOf(view, directionOf(envelope, diff).to);
  if (diff.update === 0 || goal === undefined) return { actions: [], explanations: [] };
  const actions: Action[] = [];
  const explanations: Explanation[] = [];
  const limit = limitText(view, envelope);
  for (const pod of podsToUpdate(input)) {
    if (input.marked(pod)) continue;
    const change = updateOne(input, pod, goal, limit);
    if (change.do !== 'nothing') actions.push(change);
    else {
      const { reason, failure } = change;
      explanations.push({ about: pod.metadata.name, reason, ...(failure === undefined ? {} : { failure }) });
    }
  }
  return { actions, explanations };
}

/**
 * The revision that pods are updated to, and which pods wait for that (rule 6.5 step 3): forward all that are on another
 * revision, backward those on the update revision.
 */
function directionOf(
  { goal, stable }: Envelope,
  diff: Diff,
): { to: string; isWaiting: (hash: string | undefined) => boolean } {
  return diff.update < 0
    ? { to: stable, isWaiting: (hash) => hash === goal }
    : { to: goal, isWaiting: (hash) => hash !== goal };
}

/**
 * The pods that are updated now (rule 6.5 steps 3 to 5). The selection stops at the first pod beyond the limit, and skips
 * none. A pod in a grace period that OpenKruise started has the new labels and the old images; it waits for the end of that.
 */
function podsToUpdate({ view, envelope, diff, available, marked, excused }: UpdateInput): Pod[] {
  const { to, isWaiting } = directionOf(envelope, diff);
  const back = envelope.back !== undefined;
  const waiting: Pod[] = [];
  let unavailable = 0;
  let unavailableAtGoal = 0;
  let unavailableWaiting = 0;
  for (const pod of view.active) {
    const hash = view.hashOf(pod);
    const isElsewhere = isWaiting(hash) && !(isPreparingDelete(pod) && marked(pod));
    const waits = isElsewhere && !(factsOf(pod).mayHaveDeferred && isInGrace(pod));
    if (waits) waiting.push(pod);
    if (available(pod)) continue;
    if (waits) unavailableWaiting++;
    if (hash === to) unavailableAtGoal++;
    if (!excused(pod)) unavailable++;
  }
  // No further pods are updated while those on the new revision are broken. A revert is to a revision that has worked.
  const wanted = Math.abs(diff.update);
  const allowed = back ? wanted : Math.min(wanted, diff.updateMaxUnavailable - unavailableAtGoal);
  // No more pods than this can be selected below, and sorting thousands is expensive.
  const most = Math.min(allowed, unavailableWaiting + Math.max(diff.updateMaxUnavailable - unavailable, 0));
  if (most <= 0) return [];
  // Pods whose update has started come first, so that none stays out of traffic. Then, under a plan, pods on neither the
  // goal nor the stable revision.
  const precedence = (pod: Pod): number => {
    if (isBegun(pod) || marked(pod)) return 0;
    return envelope.ownStrategy === true || view.hashOf(pod) === envelope.stable ? 2 : 1;
  };
  const inOrder = updateOrder(waiting, precedence, { preferred: preferred(view), count: most });
  return withinBudget(inOrder, available, { unavailable, maxUnavailable: diff.updateMaxUnavailable });
}

/** The order that the target requests: by priority, then scattered (OpenKruise inplace-update, rule 6.7). */
function preferred({ spec: { priorities, scatter }, active }: CloneSetView): Preference | undefined {
  if (priorities === undefined && scatter.length === 0) return undefined;
  return (pods) => {
    const prior = priorities === undefined ? pods : byPriority(pods, priorities);
    return scatter.length === 0 ? prior : scattered(prior, active, scatter);
  };
}

/** Why no more pods are updated now, as a sentence. */
function limitText(view: CloneSetView, envelope: Envelope): string {
  const { replicas } = view.spec;
  const most = replicas - effectivePartition(view.spec, envelope);
  return `${envelope.reason}; at most ${most} of ${replicas} pods may be on it now`;
}

type Change = Action | ({ do: 'nothing' } & UpdateBlocker);

function blockerOf({ view, envelope }: UpdateInput, pod: Pod, goal: Revision): UpdateBlocker | undefined {
  return updateBlockerOf(view, envelope, pod, goal);
}

function updateOne(input: UpdateInput, pod: Pod, goal: Revision, limit: string): Change {
  const { view, now } = input;
  const change = inPlacePatchTo(view, pod, goal);
  const blocker = change === undefined ? blockerOf(input, pod, goal) : undefined;
  if (blocker !== undefined) return { do: 'nothing', ...blocker };
  const from = revisionOf(view, view.hashOf(pod));
  if (change === undefined)
    return markForRecreation(view, pod, { from: from?.name ?? 'an unknown revision', to: goal.name });
  const { gracePeriodSeconds } = view.spec;
  const reason = `${from?.name ?? ''} → ${goal.name}; ${limit}`;
  const inPlace = { change, goal, gracePeriodSeconds, reason };
  const next = updateThroughHook(view.spec.lifecycle, pod, inPlace, now);
  return 'do' in next ? next : { do: 'nothing', ...next };
}

/**
 * Tells which pods stay drained, or prepared, because their update is still to come. They come first, so each of them will be
 * updated as long as any pod is, unless it may not be updated to the goal.
 */
export function waitingForUpdate(input: UpdateInput): (pod: Pod) => boolean {
  const { view, envelope, diff } = input;
  const direction = directionOf(envelope, diff);
  const goal = diff.update === 0 ? undefined : revisionOf(view, direction.to);
  return (pod) =>
    goal !== undefined &&
    isBegun(pod) &&
    direction.isWaiting(view.hashOf(pod)) &&
    blockerOf(input, pod, goal) === undefined;
}
