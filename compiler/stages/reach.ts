import type { KruiseConfig } from '../../schemas/generated/types/config.ts';
import type { GitPods } from '../load/git-pods.ts';
import type { Change } from '../plan/change.ts';
import type { Target } from '../plan/target.ts';
import { podSelection, reachOf } from '../reach/reach.ts';

/**
 * Writes into each change of a target that selects pods of other owners which ones those are, and how many pods its forecast is
 * for: as kruise.yaml says, or as the manifests show. Comes after the plans, so that no plan hangs on a number of pods.
 *
 * @param readPods the pods at head; undefined: they are not known
 */
export function addReach(
  changes: readonly Change[],
  assume: KruiseConfig['assume'],
  readPods: () => GitPods | undefined,
): void {
  for (const change of changes) {
    const selection = change.head && podSelection(change.head.manifest);
    if (selection === undefined) continue;
    const git = readPods();
    if (git !== undefined) change.reach = reachOf(selection, git);
    const found = change.reach?.pods === 0 ? undefined : change.reach?.pods;
    assumeUnits(change, assume?.pods ?? found);
  }
}

/** Lets a forecast be for this number of pods of other owners; undefined: for an example. */
export function assumeUnits(change: Change, count: number | undefined): void {
  if (count === undefined || change.type.git.selectsPods !== true) return;
  const withCount = (target: Target): Target => ({
    ...target,
    normal: { ...target.normal, replicas: count },
  });
  change.assumedUnits = count;
  change.base = change.base && withCount(change.base);
  change.head = change.head && withCount(change.head);
}
