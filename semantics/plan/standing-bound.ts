import { partitionValue } from '../values/int-or-percent.ts';
import { isSameSelector, type LabelSelector } from '../values/selector.ts';
import type { Accepted } from './memory.ts';
import type { RolloutView } from './rollout-view.ts';

type Bounded = Pick<RolloutView, 'partition' | 'replicas' | 'retained' | 'selector' | 'stable'>;

/** The selector of a plan that has ended, while it holds: after the way back only where the manifest has the same one. */
export function standingSelector(accepted: Accepted | undefined, view: Bounded): LabelSelector | undefined {
  if (accepted === undefined) return undefined;
  const { to } = accepted.spec;
  const { phase, goal } = accepted.progress;
  const { selector } = to.bound;
  if (phase === 'Succeeded') return to.hash === view.stable ? selector : undefined;
  const isBack = phase === 'Reverted' && goal === view.stable;
  return isBack && isSameSelector(view.selector, selector) ? selector : undefined;
}

/** Whether the manifest lets units go that its last plan has left where they are: a plan for them may be on its way. */
export function isLoosened(accepted: Accepted | undefined, view: Bounded): boolean {
  const selector = standingSelector(accepted, view);
  return selector === undefined ? isPartitionLowered(view) : !isSameSelector(view.selector, selector);
}

/** Whether the partition of the manifest retains fewer units than are recorded as retained. */
export function isPartitionLowered({ partition, replicas, retained }: Bounded): boolean {
  return retained !== undefined && partitionValue(partition, replicas) < retained.n;
}
