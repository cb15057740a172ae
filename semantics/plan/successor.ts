import type { Progress } from './memory.ts';
import type { PodRow, RolloutView } from './rollout-view.ts';

/** The latest that any pod was made, without pods now, and the latest that any was updated in place. */
export function latestChange(
  { pods }: RolloutView,
  now: number,
): Pick<Progress, 'stepSince' | 'updatedSince'> {
  return {
    stepSince: pods.length === 0 ? now : pods.reduce((latest, pod) => Math.max(latest, pod.createdAt), 0),
    updatedSince: pods.reduce((latest, pod) => Math.max(latest, pod.updatedAt), 0),
  };
}

/** Made, or brought to where it is, after the step began. */
export function isLater(pod: PodRow, { stepSince, updatedSince = 0 }: Progress): boolean {
  return pod.createdAt > stepSince || pod.updatedAt > updatedSince;
}
