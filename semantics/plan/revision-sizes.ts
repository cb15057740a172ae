import { allowedPods } from './allowed.ts';
import type { Accepted } from './memory.ts';
import { retainedBy } from './partition.ts';
import type { RolloutView } from './rollout-view.ts';
import { reachable } from './selector-bound.ts';
import { sizeAt } from './sizes.ts';
import { statedPartition } from './stated-partition.ts';

/**
 * How many pods may be on `to` after a step: the size of the last update step at or before it, of the frozen number of
 * replicas. `100%` of an active plan also covers pods that an autoscaler adds meanwhile, as no later step would update them. A
 * plan that is not active keeps the frozen number.
 *
 * Example: a step `50%` that started at 10 replicas allows 5. An autoscaler makes them 20: it still allows 5. The step `100%`
 * after it started at 20 and allows 20, and 24 once there are 24.
 *
 * The target's own partition is not included: `effectivePartition` (semantics/plan/partition.ts) takes the lower of both.
 */
export function allowedPodsAt(
  { replicas }: Pick<RolloutView, 'replicas'>,
  accepted: Accepted,
  step: number,
): number {
  const found = sizeAt(accepted, step);
  if (found === undefined) return 0;
  const { frozenN } = accepted.progress;
  return allowedPods(found.size, found.isAll ? Math.max(replicas, frozenN) : frozenN);
}

/**
 * How many pods the plan wants on `to` after a step: what the step allows, less what the plan's own bound retains, its
 * `to.bound`. The step waits for another partition or selector if the target's allows less (update-step.ts).
 *
 * Example: 10 pods, `to.bound.partition: 2`, a step `100%`: 10 are allowed, and 8 are wanted.
 */
export function wantedPodsAt(view: RolloutView, accepted: Accepted, step: number): number {
  const { hash, bound } = accepted.spec.to;
  const partition = retainedBy(view, statedPartition(bound));
  const selected = reachable(view, hash, [bound.selector]);
  return Math.max(Math.min(allowedPodsAt(view, accepted, step), view.replicas - partition, selected), 0);
}
