import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { childRules } from './child-units.ts';
import { isForNewPods } from './new-pods.ts';
import { newPodsRules } from './new-only.ts';
import { nodeRules } from './node-units.ts';
import { tickRules } from './on-ticks.ts';
import { ownedRules } from './owned-units.ts';
import type { RolloutView } from './rollout-view.ts';
import { runRules } from './run-once.ts';
import { selectedRules } from './selected-units.ts';
import type { UnitRules } from './unit-rules.ts';
import type { Units } from './units.ts';

/** The rules of each sort of unit. */
const RULES: { [Of in Units['of']]: UnitRules<Extract<Units, { of: Of }>> } = {
  owned: ownedRules,
  nodes: nodeRules,
  selected: selectedRules,
  run: runRules,
  ticks: tickRules,
  children: childRules,
};

/**
 * The rules that hold for a target under a plan. A view has the sort of units that its rules are for.
 *
 * @param spec of the plan. Omitted: what is asked is the same for every plan
 */
export function rulesOf(
  { units }: Pick<RolloutView, 'units'>,
  spec?: Pick<RolloutPlanSpec, 'from'>,
): UnitRules {
  if (units.of === 'selected' && spec !== undefined && isForNewPods(spec)) return newPodsRules;
  return RULES[units.of];
}
