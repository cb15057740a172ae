import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { parseDuration } from '../values/duration.ts';
import { baselineOf } from './baseline.ts';
import { type CheckJudgment, isBuiltInCheck, judgeNodes, judgePods } from './checks.ts';
import type { Accepted } from './memory.ts';
import { problemNote } from './problem.ts';
import type { RolloutContext, CheckRequest } from './rollout-context.ts';
import type { PodRow } from './pod-row.ts';
import type { RolloutView } from './rollout-view.ts';
import { podsAt, wantedAt } from './sizes.ts';
import { harmedIn } from './run-step.ts';
import { isLater } from './later-pods.ts';
import { PROGRESS_DEADLINE_MS, type StepJudgment, firstPod, timedOut, inProgress } from './step.ts';

/**
 * A gate is a step that updates no pods: soak, check and approve. (Approve watches no pods; steps.ts judges it.)
 *
 * A soak is done after its time. It fails if a pod on `to` that was available becomes unavailable, or has restarted
 * (`breach` says since when). The clock stops while a deleted pod is being replaced.
 */
export function judgeSoak(view: RolloutView, accepted: Accepted, step: Step, now: number): StepJudgment {
  const { progress } = accepted;
  const watched = breach(view, accepted, step) ?? missingPods(view, accepted);
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
 * result for ten minutes. The pods are watched as in a soak, except by the check `pods`, which has limits of its own.
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
  const own = use === 'pods' && podsAt(view, spec.to.hash).length > 0;
  const watched = own ? undefined : (breach(view, accepted, step) ?? missingPods(view, accepted));
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
  const { wasBroken, isExcused, restartsOf } = baselineOf(accepted.progress);
  return judgePods(
    args,
    pods.filter((pod) => !wasBroken(pod)),
    (pod) => isLater(pod, accepted.progress) || isExcused(pod) || pod.foreignCause === true,
    restartsOf,
  );
}

/**
 * The failure for a pod on `to` that has restarted, or that existed when the step started and is not available now, for a
 * reason of its own: the rule of soaks, and of checks but `pods`. Restarts count from the baseline, which for most pods is the end of their own update,
 * and not from the start of the step: one that happened in an approval before the soak fails the soak, too.
 */
function breach(view: RolloutView, accepted: Accepted, step: Step): StepJudgment | undefined {
  if (view.run !== undefined) return harmedIn(view.run, accepted, step);
  const { wasBroken, isExcused, restartsOf } = baselineOf(accepted.progress);
  for (const pod of podsAt(view, accepted.spec.to.hash)) {
    if (wasBroken(pod)) continue;
    if (restartsOf(pod) > 0) return restarted(pod, step);
    const isBroken = !pod.available && pod.foreignCause !== true;
    if (isBroken && !isLater(pod, accepted.progress) && !isExcused(pod)) {
      const message = `pod ${pod.name} became unavailable during ${step.id}${problemNote(pod)}`;
      return { is: 'failed', reason: 'Breach', message };
    }
  }
  return undefined;
}

/**
 * The failure for a pod on `to` that has restarted more often than the check `pods` of an earlier step allows. A pod that
 * this step updates may restart until it is available; of the others every restart counts.
 */
export function restartedInUpdate(
  view: RolloutView,
  accepted: Accepted,
  step: Step,
): StepJudgment | undefined {
  const { progress, spec } = accepted;
  const { wasBroken, isExcused, restartsOf } = baselineOf(progress);
  const allowed = spec.steps
    .slice(0, progress.step)
    .map(({ check }) => (check?.use === 'pods' ? Number(check.args?.['restarts'] ?? '0') : 0));
  const most = Math.max(0, ...allowed);
  const counts = (pod: PodRow): boolean =>
    !wasBroken(pod) && !isExcused(pod) && (pod.restartedWhenAvailable === true || !isLater(pod, progress));
  // The plain count comes first, for speed: most pods have never restarted, and the baseline only lowers the count.
  const pod = podsAt(view, spec.to.hash).find(
    (each) => each.restarts > most && restartsOf(each) > most && counts(each),
  );
  return pod === undefined ? undefined : restarted(pod, step);
}

/** When it restarted is not known: perhaps in an approval before this step. All counted restarts follow the pod's update. */
function restarted({ name }: PodRow, { id }: Step): StepJudgment {
  const message = `pod ${name} restarted after its update, which fails step ${id}`;
  return { is: 'failed', reason: 'Breach', message };
}

/** Stops the clock of a gate while a wanted pod is not available: without pods on the change, time proves nothing. */
function missingPods(view: RolloutView, accepted: Accepted): StepJudgment | undefined {
  if (view.run !== undefined) return undefined;
  const { progress, spec } = accepted;
  const there = podsAt(view, spec.to.hash);
  const wanted = wantedAt(view, accepted, progress.step);
  // A pod that was broken before the plan counts as present, whether the update repaired it or not.
  const { wasBroken } = baselineOf(progress);
  const counted = there.filter((pod) => pod.available || wasBroken(pod));
  const missing = wanted - counted.length;
  // Pods of others come and go: nine tenths of them are enough.
  const tolerated = view.missed === undefined ? 0 : Math.floor(wanted / 10);
  if (missing <= tolerated && there.some((pod) => pod.available)) return undefined;
  // The progress deadline does not apply to gates: also while all is well, no pod becomes available.
  if (view.replicas === 0) return { is: 'underway', waitingOn: firstPod(view) };
  const waitingOn = `${Math.max(missing, 1)} of ${Math.max(wanted, 1)} to become available again`;
  return { is: 'underway', waitingOn };
}
