import { type GitUnits, ownedPods, type PodTimes } from './git-units.ts';

/** How long its pods take that are updated; undefined: it makes none, nor do its children. */
export function podTimes(units: GitUnits): PodTimes | undefined {
  return units.of === 'subsets' ? units.times : ownedPods(units);
}
