import type { PlanObject } from './plan-object.ts';
import type { RolloutView } from './rollout-view.ts';

/**
 * A plan as it holds for the units of its target. One with a step for a part of the pods is refused where each child changes as a whole:
 * the step would be done without a pod, and the gate after it would be about nothing.
 *
 * Example: zones of 1, 2 and 2 pods, each a Deployment. `20%` is refused, and so is `50%` of one zone. `100%` of one zone is not.
 */
export function withoutPartsOfWholes(plan: PlanObject, { units }: Pick<RolloutView, 'units'>): PlanObject {
  if (plan.refused !== undefined || units.of !== 'children' || units.children.length === 0) return plan;
  if (units.children.some(({ steps }) => steps !== 'whole')) return plan;
  const part = plan.spec.steps.find(({ update }) => update !== undefined && update.to !== '100%');
  if (part === undefined) return plan;
  const size = part.update?.to ?? '';
  const message = `step ${part.id} is for a part of the pods (${size}), and each subset is updated as a whole. Write 100% with subsets, and plan again`;
  return { ...plan, refused: { reason: 'UnsupportedSemantics', message } };
}
