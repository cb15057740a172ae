import type { RolloutCommandSpec } from '../../schemas/generated/types/rolloutcommand.ts';
import type { Policy } from '../policy.ts';
import type { Accepted, Progress } from './memory.ts';
import type { PlanObject } from './plan-object.ts';
import type { RolloutContext } from './rollout-context.ts';
import type { RolloutView } from './rollout-view.ts';
import type { Counting } from './step.ts';

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

/** A command of a user. */
export interface Command {
  uid: string;
  name: string;
  createdAt: number;
  spec: RolloutCommandSpec;
  /** The result in its status; undefined: it is not answered yet. */
  result: 'Accepted' | 'Refused' | 'Expired' | undefined;
}

/** What is on record of the units that say nothing about the change for the time being. */
export interface AwayRecord {
  /** When it was recorded last, milliseconds since 1970; undefined: not by this process. */
  recordedAt: number | undefined;
  /** The progress in memory knows more. */
  isAhead: boolean;
  /** So it does of a node that is lost. */
  hasLost?: boolean | undefined;
}

/** The running clocks between two writes of progress. The runtime keeps them in memory, so a crash loses them. */
export interface ProgressClock {
  /** Digest of the plan whose clocks these are. */
  digest: string;
  progress: Progress;
  at: number;
  /** Undefined: the clocks are stopped. */
  counting: Counting | undefined;
  away: AwayRecord;
}
