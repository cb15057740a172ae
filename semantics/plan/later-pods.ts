import type { StepStart } from './envelope.ts';
import type { PodRow } from './pod-row.ts';
import type { RolloutView } from './rollout-view.ts';

/** The latest creation time of any pod (`now` if there is none), and the latest in-place update of any pod. */
export function latestChange({ pods }: RolloutView, now: number): StepStart {
  return {
    stepSince: pods.length === 0 ? now : pods.reduce((latest, pod) => Math.max(latest, pod.createdAt), 0),
    updatedSince: pods.reduce((latest, pod) => Math.max(latest, pod.updatedAt), 0),
  };
}

/** Whether a pod was created, or updated in place, after the step started. */
export function isLater(
  { createdAt, updatedAt }: Pick<PodRow, 'createdAt' | 'updatedAt'>,
  { stepSince, updatedSince = 0 }: StepStart,
): boolean {
  return createdAt > stepSince || updatedAt > updatedSince;
}
