import type { Accepted } from './memory.ts';
import type { PodRow } from './pod-row.ts';
import type { RolloutView } from './rollout-view.ts';
import { growthOf } from './units.ts';

/** Cached by list of pods: several rules need the same pods of a view. */
const known = new WeakMap<readonly PodRow[], Map<string, readonly PodRow[]>>();

/** The pods on the revision with this hash. A pod of the live revision whose claims have yet to grow is not there yet. */
export function podsAt(
  view: Pick<RolloutView, 'pods' | 'liveHash' | 'units'>,
  hash: string,
): readonly PodRow[] {
  const { pods, liveHash } = view;
  let byHash = known.get(pods);
  if (byHash === undefined) known.set(pods, (byHash = new Map()));
  let found = byHash.get(hash);
  if (found === undefined) {
    const pending = hash === liveHash ? growthOf(view)?.pending : undefined;
    found = pods.filter((pod) => pod.hash === hash && pending?.has(pod.unit) !== true);
    byHash.set(hash, found);
  }
  return found;
}

/**
 * How many pods may be on `to` in a rollout that is stopped. It never updates further pods: replacements never raise the number above
 * what was available or already exists.
 */
export function frozenAt(view: RolloutView, { spec, progress }: Accepted): number {
  return Math.max(progress.best, podsAt(view, spec.to.hash).length);
}
