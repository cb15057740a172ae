import { partitionValue } from '../values/int-or-percent.ts';
import { isSameSelector, type LabelSelector } from '../values/selector.ts';
import type { Accepted } from './memory.ts';
import type { RolloutView } from './rollout-view.ts';

type Bounded = Pick<RolloutView, 'liveHash' | 'partition' | 'replicas' | 'retained' | 'selector' | 'stable'>;

/**
 * The selector that holds for units beyond a plan: that of the last one to end, or the one that held before a plan that ended early or
 * goes back. Undefined: none does.
 *
 * Example: a plan from A to B with the selector `track: blue` succeeds: B is stable, and pods of `track: green` stay on A. As long as B
 * is stable, blue holds: a green pod that is created gets A. The next plan, to C and without a selector, is aborted after three pods.
 * B is still stable, so blue still holds.
 */
export function standingSelector(accepted: Accepted | undefined, view: Bounded): LabelSelector | undefined {
  if (accepted === undefined) return undefined;
  const { to } = accepted.spec;
  const { phase, goal, stable } = accepted.progress;
  if (phase === 'Succeeded') return to.hash === view.stable ? to.bound.selector : undefined;
  if (phase === 'Reverted') return goal === view.stable ? selectorAt(accepted, view, goal) : undefined;
  return stable === view.stable ? accepted.progress.standing : undefined;
}

/**
 * The selector that holds where a plan goes back to a revision: the one that held there before, or that git has come back with. Where git
 * has gone back, it may keep that of the plan instead; any other needs a plan of its own.
 *
 * Example, with the plan to C from above. Git goes back to B: that was stable when the plan was accepted, so blue holds again. Git goes
 * back to A, with `track: red`: what held at A is on record nowhere, so the red that git has come back with holds (`goalSelector`).
 */
export function selectorAt(
  { spec, progress }: Accepted,
  { liveHash, selector }: Bounded,
  goal: string,
): LabelSelector | undefined {
  const keepsThat =
    goal === liveHash && selector !== undefined && isSameSelector(selector, spec.to.bound.selector);
  if (keepsThat) return selector;
  return goal === progress.stable ? progress.standing : progress.goalSelector;
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
