import type { Accepted } from './memory.ts';
import type { Policy } from '../policy.ts';
import type { PlanObject } from './plan-object.ts';
import type { RolloutView } from './rollout-view.ts';
import type { Blocked } from './blocked.ts';
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
