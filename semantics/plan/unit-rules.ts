import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { AdvanceInput } from './advance-input.ts';
import type { EnvelopeInput } from './envelope-input.ts';
import type { Envelope } from './envelope.ts';
import type { Accepted, Progress } from './memory.ts';
import type { RolloutContext } from './rollout-context.ts';
import type { RolloutView } from './rollout-view.ts';
import type { StepJudgment } from './step.ts';
import type { Units } from './units.ts';

/** What a step records of the units when it starts. */
export type StepStart = Pick<
  Progress,
  'frozenN' | 'missed' | 'outside' | 'joinedUntil' | 'labeled' | 'beyond' | 'away'
>;

/**
 * How a plan bounds one sort of unit, as pure functions. `rulesOf` (rules-of.ts) finds those of a target and its plan; all else of
 * a plan (acceptance, gates, clocks, commands) is the same for every sort.
 */
export interface UnitRules<Sort extends Units = Units> {
  /**
   * Units are on revisions, one of which is stable: a plan starts from some, new units get one, and there is something to go back
   * to. A run has none of this.
   */
  readonly hasStable: boolean;
  /** How many units may be on `to` after a step, by its index. */
  allowed(view: RolloutView<Sort>, accepted: Accepted, step: number): number;
  /** Whether a step is of no unit: unless it is the last one it is done at once, and so are the gates after it. */
  isEmpty(view: RolloutView<Sort>, accepted: Accepted, step: number): boolean;
  /** How many units the plan wants on `to` after a step, as the plan's own bound leaves them. */
  wanted(view: RolloutView<Sort>, accepted: Accepted, step: number): number;
  /** Judges the step in progress, which changes units. */
  judge(
    view: RolloutView<Sort>,
    accepted: Accepted,
    step: Step,
    context: Pick<RolloutContext, 'refusals'>,
    now: number,
  ): StepJudgment;
  /** The failure of a gate by what has become of units on `to`; undefined: none has become worse. */
  breach(view: RolloutView<Sort>, accepted: Accepted, step: Step): StepJudgment | undefined;
  /** Why the clock of a gate stands: units are missing, without which time proves nothing. Undefined: enough are there. */
  missing(view: RolloutView<Sort>, accepted: Accepted): StepJudgment | undefined;
  /** The judgment of any step, with its clocks stopped where something else of the units makes time prove nothing. */
  withClocks(view: RolloutView<Sort>, accepted: Accepted, judged: StepJudgment): StepJudgment;
  /** Whether nothing is left to do for a plan: every unit is on `to`, and the target was complete there. */
  isComplete(view: RolloutView<Sort>, spec: RolloutPlanSpec): boolean;
  /** Whether every unit, at least one, is available on the live revision: without a plan the target is complete there. */
  isWhole(view: RolloutView<Sort>): boolean;
  /** Why a plan of which nothing is left to do has ended, as a clause. */
  alreadyThere(view: RolloutView<Sort>): string;
  /** What a way back waits for, as the end of a sentence; '': it is done. */
  backWaitsFor(view: RolloutView<Sort>, accepted: Accepted): string;
  /** The units that a way back ends without, and that go to its goal later. */
  unreverted(view: RolloutView<Sort>, accepted: Accepted): string[];
  /**
   * What a step records of the units when it starts: the number that its size is of, and which of them say nothing about the change.
   *
   * @param before the progress of the step before it; undefined: it is the first of its plan
   * @param at the plan and the index of the step, where it changes units
   */
  atStart(
    view: RolloutView<Sort>,
    before: Progress | undefined,
    at?: { spec: RolloutPlanSpec; step: number },
  ): StepStart;
  /** The progress with the frozen number of units as it follows the live one; undefined: it stays. */
  follow(
    view: RolloutView<Sort>,
    accepted: Accepted,
    times: Pick<AdvanceInput, 'inSyncSince' | 'now'>,
  ): Progress | undefined;
  /**
   * The progress with the units whose pods say nothing about the change for the time being; undefined: they are the same. It may change in
   * every reconcile, so that it is recorded now and then (`recordAway`).
   */
  followAway(view: RolloutView<Sort>, accepted: Accepted): Progress | undefined;
  /** Whether units are left to change at the present step, for which the limits matter. */
  isMoving(view: RolloutView<Sort>, accepted: Accepted): boolean;
  /** What of the envelope only this sort of unit has. */
  envelope(input: EnvelopeInput<Sort>, envelope: Envelope): Partial<Envelope>;
}
