import { type GitUnits, wantedReplicas } from './git-units.ts';

/** What the removal of a target does that owns its units, which are pods; undefined: it wants none. */
export function removalOfPods(units: GitUnits): string | undefined {
  const count = wantedReplicas(units) ?? 0;
  if (count === 0) return undefined;
  return count === 1 ? 'its pod is deleted with it' : `its ${count} pods are deleted with it`;
}
