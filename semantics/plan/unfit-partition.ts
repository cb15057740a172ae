import type { PlanBound, RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { type IntOrPercent, partitionValue } from '../values/int-or-percent.ts';
import { isBySubset } from '../values/partition.ts';
import type { RolloutView } from './rollout-view.ts';
import { statedPartition } from './stated-partition.ts';

/**
 * Why the partition of a plan is not for the units of its target, as a sentence: it has partitions of subsets where units have none, one
 * number where they have some, or more than one for a subset. Undefined: it is.
 *
 * Example: zones a and b. `partition: 2` says of neither how many it keeps, and `partitions` twice for a says it of a in two ways.
 */
export function unfitPartition(
  { to: { bound } }: Pick<RolloutPlanSpec, 'to'>,
  units: RolloutView['units'],
): string | undefined {
  const partition = statedPartition(bound);
  if (!isBySubset(partition)) return partitionOfAll(partition, units);
  const unclear = unclearPartitions(bound);
  if (unclear !== undefined) return unclear;
  if (units.of === 'children' && units.children.every(({ steps }) => steps === 'partly')) return undefined;
  const why = units.of === 'children' ? 'each subset is updated as a whole' : 'its target has no subsets';
  return `the bound has partitions of subsets, and ${why}. Leave them out, and plan again`;
}

/** One number says nothing of a subset, so that nothing would keep pods by it. */
function partitionOfAll(partition: IntOrPercent, units: RolloutView['units']): string | undefined {
  if (units.of !== 'children' || isNone(partition)) return undefined;
  return `the bound has a partition of all pods (${partition}), and its target has subsets. Write partitions of these, and plan again`;
}

function isNone(partition: IntOrPercent): boolean {
  return partitionValue(partition, MANY) === 0;
}

/** Of so many pods, each percentage but 0% is at least one. */
const MANY = 100;

/** Why it is not clear which partition of a subset a plan means; undefined: it is. */
function unclearPartitions({ partition, partitions = [] }: PlanBound): string | undefined {
  if (partition !== undefined)
    return 'the bound has partition and partitions. Leave one of them out, and plan again';
  const names = partitions.map(({ subset }) => subset);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return undefined;
  return `the bound has more than one partition of ${repeated}. Leave one, and plan again`;
}
