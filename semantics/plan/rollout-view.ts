import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { RetainedUnits } from '../revision/revision.ts';
import type { TargetLimits } from '../limits/target-limits.ts';
import type { Mode } from '../template/mode.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import type { LabelSelector } from '../values/selector.ts';
import type { PodRow } from './pod-row.ts';
import type { Share } from './share.ts';
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
  partition: IntOrPercent;
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
