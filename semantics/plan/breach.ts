import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { baselineOf } from './baseline.ts';
import { isLater } from './later-pods.ts';
import type { Accepted } from './memory.ts';
import type { PodRow } from './pod-row.ts';
import { podsAt } from './pods-at.ts';
import { failureNote } from './problem.ts';
import type { RolloutView } from './rollout-view.ts';
import { type StepJudgment, withoutPods } from './step.ts';

/**
 * The failure for a pod on `to` that has restarted, or that existed when the step started and is not available now, for a
 * reason of its own: the rule of soaks, and of checks but `pods`. Restarts count from the baseline, which for most pods is the end of their own update,
 * and not from the start of the step: one that happened in an approval before the soak fails the soak, too.
 */
export function podBreach(view: RolloutView, accepted: Accepted, step: Step): StepJudgment | undefined {
  const { wasBroken, isExcused, restartsOf } = baselineOf(accepted.progress);
  for (const pod of podsAt(view, accepted.spec.to.hash)) {
    if (wasBroken(pod)) continue;
    if (restartsOf(pod) > 0) return restarted(pod, step);
    const isBroken = !pod.available && pod.foreignCause !== true;
    if (isBroken && !isLater(pod, accepted.progress) && !isExcused(pod)) {
      const message = `pod ${pod.name} became unavailable during ${step.id}${failureNote(pod)}`;
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
  isJudged: (pod: PodRow) => boolean,
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
    (each) => each.restarts > most && restartsOf(each) > most && counts(each) && isJudged(each),
  );
  return pod === undefined ? undefined : restarted(pod, step);
}

/** When it restarted is not known: perhaps in an approval before this step. All counted restarts follow the pod's update. */
function restarted(pod: PodRow, { id }: Step): StepJudgment {
  const message = `pod ${pod.name} restarted after its update, which fails step ${id}${failureNote(pod)}`;
  return { is: 'failed', reason: 'Breach', message };
}

/**
 * Stops the clock of a gate while a wanted pod is not available: without pods on the change, time proves nothing.
 *
 * @param wanted how many pods the plan wants on `to`
 * @param tolerated so many of them may be missing
 */
export function missingPods(
  view: RolloutView,
  accepted: Accepted,
  wanted: number,
  tolerated: number,
): StepJudgment | undefined {
  const { progress, spec } = accepted;
  const there = podsAt(view, spec.to.hash);
  // A pod that was broken before the plan counts as present, whether the update repaired it or not.
  const { wasBroken } = baselineOf(progress);
  const counted = there.filter((pod) => pod.available || wasBroken(pod));
  const missing = wanted - counted.length;
  if (missing <= tolerated && there.some((pod) => pod.available)) return undefined;
  // The progress deadline does not apply to gates: also while all is well, no pod becomes available.
  if (view.replicas === 0) return withoutPods(view);
  const waitingOn = `${Math.max(missing, 1)} of ${Math.max(wanted, 1)} to become available again`;
  return { is: 'underway', waitingOn };
}
