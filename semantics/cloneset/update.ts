import type { Action, Explanation } from '../decision.ts';
import { withinBudget } from '../limits/budget.ts';
import { effectivePartition } from '../limits/partition.ts';
import type { Envelope } from '../plan/envelope.ts';
import { factsOf } from '../pod/facts.ts';
import { isFromTemplate } from '../pod/from-templates.ts';
import { withResourceVersion, isDrained } from '../pod/in-place.ts';
import { isInGrace } from '../pod/in-place-state.ts';
import { type Preference, updateOrder } from '../pod/order.ts';
import { byPriority } from '../pod/priority.ts';
import { scattered } from '../pod/scatter.ts';
import { LIFECYCLE_LABEL, type Pod, SPECIFIED_DELETE_LABEL } from '../pod/types.ts';
import { updateInPlace } from '../pod/update-in-place.ts';
import { type Revision, revisionOf } from '../revision/revision.ts';
import { inPlacePatchTo, type UpdateBlocker, updateBlockerOf } from '../workload/update-blocker.ts';
import type { Diff } from './diff.ts';
import type { CloneSetView } from './view.ts';

export interface UpdateInput {
  view: CloneSetView;
  envelope: Envelope;
  diff: Diff;
  available: (pod: Pod) => boolean;
  marked: (pod: Pod) => boolean;
  /** Not available, and no reason to hold others back: broken before, on the way back. */
  excused: (pod: Pod) => boolean;
  now: number;
}

/**
 * Takes old pods to the goal revision under the limits of the diff (OpenKruise cloneset, rule 6.5). An in-place update
 * is two writes in two passes, drain then patch; a pod that was drained stands first in line, so that
 * nothing is left out of traffic while others start.
 */
export function update(input: UpdateInput): { actions: Action[]; explanations: Explanation[] } {
  const { view, envelope, diff } = input;
  const goal = revisionOf(view, wayOf(envelope, diff).to);
  if (diff.update === 0 || goal === undefined) return { actions: [], explanations: [] };
  const actions: Action[] = [];
  const explanations: Explanation[] = [];
  const limit = bound(view, envelope);
  for (const pod of chosen(input)) {
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

/** Where pods are taken to and which are: forward all that are elsewhere, back those at the update revision (rule 6.5 step 3). */
function wayOf(
  { goal, stable }: Envelope,
  diff: Diff,
): { to: string; isWaiting: (hash: string | undefined) => boolean } {
  return diff.update < 0
    ? { to: stable, isWaiting: (hash) => hash === goal }
    : { to: goal, isWaiting: (hash) => hash !== goal };
}

/**
 * The candidates that pass the limit: a walk that stops, never skips, so that order decides (rule 6.5 steps 3 to 5). A pod
 * in a grace period that OpenKruise began says more than it runs; it is taken on when that is over.
 */
function chosen({ view, envelope, diff, available, marked, excused }: UpdateInput): Pod[] {
  const { to, isWaiting } = wayOf(envelope, diff);
  const back = envelope.back !== undefined;
  const waiting: Pod[] = [];
  let unavailable = 0;
  let unavailableAtGoal = 0;
  let unavailableWaiting = 0;
  for (const pod of view.active) {
    const hash = view.hashOf(pod);
    const waits = isWaiting(hash) && !(factsOf(pod).mayHaveDeferred && isInGrace(pod));
    if (waits) waiting.push(pod);
    if (available(pod)) continue;
    if (waits) unavailableWaiting++;
    if (hash === to) unavailableAtGoal++;
    if (!excused(pod)) unavailable++;
  }
  // A new revision must not spread while its own pods are broken; the one that is gone back to has worked.
  const wanted = Math.abs(diff.update);
  const allowed = back ? wanted : Math.min(wanted, diff.updateMaxUnavailable - unavailableAtGoal);
  // The walk below takes no more than that, and to put thousands in order for nothing costs.
  const most = Math.min(allowed, unavailableWaiting + Math.max(diff.updateMaxUnavailable - unavailable, 0));
  if (most <= 0) return [];
  // Started ones first, so that nothing is left out of traffic; then, under a plan, those on neither side, which are
  // further from where they should be than one on the stable revision.
  const precedence = (pod: Pod): number => {
    if (isDrained(pod) || marked(pod) || pod.metadata.labels?.[LIFECYCLE_LABEL] === 'PreparingUpdate')
      return 0;
    return envelope.ownStrategy === true || view.hashOf(pod) === envelope.stable ? 2 : 1;
  };
  const inOrder = updateOrder(waiting, precedence, { preferred: preferred(view), count: most });
  return withinBudget(inOrder, available, { unavailable, maxUnavailable: diff.updateMaxUnavailable });
}

/** The order that the target asks for: priorities first, then the spread over them (OpenKruise inplace-update, rule 6.7). */
function preferred({ spec: { priorities, scatter }, active }: CloneSetView): Preference | undefined {
  if (priorities === undefined && scatter.length === 0) return undefined;
  return (pods) => {
    const prior = priorities === undefined ? pods : byPriority(pods, priorities);
    return scatter.length === 0 ? prior : scattered(prior, active, scatter);
  };
}

/** How far the envelope goes with everything that bounds it counted in. */
function bound(view: CloneSetView, envelope: Envelope): string {
  const { replicas } = view.spec;
  const most = replicas - effectivePartition(view.spec, envelope);
  return `${envelope.reason}; at most ${most} of ${replicas} pods may be on it now`;
}

type Change = Action | ({ do: 'nothing' } & UpdateBlocker);

function obstacle({ view, envelope }: UpdateInput, pod: Pod, goal: Revision): UpdateBlocker | undefined {
  return updateBlockerOf(view, view.spec.policy, envelope, pod, goal);
}

function updateOne(input: UpdateInput, pod: Pod, goal: Revision, limit: string): Change {
  const { view, now } = input;
  const name = pod.metadata.name;
  const against = obstacle(input, pod, goal);
  if (against !== undefined) return { do: 'nothing', ...against };
  const from = revisionOf(view, view.hashOf(pod));
  const change = inPlacePatchTo(view, view.spec.policy, pod, goal);
  if (change === undefined) {
    return {
      do: 'patch',
      kind: 'Pod',
      verb: 'mark for recreation',
      name,
      body: withResourceVersion(pod, {
        metadata: { labels: { [SPECIFIED_DELETE_LABEL]: markFor(view, pod) } },
      }),
      reason: `${from?.name ?? 'an unknown revision'} → ${goal.name} cannot be made in place`,
      event: {
        type: 'Normal',
        reason: 'SuccessfulUpdatePodReCreate',
        message: `successfully update pod ${name} in ReCreate`,
      },
    };
  }
  const { gracePeriodSeconds } = view.spec;
  const reason = `${from?.name ?? ''} → ${goal.name}; ${limit}`;
  return (
    updateInPlace(pod, { change, goal, gracePeriodSeconds, reason }, now) ?? {
      do: 'nothing',
      reason: 'stays out of traffic until its grace period is over',
    }
  );
}

/** The value of the mark does not count, only whether it is believed: it must not be one that a template has given. */
function markFor({ given }: CloneSetView, { metadata }: Pod): string {
  const usual = 'true';
  return isFromTemplate(given, 'labels', SPECIFIED_DELETE_LABEL, usual) ? (metadata.uid ?? usual) : usual;
}

/**
 * The pods that were drained and that this decision leaves so. A drained pod is first in line, so while any is to be updated
 * it is, and only waits. That is void where the goal has become one that it may not be taken to.
 */
export function waitingForUpdate(input: UpdateInput): (pod: Pod) => boolean {
  const { view, envelope, diff } = input;
  const way = wayOf(envelope, diff);
  const goal = diff.update === 0 ? undefined : revisionOf(view, way.to);
  return (pod) =>
    goal !== undefined &&
    isDrained(pod) &&
    way.isWaiting(view.hashOf(pod)) &&
    obstacle(input, pod, goal) === undefined;
}
