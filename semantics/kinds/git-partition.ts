import { partitionValue, scaleIntOrPercent } from '../values/int-or-percent.ts';
import { isBySubset, type PartitionBySubset, retainedInSubset } from '../values/partition.ts';
import { type GitUnits, subsetsAt, subsetsOf, updatesOf } from './git-units.ts';

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

function retainedInSubsets(units: GitUnits, count: number, partition: PartitionBySubset): number {
  const subsets = subsetsAt(units, count) ?? subsetsOf(units) ?? [];
  return subsets.reduce((sum, { name, n }) => sum + retainedInSubset(partition, name, n), 0);
}
