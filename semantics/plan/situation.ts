import type { Accepted } from './memory.ts';
import type { RolloutContext } from './rollout-context.ts';
import type { Command } from './advance-input.ts';
import type { PlanObject } from './plan-object.ts';
import type { RolloutView } from './rollout-view.ts';
import type { StepJudgment } from './step.ts';
import type { FactName, Outcome } from './table.ts';

/** Everything that a fact is judged from. */
export interface Situation {
  view: RolloutView;
  plans: readonly PlanObject[];
  /** Those that are not answered yet, oldest first. */
  commands: readonly Command[];
  /** The BreakGlass command in effect. */
  breakGlass: Command | undefined;
  /** Why a BreakGlass command that was created at this time is refused; undefined: it is allowed. */
  breakGlassRefusal: (createdAt: number) => string | undefined;
  memory: readonly Accepted[];
  context: RolloutContext;
  /** The active plan, with its clocks up to now; undefined: there is none, or a plan object is judged for acceptance. */
  accepted: Accepted | undefined;
  /** The active plan while a plan object is judged as if there were none. */
  before?: Accepted | undefined;
  now: number;
}

/** A fact that applies: a message for users, and what it is about. */
export interface FactDetails {
  message: string;
  plan?: PlanObject;
  /** Plans it is about, where there are several. */
  plans?: readonly PlanObject[];
  command?: Command;
  step?: StepJudgment;
  /** The reason, where that of the row would be wrong. */
  reason?: string;
  /** The revision to go back to, or that becomes stable. */
  goal?: string;
  /** It stops the clocks, but not the update of pods. */
  allowsUpdates?: boolean;
}

/** The fact that decides, and its outcome. */
export interface JudgedFact {
  fact: FactName;
  outcome: Outcome;
  found: FactDetails;
  /** The waiting plan object, where that was judged by itself. */
  object?: PlanObject;
}
