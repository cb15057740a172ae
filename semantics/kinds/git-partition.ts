import { partitionValue, scaleIntOrPercent } from '../values/int-or-percent.ts';
import { isBySubset, type Partition, type PartitionBySubset, retainedInSubset } from '../values/partition.ts';
import { type GitUnits, subsetsAt, subsetsOf, updatesOf } from './git-units.ts';
import type { GitSubset } from './subsets.ts';

/**
 * How many of these units a partition retains on the old revision, as `retainedBy` (semantics/plan/partition.ts) says of those in
 * the cluster.
 *
 * @param partition default: that of the manifest
 */
export function retainedByPartition(
  units: GitUnits,
  count: number,
  partition = updatesOf(units)?.partition ?? 0,
): number {
  if (isBySubset(partition)) return retainedInSubsets(units, count, partition);
  switch (units.of) {
    case 'nodes':
      return Math.max(Math.min(scaleIntOrPercent(partition, count, 'down'), count), 0);
    case 'replicas':
    case 'selected':
    case 'run':
    case 'ticks':
    case 'subsets':
      return partitionValue(partition, count);
  }
}

/**
 * Whether a manifest lets units go that an earlier partition retains. Partitions of subsets are judged for each.
 *
 * Example: zone-a 2 becomes zone-b 2. As many are retained as before, and two units of zone-a may go.
 */
export function loosensPartition(units: GitUnits, count: number, before: Partition): boolean {
  if (retainedByPartition(units, count) < retainedByPartition(units, count, before)) return true;
  const now = updatesOf(units)?.partition ?? 0;
  return subsetsWith(units, count).some(
    ({ name, n }) => retainedInSubset(now, name, n) < retainedInSubset(before, name, n),
  );
}

/** Of two partitions, the lower one of each subset. One number for all units says nothing of a subset. */
export function lowerInEach(one: Partition, other: Partition): Partition {
  if (!isBySubset(one) || !isBySubset(other)) return 0;
  return Object.fromEntries(
    Object.entries(one).map(([name, count]) => [name, retainedInSubset(other, name, count)]),
  );
}

function retainedInSubsets(units: GitUnits, count: number, partition: PartitionBySubset): number {
  return subsetsWith(units, count).reduce(
    (sum, { name, n }) => sum + retainedInSubset(partition, name, n),
    0,
  );
}

function subsetsWith(units: GitUnits, count: number): readonly GitSubset[] {
  return subsetsAt(units, count) ?? subsetsOf(units) ?? [];
}
