import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { parseDuration } from '../values/duration.ts';
import { partitionValue } from '../values/int-or-percent.ts';
import { allowedPods } from './allowed.ts';
import type { Accepted, Phase, Progress } from './memory.ts';
import type { PodRow, RolloutView } from './rollout-view.ts';
import { columnOf } from './table.ts';

/** The verbs that these semantics execute; a plan with another is refused as a whole before it starts. */
export const EXECUTED_VERBS = ['update', 'soak', 'approve'] as const;

/** An update step without a timeout fails after this long without a pod becoming available, unless the target says otherwise. */
const PROGRESS_DEADLINE_MS = 10 * 60_000;

export function stepVerb(step: Step): 'pull' | 'update' | 'run' | 'soak' | 'check' | 'approve' {
  if (step.update) return 'update';
  if (step.soak) return 'soak';
  if (step.approve) return 'approve';
  if (step.check) return 'check';
  return step.pull ? 'pull' : 'run';
}

/** The phase a plan is in while it executes a step. */
export function phaseOfStep(step: Step): Phase {
  const verb = stepVerb(step);
  if (verb === 'soak') return 'Soaking';
  if (verb === 'check') return 'Checking';
  return verb === 'approve' ? 'AwaitingApproval' : 'Running';
}

export type StepJudgement =
  | { is: 'done' }
  | { is: 'failed'; reason: string; message: string }
  /** Under way. `clock` false: the time does not count. `boundedBy`: nothing to wait for but a bound. */
  | { is: 'underway'; clock: boolean; waitingOn: string; boundedBy?: string; dueAt?: number };

/**
 * How many pods may be on `to`: the last update step at or before `step`, over the frozen number of replicas. All of them
 * is all of them, whatever an autoscaler says meanwhile: pods it adds would stay behind for ever. What has been halted
 * stays frozen there too.
 */
export function allowedAt(view: RolloutView, accepted: Accepted, step: number): number {
  const { frozenN, phase } = accepted.progress;
  const update = accepted.spec.steps.slice(0, step + 1).findLast((s) => s.update)?.update;
  if (update === undefined) return 0;
  const all = update.to === '100%' && columnOf(phase) === 'active';
  return allowedPods(update, all ? Math.max(view.replicas, frozenN) : frozenN);
}

/** How many pods the plan itself wants on `to` after `step`: what the step allows, under the bound in `to`. */
export function wantedAt(view: RolloutView, accepted: Accepted, step: number): number {
  const bound = partitionValue(accepted.spec.to.bound.partition ?? 0, view.replicas);
  return Math.max(Math.min(allowedAt(view, accepted, step), view.replicas - bound), 0);
}

/** The step in progress judged by what the pods show (plan, section 5). `progress` carries the clocks up to now. */
export function judgeStep(
  view: RolloutView,
  accepted: Accepted,
  progress: Progress,
  now: number,
): StepJudgement {
  const step = accepted.spec.steps[progress.step];
  if (step === undefined) return { is: 'done' };
  switch (stepVerb(step)) {
    case 'update':
      return judgeUpdate(view, { ...accepted, progress }, step, now);
    case 'soak':
      return judgeSoak(view, { ...accepted, progress }, step, now);
    case 'approve':
      if (progress.approved.includes(step.id)) return { is: 'done' };
      return timedOut(step, progress) ?? underway(`approval of ${step.id}`, step, progress, now);
    case 'check':
    case 'pull':
    case 'run':
      return { is: 'underway', clock: false, waitingOn: `${step.id}, which this runtime does not execute` };
  }
}

/**
 * Done when the step's size is reached, every pod at `to` that was not baseline is available, and at least one is.
 * The last step also waits until no pod beyond the bound is left on the old side.
 */
function judgeUpdate(view: RolloutView, accepted: Accepted, step: Step, now: number): StepJudgement {
  const { progress, spec } = accepted;
  const wanted = wantedAt(view, accepted, progress.step);
  const pods = podsAt(view, spec.to.hash);
  const counted = pods.filter((pod) => !progress.baseline.unavailable.includes(pod.uid));
  const waiting = counted.filter((pod) => !pod.available);
  const last = accepted.spec.steps.findLastIndex((s) => s.update) === progress.step;
  const surplus = last ? Math.max(view.pods.length - pods.length - (view.replicas - wanted), 0) : 0;
  const someAvailable = pods.some((pod) => pod.available);
  if (pods.length >= wanted && waiting.length === 0 && someAvailable && surplus === 0) return { is: 'done' };

  if (view.replicas === 0) return { is: 'underway', clock: false, waitingOn: 'a pod: replicas is 0' };
  if (wanted === 0 && pods.length === 0 && allowedAt(view, accepted, progress.step) > 0) {
    return { is: 'underway', clock: false, waitingOn: 'a looser bound', boundedBy: 'partition' };
  }
  const own = view.replicas - partitionValue(view.partition, view.replicas);
  if (own < wanted && pods.length >= own && waiting.length === 0) {
    return { is: 'underway', clock: false, waitingOn: "the target's own partition", boundedBy: 'partition' };
  }
  const failure = timedOut(step, progress) ?? stalled(view, step, progress, waiting);
  const waitingOn =
    waiting.length > 0
      ? `${waiting.length} more of ${wanted} pods to become available`
      : `${Math.max(wanted - pods.length, 0)} more of ${wanted} pods to be updated`;
  return (
    failure ??
    underway(
      waitingOn,
      step,
      progress,
      now,
      progressDeadlineMs(view.progressDeadlineSeconds) - progress.idleMs,
    )
  );
}

/**
 * Done after its time. A pod at `to` that was available and is not, or that restarts, breaches it; a pod made after the
 * step began stands in for one that was deleted, and the clock waits for it.
 */
function judgeSoak(view: RolloutView, accepted: Accepted, step: Step, now: number): StepJudgement {
  const { progress, spec } = accepted;
  const isBaseline = (pod: PodRow): boolean => progress.baseline.unavailable.includes(pod.uid);
  const there = podsAt(view, spec.to.hash);
  const pods = there.filter((pod) => !isBaseline(pod));
  for (const pod of pods) {
    if (pod.restarts > (progress.baseline.restarts[pod.uid] ?? 0)) {
      return { is: 'failed', reason: 'Breach', message: `pod ${pod.name} restarted during ${step.id}` };
    }
    if (!pod.available && pod.createdAt < secondsFloor(progress.stepSince)) {
      return {
        is: 'failed',
        reason: 'Breach',
        message: `pod ${pod.name} turned unavailable during ${step.id}`,
      };
    }
  }
  const wanted = wantedAt(view, accepted, progress.step);
  // A pod that was broken before counts as there, whether the update mended it or not.
  const missing = wanted - there.filter((pod) => pod.available || isBaseline(pod)).length;
  if (missing > 0 || !there.some((pod) => pod.available)) {
    // Nothing is proven while no pod runs the change. Not judged by the progress deadline: while everything is well no pod becomes available either.
    return {
      is: 'underway',
      clock: false,
      waitingOn: `${Math.max(missing, 1)} of ${Math.max(wanted, 1)} pods to become available again`,
    };
  }
  const forMs = parseDuration(step.soak?.for ?? '') ?? 0;
  if (progress.clockMs >= forMs) return { is: 'done' };
  const judged = timedOut(step, progress) ?? underway(`${step.soak?.for ?? ''} of soak`, step, progress, now);
  if (judged.is !== 'underway') return judged;
  return { ...judged, dueAt: Math.min(judged.dueAt ?? Infinity, now + forMs - progress.clockMs) };
}

/** The first step of a plan that is not done on a target where pods may be at `to` already; gates after it count anew. */
export function firstStepNotDone(view: RolloutView, accepted: Accepted): number {
  let next = 0;
  for (const [index, step] of accepted.spec.steps.entries()) {
    if (!step.update) continue;
    const at: Accepted = { ...accepted, progress: { ...accepted.progress, step: index } };
    if (judgeStep(view, at, at.progress, 0).is !== 'done') break;
    next = index + 1;
  }
  return next;
}

function timedOut(step: Step, progress: Progress): StepJudgement | undefined {
  const timeout = step.timeout === undefined ? undefined : parseDuration(step.timeout);
  if (timeout === undefined || progress.clockMs < timeout) return undefined;
  return { is: 'failed', reason: 'Timeout', message: `${step.id} was not done within ${step.timeout ?? ''}` };
}

function stalled(
  view: RolloutView,
  step: Step,
  progress: Progress,
  waiting: readonly PodRow[],
): StepJudgement | undefined {
  if (step.timeout !== undefined || progress.idleMs < progressDeadlineMs(view.progressDeadlineSeconds))
    return undefined;
  const named = waiting[0] === undefined ? '' : `; ${waiting[0].name} is not available`;
  const minutes = Math.round(progressDeadlineMs(view.progressDeadlineSeconds) / 60_000);
  return {
    is: 'failed',
    reason: 'Timeout',
    message: `no pod became available for ${minutes} min in ${step.id}${named}`,
  };
}

function underway(
  waitingOn: string,
  step: Step,
  progress: Progress,
  now: number,
  leftMs = Infinity,
): StepJudgement & { is: 'underway' } {
  const timeout = step.timeout === undefined ? undefined : parseDuration(step.timeout);
  const left = timeout === undefined ? leftMs : timeout - progress.clockMs;
  return {
    is: 'underway',
    clock: true,
    waitingOn,
    ...(Number.isFinite(left) ? { dueAt: now + Math.max(left, 0) } : {}),
  };
}

/** How long no pod may become available before an update step fails; ten minutes unless the target says. */
export function progressDeadlineMs(seconds: number | undefined): number {
  return seconds === undefined ? PROGRESS_DEADLINE_MS : seconds * 1000;
}

export function podsAt(view: RolloutView, hash: string): PodRow[] {
  return view.pods.filter((pod) => pod.hash === hash);
}

/** Pod times have whole seconds; compare as they do. */
function secondsFloor(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** Every pod that is not held is at the goal, all that are wanted are there, and those that worked before work again. */
export function revertDone(view: RolloutView, accepted: Accepted): boolean {
  const { goal, baseline } = accepted.progress;
  const held = view.held?.hash === goal ? undefined : view.held;
  const there = view.pods.filter((pod) => pod.hash === goal || pod.hash === held?.hash);
  if (there.length !== view.pods.length || there.length !== view.replicas) return false;
  return there.every((pod) => pod.available || baseline.unavailable.includes(pod.uid));
}
