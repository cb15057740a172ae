import type { Accepted } from './memory.ts';
import type { Policy } from '../policy.ts';
import type { PlanObject } from './plan-object.ts';
import type { RolloutView } from './rollout-view.ts';
import type { Blocked } from './blocked.ts';
import { columnOf } from './table.ts';
import type { Units } from './units.ts';

/** What an envelope follows from. */
export interface EnvelopeInput<Sort extends Units = Units> {
  view: RolloutView<Sort>;
  accepted: Accepted | undefined;
  blocked: Blocked | undefined;
  /** Why plan objects that are present are not active, by name. */
  pending: ReadonlyMap<string, Blocked>;
  policy: Policy;
  /** The verdict on the live revision, if one applies. */
  verdict: string | undefined;
  plans: readonly PlanObject[];
  now: number;
}

/** The plan that leads to its revision, however far; undefined: it goes back or has succeeded, or something else decides. */
export function planOnward({ accepted, blocked }: EnvelopeInput): Accepted | undefined {
  if (accepted === undefined || blocked?.fact === 'targetUnsupported' || blocked?.fact === 'breakGlass')
    return undefined;
  const column = columnOf(accepted.progress.phase);
  // With a goal it was aborted while it went back.
  const isOnward = column === 'active' || column === 'Halted';
  return isOnward || (column === 'Aborted' && accepted.progress.goal === undefined) ? accepted : undefined;
}
