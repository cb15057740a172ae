import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { type Awaited, wholeStep } from './awaited.ts';
import { baselineOf } from './baseline.ts';
import { isAbout, waitedTooLong, withoutStop } from './capacity.ts';
import { restartedInUpdate } from './breach.ts';
import type { Accepted, Progress } from './memory.ts';
import type { RolloutContext, RefusedPod } from './rollout-context.ts';
import { retainedBy } from './partition.ts';
import type { PodRow } from './pod-row.ts';
import type { RolloutView } from './rollout-view.ts';
import { formatDuration } from '../values/duration.ts';
import { countText } from '../values/text.ts';
import { isStarting } from '../pod/location.ts';
import { BY_SELECTOR } from './selector-bound.ts';
import { statedPartition } from './stated-partition.ts';
import { podsAt } from './pods-at.ts';
import { allowedPodsAt, wantedPodsAt } from './revision-sizes.ts';
import { failureNote, hookNote, problemOf } from './problem.ts';
import { inProgress, PROGRESS_DEADLINE_MS, type StepJudgment, timedOut, withoutPods } from './step.ts';
import { growthOf } from './units.ts';

/** The bound of a rollout whose target updates no pod by itself. */
export const ON_DELETE = 'OnDelete';

/** Where pods are that a step does not wait for. */
const LEFT_OUT = 'on nodes that are not ready or have joined since';

/**
 * Judges an update step: by the progress of its pods, and by restarts of pods that were available. A step that waits for
 * nothing but a bound cannot fail. Nor does one by time that waits for other updaters of its pods, or for nodes that it leaves out, but
 * for these by its own `timeout`, which stands in an outage alone.
 *
 * @param awaited default: all that the step leads to
 */
export function judgeUpdate(
  view: RolloutView,
  accepted: Accepted,
  step: Step,
  context: Pick<RolloutContext, 'refusals'>,
  now: number,
  awaited: Awaited = wholeStep(view, accepted),
): StepJudgment {
  const judged = judgeProgress(view, accepted, step, context, now, awaited);
  const isBounded = judged.is === 'underway' && judged.boundedBy !== undefined;
  return isBounded ? judged : (restartedInUpdate(view, accepted, step, awaited.isJudged) ?? judged);
}

/**
 * An update step is done when its size is reached, at least one pod on `to` is available, and so are all others on `to` that
 * were not broken before the plan. The last step also waits until no pod beyond the bound is left on another revision.
 */
function judgeProgress(
  view: RolloutView,
  accepted: Accepted,
  step: Step,
  { refusals }: Pick<RolloutContext, 'refusals'>,
  now: number,
  awaited: Awaited,
): StepJudgment {
  const { wanted, elsewhere, without, isLeftOut } = awaited;
  const { progress, spec } = accepted;
  const pods = podsAt(view, spec.to.hash);
  const { wasBroken } = baselineOf(progress);
  const counted = pods.filter((pod) => pod.available || !isLeftOut(pod));
  const waiting = counted.filter((pod) => !pod.available && !wasBroken(pod));
  const last = accepted.spec.steps.findLastIndex((s) => s.update) === progress.step;
  const surplus = last ? Math.max(view.pods.length - pods.length - elsewhere, 0) : 0;
  const available = pods.filter((pod) => pod.available).length;
  if (pods.length >= wanted && waiting.length === 0 && available > 0 && surplus === 0)
    return { is: 'done', ...(without !== '' && { without }) };

  if (view.replicas === 0) return withoutPods(view);
  const bounded = boundedText(view, accepted, awaited, waiting.length === 0);
  if (bounded !== undefined) return { is: 'underway', ...bounded };
  const left = Math.max(wanted - pods.length, surplus);
  if (view.onDelete && waiting.length === 0 && left > 0 && view.pods.length >= view.replicas) {
    const which = left === 1 ? '1 pod' : `${left} pods`;
    return { is: 'underway', waitingOn: `a user to delete ${which}`, boundedBy: ON_DELETE };
  }
  const failure = late(view, step, accepted, waiting) ?? stalled(view, step, accepted, waiting);
  const isOwn = (refused: RefusedPod): boolean => isAbout(view, refused, spec.to.hash);
  const relevantRefusal = refusals.find(isOwn);
  const [refusedOld] = refusals;
  const missing = Math.max(wanted - pods.length, 0);
  // More pods than the step wants may be on `to`, updated before the plan was accepted. All of them must be available.
  const leftOut = pods.length - counted.length;
  const total = Math.max(wanted, pods.length) - leftOut;
  const brokenAlready = counted.length - available - waiting.length;
  if (leftOut > 0 && waiting.length === 0 && left === 0) return waitsForLeftOut(step, progress, leftOut, now);
  const besides = [
    ...(brokenAlready === 0 ? [] : [`, not counting ${brokenAlready} broken before`]),
    ...(leftOut === 0 ? [] : [`, not counting ${leftOut} ${LEFT_OUT}`]),
    ...(without === '' ? [] : [`, ${without}`]),
  ].join('');
  const waitingOn =
    waiting.length > 0 || missing > 0
      ? `pods: ${available} of ${total - brokenAlready} are updated and available${besides}${problemText(waiting) || hookNote(view) || growthText(view, spec.to.hash)}`
      : `${leftOver(surplus, brokenBefore(view, progress, spec.to.hash))}${hookNote(view)}`;
  // The clocks are stopped while other updaters keep the pods from being available, and while the limits of others do.
  if (left === 0 && waiting.length > 0 && waiting.every(({ foreignCause }) => foreignCause === true))
    return { is: 'underway', waitingOn };
  const limit = waiting.length === 0 && left > 0 ? limitOfOthers(view, spec) : undefined;
  if (limit !== undefined) return { is: 'underway', waitingOn: `${waitingOn} (${limit})` };
  if (refusedOld !== undefined && relevantRefusal === undefined && waiting.length === 0 && left > 0)
    return waitsForRefused(step, progress, refusedOld, waitingOn);
  return (
    withCause(failure, relevantRefusal) ??
    inProgress(waitingOn, step, progress, now, progressDeadlineMs(view) - progress.idleMs)
  );
}

/** Why limits of others allow no update now, as a clause; undefined: they do, or the pods are the target's own. */
function limitOfOthers({ units }: RolloutView, { to }: RolloutPlanSpec): string | undefined {
  return units.of === 'selected' ? units.limitedBy(to.hash, to.bound.selector) : undefined;
}

/**
 * What could become available is left out of the step: time proves nothing about the change. A time that the step itself states runs, as
 * the change may be what takes its nodes down.
 */
function waitsForLeftOut(step: Step, progress: Progress, leftOut: number, now: number): StepJudgment {
  const waitingOn = `${countText(leftOut, 'pod')} to become available, ${LEFT_OUT}`;
  if (step.timeout === undefined) return { is: 'underway', waitingOn };
  return timedOut(step, progress) ?? inProgress(waitingOn, step, progress, now);
}

/** The bound that leaves the step no further pod, and what it waits for; undefined: there is none. */
function boundedText(
  view: RolloutView,
  accepted: Accepted,
  { wanted, reachable }: Awaited,
  isSettled: boolean,
): { waitingOn: string; boundedBy: string } | undefined {
  const { hash, bound } = accepted.spec.to;
  const { step } = accepted.progress;
  const there = podsAt(view, hash).length;
  const size = wantedPodsAt(view, accepted, step);
  if (size === 0 && there === 0 && allowedPodsAt(view, accepted, step) > 0) {
    return retainedBy(view, statedPartition(bound)) >= view.replicas
      ? { waitingOn: 'a lower partition', boundedBy: 'partition' }
      : { waitingOn: 'a pod that the selector selects', boundedBy: BY_SELECTOR };
  }
  const own = view.replicas - retainedBy(view, view.partition);
  // Where not every unit can be taken, the partition may retain those alone.
  if (own < size && there >= Math.min(own, wanted) && isSettled)
    return { waitingOn: "the target's own partition", boundedBy: 'partition' };
  const selected = reachable([bound.selector, view.selector]);
  return selected < wanted && there >= selected && isSettled
    ? { waitingOn: "the target's own selector", boundedBy: BY_SELECTOR }
    : undefined;
}

/** Why pods are not available, by the first of them by name that has a problem; '' while their containers start. */
function problemText(waiting: readonly PodRow[]): string {
  let count = 0;
  let first: PodRow | undefined;
  for (const pod of waiting) {
    const problem = problemOf(pod);
    if (problem === undefined || isStarting(problem)) continue;
    count += 1;
    if (first === undefined || pod.name < first.name) first = pod;
  }
  const problem = first && problemOf(first);
  if (first === undefined || problem === undefined) return '';
  const others = count === 1 ? '' : ` and ${count - 1} more`;
  return ` (${first.name}${others}: ${problem})`;
}

/** The first pod by name of the revision whose claims have yet to grow; '' if there is none. */
function growthText(view: RolloutView, to: string): string {
  const { pods, liveHash } = view;
  const growth = growthOf(view);
  if (growth === undefined || growth.pending.size === 0 || to !== liveHash) return '';
  const names = pods.filter(({ hash, unit }) => hash === to && growth.pending.has(unit));
  const [first] = names.map(({ name }) => name).sort();
  if (first === undefined) return '';
  return ` (${first}${names.length === 1 ? '' : ` and ${names.length - 1} more`}: claims have yet to grow)`;
}

/** What a step waits for whose pods are all updated: surplus old pods, or every new pod was broken before the plan. */
function leftOver(surplus: number, broken: PodRow | undefined): string {
  return surplus > 0
    ? `${surplus} surplus to be deleted`
    : `${broken?.name ?? 'a pod'}, which was broken before, to become available`;
}

/** A pod on `to` that was not available when the plan was accepted, and has not been since. */
function brokenBefore(view: RolloutView, progress: Progress, to: string): PodRow | undefined {
  const { wasBroken } = baselineOf(progress);
  return podsAt(view, to).find((pod) => !pod.available && wasBroken(pod));
}

/** The failure of a step whose `timeout` has passed, with the first pod that it waited for. */
function late(
  view: RolloutView,
  step: Step,
  { progress, spec }: Accepted,
  [pod]: readonly PodRow[],
): StepJudgment | undefined {
  const failure = timedOut(step, progress);
  if (failure?.is !== 'failed') return failure;
  const named =
    pod === undefined ? blockerText(view, spec) : `: ${pod.name} was not available${failureNote(pod)}`;
  return { ...failure, message: `${failure.message}${named}` };
}

/** What keeps pods of others from their update, after the text of a failure; '' if nothing is known. */
function blockerText({ units }: RolloutView, { to }: RolloutPlanSpec): string {
  const blocker = units.of === 'selected' ? units.blockedBy(to.hash, to.bound.selector) : undefined;
  return blocker === undefined ? '' : `: ${blocker}`;
}

function stalled(
  view: RolloutView,
  step: Step,
  { progress, spec }: Accepted,
  waiting: readonly PodRow[],
): StepJudgment | undefined {
  if (step.timeout !== undefined || progress.idleMs < progressDeadlineMs(view)) return undefined;
  const blocker = waiting.length === 0 ? blockerText(view, spec) : '';
  const [pod = brokenBefore(view, progress, spec.to.hash)] = waiting;
  const problem = pod === undefined ? '' : failureNote(pod);
  const before = waiting.length === 0 ? ', as before the plan. Fix or delete it' : '';
  const ofPod = pod === undefined ? hookNote(view) : `: ${pod.name} was not available${problem}${before}`;
  const named = blocker === '' ? ofPod : blocker;
  return {
    is: 'failed',
    reason: 'Timeout',
    message: `no pod became available for ${formatDuration(progressDeadlineMs(view))} in ${step.id}${named}`,
  };
}

/**
 * A pod of another revision that the server refuses keeps the step from its own pods, none of which is on its way: it is before
 * them in the order, or counts as unavailable. The clock stands for thirty minutes.
 */
function waitsForRefused(
  step: Step,
  progress: Progress,
  { revision = '', message }: RefusedPod,
  waitingOn: string,
): StepJudgment {
  if (!waitedTooLong(progress))
    return {
      is: 'underway',
      counting: 'capacity',
      waitingOn: `${waitingOn} (a pod of ${revision} comes before them, and the server refuses it)`,
    };
  return {
    is: 'failed',
    reason: 'NoCapacity',
    message: `step ${step.id} has waited for 30m for a pod of ${revision} that the server refuses: ${withoutStop(message)}`,
  };
}

/** Adds the server's message to the failure of a step whose pods it refused to create, update or delete. */
function withCause(
  failure: StepJudgment | undefined,
  refused: RefusedPod | undefined,
): StepJudgment | undefined {
  if (failure?.is !== 'failed' || refused === undefined) return failure;
  return {
    ...failure,
    message: `${failure.message}. The server refused ${refused.pod ?? 'a pod'}: ${withoutStop(refused.message)}`,
  };
}

/**
 * Milliseconds without a newly available pod after which an update step fails: `progressDeadlineSeconds` of the target, or
 * ten minutes plus `minReadySeconds`.
 */
export function progressDeadlineMs(
  target: Pick<RolloutView, 'progressDeadlineSeconds' | 'minReadySeconds'>,
): number {
  const { progressDeadlineSeconds: seconds, minReadySeconds } = target;
  return seconds === undefined ? PROGRESS_DEADLINE_MS + minReadySeconds * 1000 : seconds * 1000;
}
