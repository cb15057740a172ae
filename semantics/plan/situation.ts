import type { Accepted } from './memory.ts';
import type { RolloutContext, Command, PlanObject, RolloutView } from './rollout-view.ts';
import type { StepJudgement } from './step.ts';
import type { FactName, Outcome } from './table.ts';

/** Everything a fact is judged from. */
export interface Situation {
  view: RolloutView;
  plans: readonly PlanObject[];
  /** Those that nobody has answered yet, oldest first. */
  commands: readonly Command[];
  /** The one that breaks the glass now. */
  breakGlass: Command | undefined;
  /** Why one that was created at this time may not, unless it does already; undefined: it may. */
  breakGlassRefusal: (createdAt: number) => string | undefined;
  memory: readonly Accepted[];
  context: RolloutContext;
  /** The accepted plan in force, with its clocks up to now; undefined while none, or while an object is judged for acceptance. */
  accepted: Accepted | undefined;
  /** The plan in force while an object is judged as if there were none. */
  before?: Accepted | undefined;
  now: number;
}

/** A fact that applies: why, for people, and what it is about. */
export interface FactDetails {
  message: string;
  plan?: PlanObject;
  /** Plans it is about, where there are several. */
  plans?: readonly PlanObject[];
  command?: Command;
  step?: StepJudgement;
  /** A word for it where the row's own would not be true. */
  reason?: string;
  /** The revision to go back to, or that becomes stable. */
  goal?: string;
  /** It stands over the clocks, and pods may be taken all the same. */
  goesOn?: boolean;
}

/** The fact that decides, and what follows from it. */
export interface JudgedFact {
  fact: FactName;
  outcome: Outcome;
  found: FactDetails;
  /** A plan object that waits, where it was judged by itself. */
  object?: PlanObject;
}
