import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { formatDuration } from '../values/duration.ts';
import { baselineOf } from '../plan/baseline.ts';
import { restartedInUpdate } from '../plan/breach.ts';
import type { Accepted } from '../plan/memory.ts';
import { awaitedNewPods, isHeldBySelector, opensToNewPods } from '../plan/new-pods.ts';
import { problemNote } from '../plan/problem.ts';
import type { RolloutView } from '../plan/rollout-view.ts';
import { BY_SELECTOR } from '../plan/selector-bound.ts';
import { podsAt } from '../plan/pods-at.ts';
import { isSameSelector, selectorPredicate } from '../values/selector.ts';
import { atRest, inProgress, type StepJudgment, timedOut } from '../plan/step.ts';
import { progressDeadlineMs } from '../plan/update-step.ts';
import type { SelectedUnits } from '../plan/units.ts';

/**
 * Judges an update step of a plan that changes no running pod. It is done when enough new pods are available. It fails with a
 * new pod that restarts, or that does not become available. There is no deadline but the `timeout` of the step: the next pod
 * may be created in a month.
 */
export function judgeNewPods(
  view: RolloutView<SelectedUnits>,
  accepted: Accepted,
  step: Step,
  now: number,
): StepJudgment {
  const { spec, progress } = accepted;
  const { wasBroken, isExcused } = baselineOf(progress);
  const pods = podsAt(view, spec.to.hash);
  const waiting = pods.filter((pod) => !pod.available && !wasBroken(pod) && !isExcused(pod));
  // Pods that the selector of the plan before has let in prove nothing about those that it has left out.
  const opens = opensToNewPods(view, spec);
  const isWithin = opens ? selectorPredicate(view.units.newPodsWithin) : () => false;
  const counted = pods.filter(({ labels }) => !isWithin(labels));
  const available = counted.filter((pod) => pod.available).length;
  // No share is given under another selector than before: what it selects gets the revision with the last step.
  const isShared = !opens || spec.to.bound.selector === undefined;
  const wanted = step.update === undefined || !isShared ? 0 : awaitedNewPods(step.update);
  const restarted = restartedInUpdate(view, accepted, step, () => true);
  if (restarted !== undefined) return restarted;
  const deadlineMs = progressDeadlineMs(view);
  const late = waiting.find(({ createdAt }) => now - createdAt >= deadlineMs);
  if (late !== undefined) {
    const message = `${step.id}: the new pod ${late.name} was not available ${formatDuration(deadlineMs)} after its creation${problemNote(late)}`;
    return { is: 'failed', reason: 'Timeout', message };
  }
  if (isHeldBySelector(view, spec))
    return { is: 'underway', waitingOn: "the target's own selector", boundedBy: BY_SELECTOR };
  // The revision becomes stable with the plan: before that, it is on record which new pods keep the earlier one, and that no other does.
  if (step.update?.to === '100%' && !isLimitRecorded(view, accepted))
    return inProgress('the record of the new pods that are not selected', step, progress, now);
  if (available >= wanted && waiting.length === 0) return { is: 'done' };
  const waitingOn = `new pods: ${available} of ${Math.max(wanted, counted.length)} are available`;
  const judged = timedOut(step, progress) ?? inProgress(waitingOn, step, progress, now);
  if (judged.is !== 'underway' || judged.failsAt !== undefined || waiting.length > 0) return judged;
  return atRest({ ...judged, lacksPods: true });
}

function isLimitRecorded(
  { stable, units: { newPodsWithin } }: RolloutView<SelectedUnits>,
  { spec: { to } }: Accepted,
): boolean {
  const { selector } = to.bound;
  // Where the revision is stable and nothing is on record, every new pod gets it already.
  const isOver = stable === to.hash && newPodsWithin === undefined;
  return isOver || isSameSelector(newPodsWithin, selector);
}
