import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { waitsForCapacity } from './capacity.ts';
import { isBuiltInCheck } from './checks.ts';
import { judgeCheck, judgeSoak } from './gates.ts';
import type { Accepted } from './memory.ts';
import { judgePull } from './pull-step.ts';
import { emptyContext, type RolloutContext } from './rollout-context.ts';
import type { RolloutView } from './rollout-view.ts';
import { sizeOf } from './sizes.ts';
import { atRest, inProgress, type StepJudgment, stepVerb, timedOut } from './step.ts';

interface Judged {
  view: RolloutView;
  context: RolloutContext;
  now: number;
  judgment: StepJudgment;
}

/** Several facts of one reconcile need the judgment, which reads every pod. */
const known = new WeakMap<Accepted, Judged>();

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
  const last = known.get(accepted);
  if (last?.view === view && last.context === context && last.now === now) return last.judgment;
  const judgment = judgeOnce(view, accepted, context, now);
  known.set(accepted, { view, context, now, judgment });
  return judgment;
}

function judgeOnce(
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
  return view.rules(accepted.spec).withClocks(view, accepted, judgeVerb(view, accepted, step, context, now));
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
    case 'run':
      return view.rules(accepted.spec).judge(view, accepted, step, context, now);
    case 'soak':
      return judgeSoak(view, accepted, step, now);
    case 'check':
      return judgeCheck(view, accepted, step, context, now);
    case 'approve':
      if (progress.approved.includes(step.id)) return { is: 'done' };
      return atRest(timedOut(step, progress) ?? inProgress(`approval of ${step.id}`, step, progress, now));
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
  return watches && more && view.rules(spec).isEmpty(view, accepted, progress.step);
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
