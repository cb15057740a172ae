import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { UpdateSize } from './allowed.ts';
import type { Accepted } from './memory.ts';
import type { RolloutView } from './rollout-view.ts';
import { columnOf } from './table.ts';

/** The size that a step leads to; undefined: it is a gate, or a step that changes no unit. */
export function sizeOf({ update, run }: Step): UpdateSize | undefined {
  return update ?? run;
}

/**
 * The size of the last step at or before this one that changes units; undefined: none does. `isAll`: it is `100%` of an active
 * plan, which also covers units that are added meanwhile, as no later step would.
 */
export function sizeAt(
  { spec, progress }: Accepted,
  step: number,
): { size: UpdateSize; isAll: boolean } | undefined {
  const last = spec.steps.slice(0, step + 1).findLast(sizeOf);
  const size = last && sizeOf(last);
  if (size === undefined) return undefined;
  return { size, isAll: size.to === '100%' && columnOf(progress.phase) === 'active' };
}

/**
 * Whether a step is of no unit, though there are some, as with `atLeast: 0`. Where it started at none, its size is of none until the
 * number follows.
 *
 * @param allowed how many units it allows
 */
export function takesNone(
  { replicas }: Pick<RolloutView, 'replicas'>,
  { progress }: Accepted,
  allowed: number,
): boolean {
  return replicas > 0 && progress.frozenN > 0 && allowed === 0;
}
