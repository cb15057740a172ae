import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { UpdateSize } from './allowed.ts';
import type { Accepted } from './memory.ts';
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
