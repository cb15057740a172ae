import type { Progress } from './memory.ts';
import type { PodRow } from './pod-row.ts';
import type { RolloutView } from './rollout-view.ts';

/** The latest creation time of any pod (`now` if there is none), and the latest in-place update of any pod. */
export function latestChange(
  { pods }: RolloutView,
  now: number,
): Pick<Progress, 'stepSince' | 'updatedSince'> {
  return {
    stepSince: pods.length === 0 ? now : pods.reduce((latest, pod) => Math.max(latest, pod.createdAt), 0),
    updatedSince: pods.reduce((latest, pod) => Math.max(latest, pod.updatedAt), 0),
  };
}

/** Whether a pod was created, or updated in place, after the step started. */
export function isLater(pod: PodRow, { stepSince, updatedSince = 0 }: Progress): boolean {
  return pod.createdAt > stepSince || pod.updatedAt > updatedSince;
}
