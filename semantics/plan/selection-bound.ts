import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { isSameSelection, type PodSelection } from '../values/pod-selection.ts';
import type { Accepted } from './memory.ts';
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

/** Whether the manifest selects the pods that a plan states, where it states any. */
export function isAsStated(
  { units }: Pick<RolloutView, 'units'>,
  { to: { bound } }: Pick<RolloutPlanSpec, 'to'>,
): boolean {
  return (
    units.of !== 'selected' || bound.selection === undefined || isSameSelection(units.live, bound.selection)
  );
}

/**
 * Whether git took back what a plan is for that changes the selection alone: the manifest has the revision of the plan, and the selection
 * that was on record for it when the plan was accepted.
 */
export function isSelectionBack(view: RolloutView, { spec, progress }: Accepted): boolean {
  const { hash, bound } = spec.to;
  if (bound.selection === undefined || spec.irreversible !== undefined || hash !== view.liveHash)
    return false;
  const before = selectionBefore(view, progress, hash);
  return before !== undefined && !isSameSelection(before, bound.selection);
}

/**
 * The selection that was on record for the goal of a way back when its plan was accepted, where git has come back with it. Undefined: git
 * has another one.
 */
export function selectionBefore(
  { units }: Pick<RolloutView, 'units'>,
  { before }: Pick<Accepted['progress'], 'before'>,
  goal: string,
): PodSelection | undefined {
  const selection = before?.stable === goal ? before.selection : undefined;
  if (units.of !== 'selected' || selection === undefined) return undefined;
  return isSameSelection(units.live, selection) ? selection : undefined;
}

/** The same view once this selection is on record. */
export function withRecorded(view: RolloutView, recorded: PodSelection | undefined): RolloutView {
  if (view.units.of !== 'selected' || recorded === undefined) return view;
  return { ...view, units: { ...view.units, recorded } };
}
