import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { partitionValue } from '../values/int-or-percent.ts';
import { baselineOf } from './baseline.ts';
import { withoutStop } from './capacity.ts';
import { restartedInUpdate } from './gates.ts';
import type { Accepted, Progress } from './memory.ts';
import type { RolloutContext, PodRow, RefusedPod, RolloutView } from './rollout-view.ts';
import { allowedAt, podsAt, wantedAt } from './sizes.ts';
import { PROGRESS_DEADLINE_MS, type StepJudgement, timedOut, inProgress } from './step.ts';

/** What bounds a rollout whose target takes no pod by itself. */
export const ON_DELETE = 'OnDelete';

/** As the pods progress; but a pod that was available and restarts fails it. A step that waits for nothing but a bound cannot fail. */
export function judgeUpdate(
  view: RolloutView,
  accepted: Accepted,
  step: Step,
  context: Pick<RolloutContext, 'refused'>,
  now: number,
): StepJudgement {
  const judged = judgeProgress(view, accepted, step, context, now);
  const isBounded = judged.is === 'underway' && judged.boundedBy !== undefined;
  return isBounded ? judged : (restartedInUpdate(view, accepted, step) ?? judged);
}

/**
 * Done when the step's size is reached, every pod at `to` that was not baseline is available, and at least one is.
 * The last step also waits until no pod beyond the bound is left on the old side.
 */
function judgeProgress(
  view: RolloutView,
  accepted: Accepted,
  step: Step,
  { refused }: Pick<RolloutContext, 'refused'>,
  now: number,
): StepJudgement {
  const { progress, spec } = accepted;
  const wanted = wantedAt(view, accepted, progress.step);
  const pods = podsAt(view, spec.to.hash);
  const { wasBroken } = baselineOf(progress);
  const waiting = pods.filter((pod) => !pod.available && !wasBroken(pod));
  const last = accepted.spec.steps.findLastIndex((s) => s.update) === progress.step;
  const surplus = last ? Math.max(view.pods.length - pods.length - (view.replicas - wanted), 0) : 0;
  const someAvailable = pods.some((pod) => pod.available);
  if (pods.length >= wanted && waiting.length === 0 && someAvailable && surplus === 0) return { is: 'done' };

  if (view.replicas === 0) return { is: 'underway', waitingOn: 'a pod: replicas is 0' };
  if (wanted === 0 && pods.length === 0 && allowedAt(view, accepted, progress.step) > 0) {
    return { is: 'underway', waitingOn: 'a lower partition', boundedBy: 'partition' };
  }
  const own = view.replicas - partitionValue(view.partition, view.replicas);
  if (own < wanted && pods.length >= own && waiting.length === 0) {
    return { is: 'underway', waitingOn: "the target's own partition", boundedBy: 'partition' };
  }
  const left = Math.max(wanted - pods.length, surplus);
  if (view.onDelete && waiting.length === 0 && left > 0 && view.pods.length >= view.replicas) {
    const which = left === 1 ? '1 pod' : `${left} pods`;
    return { is: 'underway', waitingOn: `a user to delete ${which}`, boundedBy: ON_DELETE };
  }
  const failure = timedOut(step, progress) ?? stalled(view, step, progress, spec.to.hash, waiting);
  const isToMake = refused?.revision !== undefined;
  const said = isToMake && refused.revision !== view.nameOf(spec.to.hash) ? undefined : refused;
  const missing = Math.max(wanted - pods.length, 0);
  // More pods than the step wants may be at `to`, updated before the plan was accepted: all of them have to be available.
  const progressing = waiting.length > 0 ? waiting.length : missing;
  const verb = waiting.length > 0 ? 'become available' : 'be updated';
  const waitingOn =
    progressing > 0
      ? `${progressing} more of ${Math.max(wanted, pods.length)} to ${verb}`
      : leftOver(surplus, brokenBefore(view, progress, spec.to.hash));
  return (
    withCause(failure, said) ??
    inProgress(waitingOn, step, progress, now, progressDeadlineMs(view) - progress.idleMs)
  );
}

/** All that are wanted are there: old ones are left beyond the bound, or every new one was broken before. */
function leftOver(surplus: number, broken: PodRow | undefined): string {
  return surplus > 0
    ? `${surplus} surplus to be deleted`
    : `${broken?.name ?? 'a pod'}, which was broken before, to become available`;
}

/** A pod at `to` that was not available when the plan was accepted, and is not now: it stands in the way of those that work. */
function brokenBefore(view: RolloutView, progress: Progress, to: string): PodRow | undefined {
  const { wasBroken } = baselineOf(progress);
  return podsAt(view, to).find((pod) => !pod.available && wasBroken(pod));
}

function stalled(
  view: RolloutView,
  step: Step,
  progress: Progress,
  to: string,
  waiting: readonly PodRow[],
): StepJudgement | undefined {
  if (step.timeout !== undefined || progress.idleMs < progressDeadlineMs(view)) return undefined;
  const [pod = brokenBefore(view, progress, to)] = waiting;
  const problem = pod?.problem === undefined ? '' : ` (${pod.problem})`;
  const before = waiting.length === 0 ? ', as before the plan; fix or delete it' : '';
  const named = pod === undefined ? '' : `; ${pod.name} was not available${problem}${before}`;
  const minutes = Math.round(progressDeadlineMs(view) / 60_000);
  return {
    is: 'failed',
    reason: 'Timeout',
    message: `no pod became available for ${minutes} min in ${step.id}${named}`,
  };
}

/** A step whose pods the server would not make, change or delete fails with what the server said. */
function withCause(
  failure: StepJudgement | undefined,
  refused: RefusedPod | undefined,
): StepJudgement | undefined {
  if (failure?.is !== 'failed' || refused === undefined) return failure;
  return {
    ...failure,
    message: `${failure.message}; the server refused a pod: ${withoutStop(refused.message)}`,
  };
}

/** How long no pod may become available before an update step fails: what the target says, or ten minutes beyond minReadySeconds. */
export function progressDeadlineMs(
  target: Pick<RolloutView, 'progressDeadlineSeconds' | 'minReadySeconds'>,
): number {
  const { progressDeadlineSeconds: seconds, minReadySeconds } = target;
  return seconds === undefined ? PROGRESS_DEADLINE_MS + minReadySeconds * 1000 : seconds * 1000;
}
