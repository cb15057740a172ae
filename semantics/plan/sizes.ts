import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { partitionValue } from '../values/int-or-percent.ts';
import { allowedPods, type UpdateSize } from './allowed.ts';
import type { Accepted } from './memory.ts';
import type { PodRow } from './pod-row.ts';
import type { RolloutView } from './rollout-view.ts';
import { awaitedNewPods, isForNewPods, opensToNewPods, updateAt } from './new-pods.ts';
import { reachable } from './selector-bound.ts';
import { columnOf } from './table.ts';

/**
 * How many pods may be on `to` after a step: the size of the last update step at or before it, of the frozen number of
 * replicas. `100%` of an active plan also covers pods that an autoscaler adds meanwhile, as no later step would update
 * them, and every node that joins a run. A plan that is not active keeps the frozen number.
 *
 * The target's own partition is not included: `effectivePartition` (partition.ts) takes the lower of both.
 */
export function allowedAt(view: RolloutView, accepted: Accepted, step: number): number {
  if (view.ticks === true) return ticksAt(accepted.spec.steps.slice(0, step + 1));
  // New pods that get the revision are as many as others create.
  if (isForNewPods(accepted.spec)) return Infinity;
  const { frozenN, phase } = accepted.progress;
  const last = accepted.spec.steps.slice(0, step + 1).findLast(sizeOf);
  const size = last && sizeOf(last);
  if (size === undefined) return 0;
  const all = size.to === '100%' && columnOf(phase) === 'active';
  if (view.run !== undefined) {
    // Another attempt runs only what is left, and its percentages are of that.
    const { finishedBefore = 0 } = accepted.progress;
    return all ? Infinity : finishedBefore + allowedPods(size, Math.max(frozenN - finishedBefore, 0));
  }
  return allowedPods(size, all ? Math.max(view.replicas, frozenN) : frozenN);
}

/** The size that a step leads to; undefined: it is a gate, or a step that changes no unit. */
export function sizeOf({ update, run }: Step): UpdateSize | undefined {
  return update ?? run;
}

/**
 * How many pods the plan wants on `to` after a step: what the step allows, less what the plan's own bound retains, its
 * `to.bound`. The step waits for another partition or selector if the target's allows less (update-step.ts).
 */
export function wantedAt(view: RolloutView, accepted: Accepted, step: number): number {
  if (view.ticks === true) return allowedAt(view, accepted, step);
  const update = updateAt(accepted.spec.steps.slice(0, step + 1));
  if (isForNewPods(accepted.spec)) return update === undefined ? 0 : awaitedNewPods(update);
  const { hash, bound } = accepted.spec.to;
  const partition = partitionValue(bound.partition ?? 0, view.replicas);
  const selected = reachable(view, hash, [bound.selector]);
  return Math.max(Math.min(allowedAt(view, accepted, step), view.replicas - partition, selected), 0);
}

/** The number of ticks that these steps lead to. Other percentages than 100 say nothing about them, and add none. */
function ticksAt(steps: readonly Step[]): number {
  let ticks = 0;
  for (const { update } of steps) {
    if (update === undefined) continue;
    if (update.to === '100%') ticks += 1;
    else ticks = Math.max(ticks, typeof update.to === 'number' ? update.to : 0, update.atLeast ?? 0);
  }
  return ticks;
}

/** Cached by list of pods: several rules need the same pods of a view. */
const known = new WeakMap<readonly PodRow[], Map<string, readonly PodRow[]>>();

/** The pods on the revision with this hash. A pod of the live revision whose claims have yet to grow is not there yet. */
export function podsAt(
  { pods, liveHash, growth }: Pick<RolloutView, 'pods' | 'liveHash' | 'growth'>,
  hash: string,
): readonly PodRow[] {
  let byHash = known.get(pods);
  if (byHash === undefined) known.set(pods, (byHash = new Map()));
  let found = byHash.get(hash);
  if (found === undefined) {
    const pending = hash === liveHash ? growth?.pending : undefined;
    found = pods.filter((pod) => pod.hash === hash && pending?.has(pod.unit) !== true);
    byHash.set(hash, found);
  }
  return found;
}

/**
 * Whether nothing is left to do: the target is complete on `to`, no pod is on another revision, no claim has to grow, and new pods
 * get the revision as the bound says.
 */
export function isComplete(view: RolloutView, spec: RolloutPlanSpec): boolean {
  const { to, attempt = 1 } = spec;
  if (opensToNewPods(view, spec)) return false;
  if (view.run !== undefined) return (view.run.runs.get(to.hash) ?? 0) >= attempt;
  return view.stable === to.hash && podsAt(view, to.hash).length === view.pods.length;
}
