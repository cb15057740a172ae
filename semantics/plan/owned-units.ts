import { missingPods } from './breach.ts';
import { followReplicas } from './follow-size.ts';
import type { Accepted } from './memory.ts';
import { onRevisions } from './on-revisions.ts';
import { allowedPodsAt, wantedPodsAt } from './revision-sizes.ts';
import type { RolloutView, UnitRules } from './rollout-view.ts';
import type { OwnedUnits } from './units.ts';

/** Pods that the target creates and deletes. */
export const ownedRules: UnitRules<OwnedUnits> = {
  ...onRevisions,
  missing: (view, accepted) =>
    missingPods(view, accepted, wantedPodsAt(view, accepted, accepted.progress.step), 0),
  withClocks: (_view, _accepted, judged) => judged,
  atStart: ({ replicas }) => ({ frozenN: replicas }),
  follow: (view, accepted) => followReplicas(view, accepted, allowedWith(view, accepted)),
};

/** How many pods the present step allows, by the number of pods that its size is of. */
export function allowedWith(view: RolloutView, accepted: Accepted): (frozenN: number) => number {
  const { progress } = accepted;
  return (frozenN) => allowedPodsAt(view, { ...accepted, progress: { ...progress, frozenN } }, progress.step);
}
