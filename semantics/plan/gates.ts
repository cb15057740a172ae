import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { parseDuration } from '../values/duration.ts';
import { baselineOf } from './baseline.ts';
import { type CheckJudgement, isBuiltInCheck, judgeNodes, judgePods } from './checks.ts';
import type { Accepted } from './memory.ts';
import type { RolloutContext, CheckRequest, PodRow, RolloutView } from './rollout-view.ts';
import { podsAt, wantedAt } from './sizes.ts';
import { isLater } from './successor.ts';
import { PROGRESS_DEADLINE_MS, type StepJudgement, timedOut, inProgress } from './step.ts';

/**
 * Done after its time. A pod at `to` that was available and is not, or that restarts, breaches it; a pod made after the
 * step began stands in for one that was deleted, and the clock waits for it.
 */
export function judgeSoak(view: RolloutView, accepted: Accepted, step: Step, now: number): StepJudgement {
  const { progress } = accepted;
  const watched = breach(view, accepted, step) ?? notThere(view, accepted);
  if (watched !== undefined) return watched;
  const forMs = parseDuration(step.soak?.for ?? '') ?? 0;
  if (progress.clockMs >= forMs) return { is: 'done' };
  const judged =
    timedOut(step, progress) ?? inProgress(`${step.soak?.for ?? ''} of soak`, step, progress, now);
  if (judged.is !== 'underway') return judged;
  return { ...judged, doneAt: now + forMs - progress.clockMs };
}

/**
 * Done when it passes, or has passed for its time. A failing check fails the step; so does one that nobody answers for
 * ten minutes. Beside it, the pods are watched as in a soak, but the check `pods` says itself what is allowed of them.
 */
export function judgeCheck(
  view: RolloutView,
  accepted: Accepted,
  step: Step,
  context: RolloutContext,
  now: number,
): StepJudgement {
  const { progress, spec } = accepted;
  const { use, args = {}, for: time } = step.check ?? { use: '' };
  const found = isBuiltInCheck(use)
    ? builtIn(view, accepted, step, context)
    : answered(accepted, step, context);
  // What the check itself says comes first: a node that fell silent explains its pods.
  if (found?.is === 'fail') {
    return { is: 'failed', reason: 'CheckFailed', message: `${step.id}: ${found.message}` };
  }
  const own = use === 'pods' && podsAt(view, spec.to.hash).length > 0;
  const watched = own ? undefined : (breach(view, accepted, step) ?? notThere(view, accepted));
  if (watched !== undefined) return watched;
  const forMs = parseDuration(time ?? '') ?? 0;
  const passMs = progress.passMs ?? 0;
  if (found?.is === 'pass' && passMs >= forMs) return { is: 'done' };
  const late = timedOut(step, progress);
  if (late !== undefined) return late;
  if (progress.idleMs >= PROGRESS_DEADLINE_MS) {
    const last = found === undefined ? '' : `: ${found.message}`;
    return { is: 'failed', reason: 'CheckUnanswered', message: `${step.id} got no answer for 10 min${last}` };
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

/** The last answer to this very question; none is none. */
function answered({ spec }: Accepted, step: Step, { check }: RolloutContext): CheckJudgement | undefined {
  return check?.digest === spec.digest && check.step === step.id ? check : undefined;
}

function builtIn(view: RolloutView, accepted: Accepted, step: Step, context: RolloutContext): CheckJudgement {
  const pods = podsAt(view, accepted.spec.to.hash);
  const { use, args = {} } = step.check ?? { use: '' };
  if (use === 'nodes') return judgeNodes(args, pods, context.nodes);
  const { wasBroken, isExcused, restartsOf } = baselineOf(accepted.progress);
  return judgePods(
    args,
    pods.filter((pod) => !wasBroken(pod)),
    (pod) => isLater(pod, accepted.progress) || isExcused(pod),
    restartsOf,
  );
}

/** A pod at `to` that restarts, or that was there when the step began and is not available now. */
function breach(view: RolloutView, accepted: Accepted, step: Step): StepJudgement | undefined {
  const { wasBroken, isExcused, restartsOf } = baselineOf(accepted.progress);
  for (const pod of podsAt(view, accepted.spec.to.hash)) {
    if (wasBroken(pod)) continue;
    if (restartsOf(pod) > 0) return restarted(pod, step);
    if (!pod.available && !isLater(pod, accepted.progress) && !isExcused(pod)) {
      const why = pod.problem === undefined ? '' : ` (${pod.problem})`;
      const message = `pod ${pod.name} became unavailable during ${step.id}${why}`;
      return { is: 'failed', reason: 'Breach', message };
    }
  }
  return undefined;
}

/**
 * A pod at `to` that has restarted since it had been available there, more often than a check `pods` before this step
 * allows. One that this step takes may restart while it comes up; of the others every restart counts.
 */
export function restartedInUpdate(
  view: RolloutView,
  accepted: Accepted,
  step: Step,
): StepJudgement | undefined {
  const { progress, spec } = accepted;
  const { wasBroken, isExcused, restartsOf } = baselineOf(progress);
  const allowed = spec.steps
    .slice(0, progress.step)
    .map(({ check }) => (check?.use === 'pods' ? Number(check.args?.['restarts'] ?? '0') : 0));
  const most = Math.max(0, ...allowed);
  const counts = (pod: PodRow): boolean =>
    !wasBroken(pod) && !isExcused(pod) && (pod.restartedWhenAvailable === true || !isLater(pod, progress));
  // Most pods have never restarted, and the baseline only takes away from their count.
  const pod = podsAt(view, spec.to.hash).find(
    (each) => each.restarts > most && restartsOf(each) > most && counts(each),
  );
  return pod === undefined ? undefined : restarted(pod, step);
}

function restarted({ name }: PodRow, { id }: Step): StepJudgement {
  return { is: 'failed', reason: 'Breach', message: `pod ${name} restarted during ${id}` };
}

/** The clock stands while a wanted pod is missing: nothing is proven while no pod runs the change. */
function notThere(view: RolloutView, accepted: Accepted): StepJudgement | undefined {
  const { progress, spec } = accepted;
  const there = podsAt(view, spec.to.hash);
  const wanted = wantedAt(view, accepted, progress.step);
  // A pod that was broken before counts as there, whether the update mended it or not.
  const { wasBroken } = baselineOf(progress);
  const counted = there.filter((pod) => pod.available || wasBroken(pod));
  const missing = wanted - counted.length;
  if (missing <= 0 && there.some((pod) => pod.available)) return undefined;
  // Not judged by the progress deadline: while everything is well no pod becomes available either.
  const waitingOn = `${Math.max(missing, 1)} of ${Math.max(wanted, 1)} to become available again`;
  return { is: 'underway', waitingOn };
}
