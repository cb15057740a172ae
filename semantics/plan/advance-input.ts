import type { RolloutCommandSpec } from '../../schemas/generated/types/rolloutcommand.ts';
import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { Policy } from '../policy.ts';
import type { Accepted, Progress } from './memory.ts';
import type { RolloutContext } from './rollout-context.ts';
import type { RolloutView } from './rollout-view.ts';

export interface AdvanceInput {
  view: RolloutView;
  plans: readonly PlanObject[];
  /** Every command about the target, answered or not, oldest first. */
  commands: readonly Command[];
  memory: readonly Accepted[];
  progressClock: ProgressClock | undefined;
  /** Since when the watches behind the view have had no gap, milliseconds since 1970. */
  inSyncSince: number;
  policy: Policy;
  /** Why a BreakGlass command that was created at this time is refused, and what to do; undefined: it is allowed. */
  breakGlassRefusal?: ((createdAt: number) => string | undefined) | undefined;
  context: RolloutContext;
  now: number;
}

/** A plan object as found in the cluster, with the result of its verification. */
export interface PlanObject {
  name: string;
  uid: string;
  spec: RolloutPlanSpec;
  /** Since when the object has been observed with this spec, milliseconds since 1970. */
  since: number;
  /** Its status reports this spec as Stale. */
  wasStale: boolean;
  /** Why it is not executed; undefined: it is well formed, its digest is correct, and this runtime executes it. */
  refused: { reason: 'Unverified' | 'UnsupportedSemantics'; message: string } | undefined;
}

/** A command of a user. */
export interface Command {
  uid: string;
  name: string;
  createdAt: number;
  spec: RolloutCommandSpec;
  /** The result in its status; undefined: it is not answered yet. */
  result: 'Accepted' | 'Refused' | 'Expired' | undefined;
}

/**
 * What a clock counts: `step` the time of the step; `passing` also the time in which its check passes; `capacity` only
 * the time spent waiting for cluster capacity.
 */
export type Counting = 'step' | 'passing' | 'capacity';

/** The running clocks between two writes of progress. The runtime keeps them in memory, so a crash loses them. */
export interface ProgressClock {
  /** Digest of the plan whose clocks these are. */
  digest: string;
  progress: Progress;
  at: number;
  /** Undefined: the clocks are stopped. */
  counting: Counting | undefined;
}
