import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { parseDuration } from '../values/duration.ts';
import { baselineOf } from './baseline.ts';
import { type CheckJudgment, isBuiltInCheck, judgeNodes, judgePods } from './checks.ts';
import type { Accepted } from './memory.ts';
import type { RolloutContext, CheckRequest } from './rollout-context.ts';
import type { RolloutView } from './rollout-view.ts';
import { podsAt } from './pods-at.ts';
import { isLater } from './later-pods.ts';
import { PROGRESS_DEADLINE_MS, type StepJudgment, timedOut, inProgress } from './step.ts';

/**
 * A gate is a step that updates no pods: soak, check and approve. (Approve watches no pods; steps.ts judges it.)
 *
 * A soak is done after its time. It fails if a pod on `to` that was available becomes unavailable, or has restarted
 * (`breach` says since when). The clock stops while a deleted pod is being replaced.
 */
export function judgeSoak(view: RolloutView, accepted: Accepted, step: Step, now: number): StepJudgment {
  const { progress } = accepted;
  const watched = watchedUnits(view, accepted, step);
  if (watched !== undefined) return watched;
  const forMs = parseDuration(step.soak?.for ?? '') ?? 0;
  if (progress.clockMs >= forMs) return { is: 'done' };
  const judged =
    timedOut(step, progress) ?? inProgress(`${step.soak?.for ?? ''} of soak`, step, progress, now);
  if (judged.is !== 'underway') return judged;
  return { ...judged, doneAt: now + forMs - progress.clockMs };
}

/**
 * A check step is done when its check passes, or has passed for the time in `for`. It fails when the check fails, or has no
 * result for ten minutes. The pods are watched as in a soak, except by the check `pods`, which has limits of its own. Where it has no
 * pod to judge they are.
 */
export function judgeCheck(
  view: RolloutView,
  accepted: Accepted,
  step: Step,
  context: RolloutContext,
  now: number,
): StepJudgment {
  const { progress, spec } = accepted;
  const { use, args = {}, for: time } = step.check ?? { use: '' };
  const found = isBuiltInCheck(use)
    ? builtIn(view, accepted, step, context)
    : namedCheckResult(accepted, step, context);
  // The result of the check comes first: a node that is not ready explains why its pods are not available.
  if (found?.is === 'fail') {
    return { is: 'failed', reason: 'CheckFailed', message: `${step.id}: ${found.message}` };
  }
  const own = use === 'pods' && podsAt(view, spec.to.hash).some(view.rules(spec).isJudged(view, accepted));
  const watched = own ? undefined : watchedUnits(view, accepted, step);
  if (watched !== undefined) return watched;
  const forMs = parseDuration(time ?? '') ?? 0;
  const passMs = progress.passMs ?? 0;
  if (found?.is === 'pass' && passMs >= forMs) return { is: 'done' };
  const timeout = timedOut(step, progress);
  if (timeout !== undefined) return timeout;
  if (progress.idleMs >= PROGRESS_DEADLINE_MS) {
    const last = found === undefined ? '' : `: ${found.message}`;
    return { is: 'failed', reason: 'CheckUnanswered', message: `${step.id} got no answer for 10m${last}` };
  }
  const request: CheckRequest = { digest: spec.digest, step: step.id, use, args, namespace: view.namespace };
  const check = isBuiltInCheck(use) ? {} : { check: request };
  if (found?.is === 'pass') {
    const judged = inProgress(`the check ${use} to pass for ${time ?? ''}`, step, progress, now);
    return { ...judged, ...check, counting: 'passing', doneAt: now + forMs - passMs };
  }
  const waitingOn =
    found === undefined ? `an answer of the check ${use}` : `the check ${use}: ${found.message}`;
  return { ...inProgress(waitingOn, step, progress, now, PROGRESS_DEADLINE_MS - progress.idleMs), ...check };
}

/** The last result of the named check, where it is of this step of this plan. */
function namedCheckResult(
  { spec }: Accepted,
  step: Step,
  { check }: RolloutContext,
): CheckJudgment | undefined {
  return check?.digest === spec.digest && check.step === step.id ? check : undefined;
}

function builtIn(view: RolloutView, accepted: Accepted, step: Step, context: RolloutContext): CheckJudgment {
  const pods = podsAt(view, accepted.spec.to.hash);
  const { use, args = {} } = step.check ?? { use: '' };
  if (use === 'nodes') return judgeNodes(args, pods, context.nodes);
  const { progress } = accepted;
  const { wasBroken, isExcused, restartsOf } = baselineOf(progress);
  const isJudged = view.rules(accepted.spec).isJudged(view, accepted);
  return judgePods(
    args,
    pods.filter((pod) => !wasBroken(pod) && isJudged(pod)),
    (pod) => isLater(pod, progress) || isExcused(pod) || pod.foreignCause === true,
    restartsOf,
  );
}

/** The failure of a gate, or why its clock stands, by the units that the plan has changed. */
function watchedUnits(view: RolloutView, accepted: Accepted, step: Step): StepJudgment | undefined {
  const rules = view.rules(accepted.spec);
  return rules.breach(view, accepted, step) ?? rules.missing(view, accepted);
}
