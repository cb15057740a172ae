import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { isSameSelection } from '../values/pod-selection.ts';
import { podsAt } from './pods-at.ts';
import type { RolloutView } from './rollout-view.ts';

/** Whether a plan lets other pods get the stable revision than are on record. */
export function opensSelection(
  { units, stable }: Pick<RolloutView, 'units' | 'stable'>,
  { to: { hash, bound } }: Pick<RolloutPlanSpec, 'to'>,
): boolean {
  if (units.of !== 'selected' || bound.selection === undefined || hash !== stable) return false;
  return units.recorded === undefined || !isSameSelection(units.recorded, bound.selection);
}

/**
 * Whether a plan lets pods in that neither the record nor the plan that it continues does: what was approved for fewer is not approved
 * for these.
 *
 * @param before the plan that it continues; undefined: that one has ended, and the record has what it stated
 */
export function opensFurther(
  { units }: Pick<RolloutView, 'units'>,
  { to: { bound } }: Pick<RolloutPlanSpec, 'to'>,
  before: Pick<RolloutPlanSpec, 'to'> | undefined,
): boolean {
  const { selection } = bound;
  if (units.of !== 'selected' || selection === undefined) return false;
  return [units.recorded, before?.to.bound.selection].every(
    (known) => known === undefined || !isSameSelection(known, selection),
  );
}

/** Whether that is all that is left: no pod is on another revision, so that no step has a pod to wait for. Its gates hold. */
export function isForSelectionAlone(view: RolloutView, spec: RolloutPlanSpec): boolean {
  return opensSelection(view, spec) && podsAt(view, spec.to.hash).length === view.pods.length;
}
