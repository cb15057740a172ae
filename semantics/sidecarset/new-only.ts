import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { planOnward } from '../plan/envelope-input.ts';
import {
  awaitedNewPods,
  isForNewPods,
  openedTo,
  opensToNewPods,
  shareOfNewPods,
  updateAt,
} from '../plan/new-pods.ts';
import { judgeNewPods } from './new-pods-step.ts';
import type { Accepted } from '../plan/memory.ts';
import { arePodsAway, isCompleteOn } from '../plan/on-revisions.ts';
import { isForSelectionAlone, opensSelection } from '../plan/selection-bound.ts';
import { followSelected, mostlyMissing, selectedRules } from '../plan/selected-units.ts';
import { columnOf } from '../plan/table.ts';
import type { UnitRules } from '../plan/rollout-view.ts';
import type { SelectedUnits } from '../plan/units.ts';

/**
 * A plan that changes no running pod (`isForNewPods`): its steps say which share of new pods gets the revision. As many may be on
 * it as others create.
 */
const newPodsRules: UnitRules<SelectedUnits> = {
  ...selectedRules,
  allowed: () => Infinity,
  isEmpty: () => false,
  wanted: (_, accepted, step) => wantedNewPods(accepted, step),
  judge: (view, accepted, step, _context, now) =>
    !opensToNewPods(view, accepted.spec) && isForSelectionAlone(view, accepted.spec)
      ? { is: 'done' }
      : judgeNewPods(view, accepted, step, now),
  missing: (view, accepted) => mostlyMissing(view, accepted, wantedNewPods(accepted, accepted.progress.step)),
  isComplete: (view, spec) =>
    !opensToNewPods(view, spec) && !opensSelection(view, spec) && isCompleteOn(view, spec),
  follow: (view, accepted, times) => followSelected(view, accepted, () => Infinity, times),
  isMoving: (view, accepted) =>
    columnOf(accepted.progress.phase) === 'Reverting' && arePodsAway(view, accepted),
  envelope(input) {
    const accepted = planOnward(input);
    if (accepted === undefined) return {};
    const update = openedTo(input.view, accepted, input.blocked);
    return {
      moving: false,
      ...(update !== undefined && { newPods: shareOfNewPods(update) }),
      reason: `step ${accepted.spec.steps[accepted.progress.step]?.id ?? ''} allows new pods only`,
    };
  },
};

/** The rules of a plan: one that changes no running pod has some of its own. */
export function rulesOfSelected(spec?: Pick<RolloutPlanSpec, 'from'>): UnitRules<SelectedUnits> {
  return spec !== undefined && isForNewPods(spec) ? newPodsRules : selectedRules;
}

function wantedNewPods({ spec }: Accepted, step: number): number {
  const update = updateAt(spec.steps.slice(0, step + 1));
  return update === undefined ? 0 : awaitedNewPods(update);
}
