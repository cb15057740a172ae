import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { baselineOf } from './baseline.ts';
import { waitsForCapacity } from './capacity.ts';
import { isBuiltInCheck } from './checks.ts';
import { judgeCheck, judgeSoak } from './gates.ts';
import type { Accepted } from './memory.ts';
import { isForNewPods } from './new-pods.ts';
import { judgeNewPods } from './new-pods-step.ts';
import { hookNote, problemNote } from './problem.ts';
import { type RolloutContext, emptyContext } from './rollout-context.ts';
import type { PodRow } from './pod-row.ts';
import type { RolloutView } from './rollout-view.ts';
import { judgeRun, runsOut } from './run-step.ts';
import { judgePull } from './pull-step.ts';
import { allowedAt, sizeOf } from './sizes.ts';
import { type StepJudgment, stepVerb, timedOut, inProgress } from './step.ts';
import { awayFrom, takenBack } from './taken-back.ts';
import { judgeTicks } from './tick-step.ts';
import { judgeUpdate } from './update-step.ts';

/**
 * Judges the step in progress by the state of the pods (docs/explanation/steps.md). The clocks in the progress must be up
 * to date.
 */
export function judgeStep(
  view: RolloutView,
  accepted: Accepted,
  context: RolloutContext,
  now: number,
): StepJudgment {
  const { progress } = accepted;
  const step = accepted.spec.steps[progress.step];
  if (step === undefined) return { is: 'done' };
  const wait = waitsForCapacity(view, accepted, context);
  if (wait?.tooLong === true) {
    const message = `step ${step.id} has waited for cluster capacity for 30m: ${wait.message}`;
    return { is: 'failed', reason: 'NoCapacity', message };
  }
  if (isEmptyBatch(view, accepted, step)) return { is: 'done' };
  return withoutMissed(view, accepted, judgeVerb(view, accepted, step, context, now));
}

/** Stops the clocks while more pods have nothing of the target than when the step started: time proves nothing about those. */
function withoutMissed(view: RolloutView, { progress }: Accepted, judged: StepJudgment): StepJudgment {
  const more = (view.missed ?? 0) - (progress.missed ?? 0);
  if (more <= 0 || judged.is !== 'underway' || judged.counting === undefined) return judged;
  const { counting: _counting, doneAt: _doneAt, failsAt: _failsAt, ...rest } = judged;
  const pods = more === 1 ? '1 pod that was' : `${more} pods that were`;
  return { ...rest, waitingOn: `${judged.waitingOn}, and ${pods} created without its containers` };
}

function judgeVerb(
  view: RolloutView,
  accepted: Accepted,
  step: Step,
  context: RolloutContext,
  now: number,
): StepJudgment {
  const { progress } = accepted;
  switch (stepVerb(step)) {
    case 'update':
      if (view.ticks === true) return judgeTicks(view, accepted, step, now);
      return isForNewPods(accepted.spec)
        ? judgeNewPods(view, accepted, step, now)
        : judgeUpdate(view, accepted, step, context, now);
    case 'soak':
      return judgeSoak(view, accepted, step, now);
    case 'check':
      return judgeCheck(view, accepted, step, context, now);
    case 'approve':
      if (progress.approved.includes(step.id)) return { is: 'done' };
      return timedOut(step, progress) ?? inProgress(`approval of ${step.id}`, step, progress, now);
    case 'run':
      return judgeRun(view, accepted, step, now);
    case 'pull':
      return judgePull(view, accepted, step, context, now);
  }
}

/**
 * Whether a step is about a batch of no pods (`atLeast: 0` on a small target) that is not the last one. It is done at once,
 * and so are the gates after it. A last batch of no pods is never done: the target would not be complete.
 */
function isEmptyBatch(view: RolloutView, accepted: Accepted, step: Step): boolean {
  const { progress, spec } = accepted;
  const { soak, check } = step;
  const watches =
    sizeOf(step) !== undefined || soak !== undefined || (check !== undefined && isBuiltInCheck(check.use));
  const more = spec.steps.slice(progress.step + 1).some((later) => sizeOf(later) !== undefined);
  return watches && more && view.replicas > 0 && allowedAt(view, accepted, progress.step) === 0;
}

/**
 * Index of the first step that is not done, on a target where some pods may be on `to` already. Only update steps are
 * judged; the gates after the last one that is done start from zero.
 */
export function firstStepNotDone(view: RolloutView, accepted: Accepted): number {
  let next = 0;
  for (const [index, step] of accepted.spec.steps.entries()) {
    if (sizeOf(step) === undefined) continue;
    const at: Accepted = { ...accepted, progress: { ...accepted.progress, step: index } };
    if (judgeStep(view, at, emptyContext, 0).is !== 'done') break;
    next = index + 1;
  }
  return next;
}

/**
 * Whether a revert is done: every pod that is not retained is on the goal, none is missing, and those that were available
 * before are available again. With OnDelete, pods stay on their revision.
 */
export function revertDone(view: RolloutView, accepted: Accepted): boolean {
  return revertWaitsFor(view, accepted) === '';
}

/** What a revert waits for, as the end of a sentence; '' when it is done. */
export function revertWaitsFor(view: RolloutView, accepted: Accepted): string {
  if (view.run !== undefined) return runsOut(view, accepted);
  const { goal = view.stable } = accepted.progress;
  const { wasBroken } = baselineOf(accepted.progress);
  // The next tick runs the earlier revision.
  if (view.ticks === true) return '';
  const away = awayFrom(view, accepted, goal);
  if (away.length > 0 && !view.onDelete) return `${away.length} more to be reverted${hookNote(view)}`;
  const missing = view.replicas - view.pods.length;
  if (missing !== 0)
    return `${missing > 0 ? `${missing} more to be created` : `${-missing} too many to be deleted`}${hookNote(view)}`;
  const { left } = takenBack(view, accepted, goal);
  const isThere = ({ hash }: PodRow): boolean => hash === goal || (hash !== undefined && left.includes(hash));
  const broken = view.pods.find((pod) => isThere(pod) && !pod.available && !wasBroken(pod));
  if (broken === undefined) return '';
  return `${broken.name} to become available${problemNote(broken)}`;
}
