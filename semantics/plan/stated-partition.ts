import type { PlanBound } from '../../schemas/generated/types/rolloutplan.ts';
import type { Partition } from '../values/partition.ts';

/** The partition that a plan states: one for all units, or one for each of some subsets. */
export function statedPartition({ partition, partitions }: PlanBound): Partition {
  if (partitions === undefined) return partition ?? 0;
  return Object.fromEntries(partitions.map(({ subset, count }) => [subset, count]));
}
