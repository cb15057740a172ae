import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { formatDuration } from '../values/duration.ts';
import { baselineOf } from './baseline.ts';
import { restartedInUpdate } from './gates.ts';
import type { Accepted } from './memory.ts';
import { awaitedNewPods } from './new-pods.ts';
import { problemNote } from './problem.ts';
import type { RolloutView } from './rollout-view.ts';
import { podsAt } from './sizes.ts';
import { inProgress, type StepJudgment, timedOut } from './step.ts';
import { progressDeadlineMs } from './update-step.ts';

/**
 * Judges an update step of a plan that changes no running pod. It is done when enough new pods are available. It fails with a
 * new pod that restarts, or that does not become available. There is no deadline but the `timeout` of the step: the next pod
 * may be created in a month.
 */
export function judgeNewPods(view: RolloutView, accepted: Accepted, step: Step, now: number): StepJudgment {
  const { spec, progress } = accepted;
  const { wasBroken, isExcused } = baselineOf(progress);
  const pods = podsAt(view, spec.to.hash);
  const waiting = pods.filter((pod) => !pod.available && !wasBroken(pod) && !isExcused(pod));
  const available = pods.filter((pod) => pod.available).length;
  const wanted = step.update === undefined ? 0 : awaitedNewPods(step.update);
  const restarted = restartedInUpdate(view, accepted, step);
  if (restarted !== undefined) return restarted;
  const deadlineMs = progressDeadlineMs(view);
  const late = waiting.find(({ createdAt }) => now - createdAt >= deadlineMs);
  if (late !== undefined) {
    const message = `${step.id}: the new pod ${late.name} was not available ${formatDuration(deadlineMs)} after its creation${problemNote(late)}`;
    return { is: 'failed', reason: 'Timeout', message };
  }
  if (available >= wanted && waiting.length === 0) return { is: 'done' };
  const waitingOn = `new pods: ${available} of ${Math.max(wanted, pods.length)} are available`;
  return timedOut(step, progress) ?? inProgress(waitingOn, step, progress, now);
}
