import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { unfitPartition } from './unfit-partition.ts';
import type { PlanObject } from './plan-object.ts';
import type { RolloutView } from './rollout-view.ts';

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
 * one with a partition that is not for these units (unfit-partition.ts).
 *
 * Example: zones of 1, 2 and 2 pods, each a Deployment. `20%` is refused, and so is `50%` of one zone. `100%` of one zone is not.
 */
export function withoutPartsOfWholes(plan: PlanObject, { units }: Pick<RolloutView, 'units'>): PlanObject {
  if (plan.refused !== undefined) return plan;
  const message = unfitPartition(plan.spec, units) ?? partOfWhole(plan.spec, units);
  return message === undefined ? plan : { ...plan, refused: { reason: 'UnsupportedSemantics', message } };
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
