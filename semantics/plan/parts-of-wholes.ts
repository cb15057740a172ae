import type { PlanBound, RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { type IntOrPercent, partitionValue } from '../values/int-or-percent.ts';
import { isBySubset } from '../values/partition.ts';
import type { PlanObject } from './plan-object.ts';
import type { RolloutView } from './rollout-view.ts';
import { statedPartition } from './stated-partition.ts';

/** A field of a step by which it asks for a part of a subset. */
export type PartField = 'to' | 'window';

/**
 * By which fields a step asks for what a child cannot do that changes as a whole, as its own strategy says: to stop with some of its
 * pods, or to change another number of them at a time. A batch of kruise.yaml has the same fields.
 */
export function partsAskedFor({
  to,
  window = {},
}: Pick<NonNullable<Step['update']>, 'to' | 'window'>): PartField[] {
  return [
    ...(to === '100%' ? [] : (['to'] as const)),
    ...(Object.keys(window).length === 0 ? [] : (['window'] as const)),
  ];
}

/**
 * A plan as it holds for the units of its target. One with a step for a part of the pods is refused where each child changes as a whole:
 * the step would be done without a pod, and the gate after it would be about nothing. So is one with limits that nothing would apply, and
 * one with partitions of subsets where units have none, with one number where they have some, or with more than one for a subset.
 *
 * Example: zones of 1, 2 and 2 pods, each a Deployment. `20%` is refused, and so is `50%` of one zone. `100%` of one zone is not.
 */
export function withoutPartsOfWholes(plan: PlanObject, { units }: Pick<RolloutView, 'units'>): PlanObject {
  if (plan.refused !== undefined) return plan;
  const message = partitionElsewhere(plan.spec, units) ?? partOfWhole(plan.spec, units);
  return message === undefined ? plan : { ...plan, refused: { reason: 'UnsupportedSemantics', message } };
}

function partitionElsewhere(
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

function partOfWhole(
  { steps }: Pick<RolloutPlanSpec, 'steps'>,
  units: RolloutView['units'],
): string | undefined {
  if (units.of !== 'children' || units.children.length === 0) return undefined;
  if (units.children.some((child) => child.steps !== 'whole')) return undefined;
  for (const { id, update } of steps) {
    const [field] = update === undefined ? [] : partsAskedFor(update);
    if (field === 'to')
      return `step ${id} is for a part of the pods (${update?.to}), and each subset is updated as a whole. Write 100% with subsets, and plan again`;
    if (field === 'window')
      return `step ${id} has a window, and each subset is updated as its own strategy says. Leave the window out, and plan again`;
  }
  return undefined;
}
