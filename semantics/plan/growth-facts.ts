import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { Accepted } from './memory.ts';
import type { RolloutView } from './rollout-view.ts';
import type { FactDetails } from './situation.ts';
import { columnOf } from './table.ts';
import { growthOf } from './units.ts';

/** Whether the claims of the manifest grow to the sizes of this plan, or to none of either. */
export function isSameGrowth(view: RolloutView, { to }: Pick<RolloutPlanSpec, 'to'>): boolean {
  return to.claims === growthOf(view)?.hash;
}

/**
 * Why a plan to the template of the manifest is not for its claim templates. An active plan is followed as long as no claim
 * has to grow: claims never shrink.
 */
export function growthElsewhere(
  view: RolloutView,
  spec: RolloutPlanSpec,
  isAccepted: boolean,
): FactDetails | undefined {
  const growth = growthOf(view);
  if (growth === undefined || isSameGrowth(view, spec)) return undefined;
  if (!isAccepted && spec.to.claims !== undefined)
    return { message: 'waits for the manifest: the plan is for other claim templates' };
  if (growth.pending.size === 0) return undefined;
  const help = 'Revert the claim templates, or commit a plan for them';
  return { message: `claims have to grow to sizes that the plan is not for. ${help}` };
}

/**
 * Whether git took back what a plan is for that grows claims and changes no pod: the manifest has other claim templates, and
 * none of them is larger than the claims.
 */
export function hasNoGrowthLeft(view: RolloutView, { spec, progress }: Accepted): boolean {
  const { to } = spec;
  const column = columnOf(progress.phase);
  return (
    (column === 'active' || column === 'Halted') &&
    to.claims !== undefined &&
    !isSameGrowth(view, spec) &&
    (growthOf(view)?.pending.size ?? 0) === 0 &&
    to.hash === view.liveHash &&
    to.hash === progress.before?.stable
  );
}
