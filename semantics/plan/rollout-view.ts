import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { RetainedUnits } from '../revision/revision.ts';
import type { TargetLimits } from '../limits/target-limits.ts';
import type { Mode } from '../template/mode.ts';
import type { Partition } from '../values/partition.ts';
import type { LabelSelector } from '../values/selector.ts';
import type { Policy } from '../policy.ts';
import type { Blocked } from './blocked.ts';
import type { Envelope } from './envelope.ts';
import type { Accepted, Progress } from './memory.ts';
import type { PlanObject } from './plan-object.ts';
import type { PodRow } from './pod-row.ts';
import type { RolloutContext } from './rollout-context.ts';
import type { Share } from './share.ts';
import type { StepJudgment } from './step.ts';
import type { Units } from './units.ts';

/**
 * What the rules of plans read of a target. Each kind makes one from its own view.
 *
 * @typeParam Sort what its units are, where that is known
 */
export interface RolloutView<Sort extends Units = Units> {
  kind: string;
  name: string;
  namespace: string;
  deleting: boolean;
  /** The target's own `paused`. */
  paused: boolean;
  /** The strategy is OnDelete: no pod is updated or reverted. A pod that is deleted is recreated on the new revision. */
  onDelete: boolean;
  replicas: number;
  /** Hash of the template in the target's spec. */
  liveHash: string;
  /** Its own limits of how many units change at once. */
  limits: TargetLimits;
  /** The target's own partition. */
  partition: Partition;
  /** The target's own selector of the units that are updated. Omitted: every unit is. */
  selector?: LabelSelector | undefined;
  stable: string;
  /** The units that bounds have left elsewhere. */
  retained: RetainedUnits | undefined;
  /** Hashes of the revisions that this target was complete on at some time. */
  complete: ReadonlySet<string>;
  /** Pods that count, one row each. */
  pods: PodRow[];
  /** How disruptive the update of a pod from one revision to another is; undefined: the old revision is unknown. */
  modeTo(from: string, to: string): Mode | undefined;
  /** The name of the revision object with this hash, or the hash where there is no object. For messages. */
  nameOf(hash: string): string;
  /** When the live template was first observed, milliseconds since 1970. */
  liveSince: number;
  /** When this process first observed the target's own partition and selector, milliseconds since 1970. Default: 0. */
  boundSince?: number | undefined;
  progressDeadlineSeconds: number | undefined;
  minReadySeconds: number;
  /** Fields of the target that the rules do not execute; such a target is not changed. */
  unsupported: string[];
  /** What is invalid in the target, as sentences; such a target is not changed. */
  invalid: string[];
  origin: Origin;
  units: Sort;
  /**
   * How a plan bounds its units.
   *
   * @param spec of the plan. Omitted: what is asked is the same for every plan
   */
  rules(spec?: Pick<RolloutPlanSpec, 'from'>): UnitRules<Sort>;
}

/** Whether another target has created a target. */
export type Origin =
  /** A user, or whatever applies git. */
  | { by: 'user' }
  /**
   * Another target has, within the plan of that one: no policy asks for a further plan. `plan`: the one that it was created with,
   * which has no object; undefined: only its own strategy applies.
   */
  | { by: 'target'; plan: RolloutPlanSpec | undefined }
  /** Another target has, and gives it a share of its own envelope. `root`: the kind and name of that one, for messages. */
  | { by: 'root'; root: string; share: Share }
  /** It says so, and that is not believed. `why` is a clause; such a target is not changed. */
  | { by: 'unproven'; why: string };

/**
 * Whether the plan of a target takes a queue slot while it moves pods. That of a schedule moves none, and waits for its times;
 * what it creates begins when its time has come, as without a plan.
 */
export function takesSlot({ units, origin }: Pick<RolloutView, 'units' | 'origin'>): boolean {
  return units.of !== 'ticks' && origin.by !== 'target' && origin.by !== 'root';
}

/** What a step records of the units when it starts. */
export type StepStart = Pick<
  Progress,
  'frozenN' | 'missed' | 'outside' | 'joinedUntil' | 'labeled' | 'beyond' | 'parts' | 'away'
>;

/**
 * How a plan bounds one sort of unit, as pure functions. Each kind says which hold for its targets (`RolloutView.rules`); all else of
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
  /** Whether a unit, by its name, holds no step up for the time being: it is lost, or new. */
  isLeftOut(view: RolloutView<Sort>, progress: Progress): (unit: string) => boolean;
  /** Whether a pod says something about the change: steps and gates judge no others. */
  isJudged(view: RolloutView<Sort>, accepted: Pick<Accepted, 'spec' | 'progress'>): (pod: PodRow) => boolean;
  /**
   * What a plan records, when it is accepted, of the units that say nothing about the change for the time being.
   *
   * @param before the plan before it
   * @param record what else the record has
   */
  awayAtFirst(
    view: RolloutView<Sort>,
    before: Accepted | undefined,
    record: Pick<Progress, 'baseline' | 'down'>,
  ): Pick<Progress, 'away'>;
  /** Whether units have been lost since the earlier record, by the later one (`followAway`). */
  hasLost(view: RolloutView<Sort>, before: Progress, next: Progress): boolean;
  /** The progress of a way back that has ended, without the units that have followed it; undefined: it is the same. */
  followBack(view: RolloutView<Sort>, accepted: Accepted): Progress | undefined;
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
    times: { inSyncSince: number; now: number },
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
