import { compareCodePoints } from './canonical-json.ts';
import type { IntOrPercent } from './int-or-percent.ts';

/** How many units stay on the old revision: of all units, or of each subset. */
export type Partition = IntOrPercent | PartitionBySubset;

/** By the name of a subset. One that is not named retains none. */
export type PartitionBySubset = Readonly<Record<string, number>>;

export function isBySubset(partition: Partition): partition is PartitionBySubset {
  return typeof partition === 'object';
}

/** How many units of a subset stay on the old revision, at most all of it. One number for all units says nothing of a subset. */
export function retainedInSubset(partition: Partition, subset: string, size: number): number {
  if (!isBySubset(partition) || !Object.hasOwn(partition, subset)) return 0;
  return Math.max(Math.min(partition[subset] ?? 0, size), 0);
}

/** As people write it: `2`, `50%`, `zone-a 2, zone-b 1` by name; `0` where no subset retains any. */
export function partitionText(partition: Partition): string {
  if (!isBySubset(partition)) return String(partition);
  const named = Object.entries(partition)
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => compareCodePoints(a, b));
  return named.length === 0 ? '0' : named.map(([subset, count]) => `${subset} ${count}`).join(', ');
}
