import type { Accepted } from './memory.ts';
import type { EnvelopeInput } from './rollout-view.ts';
import { columnOf } from './table.ts';

/** The plan that leads to its revision, however far; undefined: it goes back or has succeeded, or something else decides. */
export function planOnward({ accepted, blocked }: EnvelopeInput): Accepted | undefined {
  if (accepted === undefined || blocked?.fact === 'targetUnsupported' || blocked?.fact === 'breakGlass')
    return undefined;
  const column = columnOf(accepted.progress.phase);
  // With a goal it was aborted while it went back.
  const isOnward = column === 'active' || column === 'Halted';
  return isOnward || (column === 'Aborted' && accepted.progress.goal === undefined) ? accepted : undefined;
}
