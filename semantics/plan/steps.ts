import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { baselineOf } from './baseline.ts';
import { waitsForCapacity } from './capacity.ts';
import { isBuiltInCheck } from './checks.ts';
import { judgeCheck, judgeSoak } from './gates.ts';
import type { Accepted } from './memory.ts';
import { type RolloutContext, emptyContext, type RolloutView } from './rollout-view.ts';
import { allowedAt } from './sizes.ts';
import { type StepJudgement, stepVerb, timedOut, inProgress } from './step.ts';
import { judgeUpdate } from './update-step.ts';

/** The step in progress judged by what the pods show (plan, section 5). The progress carries the clocks up to now. */
export function judgeStep(
  view: RolloutView,
  accepted: Accepted,
  context: RolloutContext,
  now: number,
): StepJudgement {
  const { progress } = accepted;
  const step = accepted.spec.steps[progress.step];
  if (step === undefined) return { is: 'done' };
  const room = waitsForCapacity(view, accepted, context);
  if (room?.tooLong === true) {
    const message = `step ${step.id} has waited for cluster capacity for 30 min; ${room.message}`;
    return { is: 'failed', reason: 'NoCapacity', message };
  }
  if (isEmptyBatch(view, accepted, step)) return { is: 'done' };
  switch (stepVerb(step)) {
    case 'update':
      return judgeUpdate(view, accepted, step, context, now);
    case 'soak':
      return judgeSoak(view, accepted, step, now);
    case 'check':
      return judgeCheck(view, accepted, step, context, now);
    case 'approve':
      if (progress.approved.includes(step.id)) return { is: 'done' };
      return timedOut(step, progress) ?? inProgress(`approval of ${step.id}`, step, progress, now);
    case 'pull':
    case 'run':
      return { is: 'underway', waitingOn: `${step.id}, which this runtime does not execute` };
  }
}

/**
 * A batch of no pods (`atLeast: 0` on a small target) with others to come: it is done, and so is what watches it. A last
 * batch of none is never done, for nothing would be complete.
 */
function isEmptyBatch(view: RolloutView, accepted: Accepted, { update, soak, check }: Step): boolean {
  const { progress, spec } = accepted;
  const watches =
    update !== undefined || soak !== undefined || (check !== undefined && isBuiltInCheck(check.use));
  const more = spec.steps.slice(progress.step + 1).some((later) => later.update !== undefined);
  return watches && more && view.replicas > 0 && allowedAt(view, accepted, progress.step) === 0;
}

/** The first step of a plan that is not done on a target where pods may be at `to` already; gates after it count anew. */
export function firstStepNotDone(view: RolloutView, accepted: Accepted): number {
  let next = 0;
  for (const [index, step] of accepted.spec.steps.entries()) {
    if (!step.update) continue;
    const at: Accepted = { ...accepted, progress: { ...accepted.progress, step: index } };
    if (judgeStep(view, at, emptyContext, 0).is !== 'done') break;
    next = index + 1;
  }
  return next;
}

/**
 * Every pod that is not held is at the goal, all that are wanted are there, and those that worked before work again. With
 * OnDelete pods stay where they are.
 */
export function revertDone(view: RolloutView, accepted: Accepted): boolean {
  return revertWaitsFor(view, accepted) === '';
}

/** What a rollout that goes back waits for; '' when it is over. */
export function revertWaitsFor(view: RolloutView, accepted: Accepted): string {
  const { goal } = accepted.progress;
  const { wasBroken } = baselineOf(accepted.progress);
  const held = view.retained?.hash === goal ? undefined : view.retained;
  const there = view.pods.filter((pod) => pod.hash === goal || pod.hash === held?.hash);
  const away = view.pods.length - there.length;
  if (away > 0 && !view.onDelete) return `${away} more to be reverted`;
  const missing = view.replicas - (view.onDelete ? view.pods.length : there.length);
  if (missing !== 0)
    return missing > 0 ? `${missing} more to be created` : `${-missing} too many to be deleted`;
  const broken = there.find((pod) => !pod.available && !wasBroken(pod));
  if (broken === undefined) return '';
  const problem = broken.problem === undefined ? '' : ` (${broken.problem})`;
  return `${broken.name} to become available${problem}`;
}
