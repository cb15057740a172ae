import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { partitionValue } from '../values/int-or-percent.ts';
import { allowedPods } from './allowed.ts';
import type { Accepted } from './memory.ts';
import type { PodRow, RolloutView } from './rollout-view.ts';
import { columnOf } from './table.ts';

/**
 * How many pods may be on `to`: the last update step at or before `step`, over the frozen number of replicas. All of them
 * is all of them, whatever an autoscaler says meanwhile: pods it adds would stay behind for ever. What has been halted
 * stays frozen there too.
 */
export function allowedAt(view: RolloutView, accepted: Accepted, step: number): number {
  const { frozenN, phase } = accepted.progress;
  const update = accepted.spec.steps.slice(0, step + 1).findLast((s) => s.update)?.update;
  if (update === undefined) return 0;
  const all = update.to === '100%' && columnOf(phase) === 'active';
  return allowedPods(update, all ? Math.max(view.replicas, frozenN) : frozenN);
}

/** How many pods the plan itself wants on `to` after `step`: what the step allows, under the bound in `to`. */
export function wantedAt(view: RolloutView, accepted: Accepted, step: number): number {
  const bound = partitionValue(accepted.spec.to.bound.partition ?? 0, view.replicas);
  return Math.max(Math.min(allowedAt(view, accepted, step), view.replicas - bound), 0);
}

/** Of each view several rules ask for the same pods. */
const known = new WeakMap<readonly PodRow[], Map<string, readonly PodRow[]>>();

/** The pods on the revision with this hash. */
export function podsAt({ pods }: Pick<RolloutView, 'pods'>, hash: string): readonly PodRow[] {
  let byHash = known.get(pods);
  if (byHash === undefined) known.set(pods, (byHash = new Map()));
  let found = byHash.get(hash);
  if (found === undefined) byHash.set(hash, (found = pods.filter((pod) => pod.hash === hash)));
  return found;
}

/** Nothing is left to do: the target is complete on `to`, and no pod is elsewhere. */
export function isComplete(view: RolloutView, spec: RolloutPlanSpec): boolean {
  return view.stable === spec.to.hash && view.pods.every((pod) => pod.hash === spec.to.hash);
}
