import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { PodSpec } from '../../schemas/pods/pod.ts';
import type { TargetLimits } from '../limits/target-limits.ts';
import type { Mode } from '../template/mode.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import type { LabelSelector } from '../values/selector.ts';
import type { PodRow } from './pod-row.ts';
import type { HookWait, PreDownload, RunView } from './units.ts';

/** What the rules of plans read of a target. It is the same for every kind; each kind makes one from its own view. */
export interface RolloutView {
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
  /**
   * Of a target whose pods are created by others: the only new pods that get the revision of its last plan; others get an earlier one.
   * Omitted: all get it.
   */
  newPodsWithin?: LabelSelector | undefined;
  stable: string;
  retained: { hash: string; n: number } | undefined;
  /**
   * The revisions of the pods that bounds had left when the target was last complete on a revision. Omitted: those of `retained`, as
   * no bound tells pods apart by their labels.
   */
  leftAt?(hash: string): readonly string[];
  /** Hashes of the revisions that this target was complete on at some time. */
  complete: ReadonlySet<string>;
  /** Pods that count, one row each. */
  pods: PodRow[];
  /**
   * Further pods, that have no way to the live revision and stay as they are while no rollout goes back. `wayTo`: those of them
   * that can go to a revision. Omitted: there are never any.
   */
  outdated?: { count: number; wayTo(hash: string): readonly PodRow[] };
  /**
   * Of a target whose pods are created by others: how many pods have nothing of what it gives to new ones. Undefined: the target
   * creates its pods itself.
   */
  missed?: number;
  /**
   * Its units are times of a schedule, with a row for each that a plan counts. Steps count them, as there is no number of all:
   * `100%` is one more, which makes the revision stable.
   */
  ticks?: true;
  /** How disruptive the update of a pod from one revision to another is; undefined: the old revision is unknown. */
  modeTo(from: string, to: string): Mode | undefined;
  /** The same if the runtime were allowed to resize containers. Omitted: that changes nothing. */
  modeWithResize?: (from: string, to: string) => Mode | undefined;
  /** The name of the revision object with this hash, or the hash where there is no object. For messages. */
  nameOf(hash: string): string;
  /** When the live template was first observed, milliseconds since 1970. */
  liveSince: number;
  /** When this process first observed the target's own partition and selector, milliseconds since 1970. Default: 0. */
  boundSince?: number | undefined;
  progressDeadlineSeconds: number | undefined;
  minReadySeconds: number;
  /** The spec of the pods of the live template; undefined: its plans pull no images. */
  podSpec?: PodSpec;
  /** What the target asks to be pulled ahead of an update without a plan; undefined: nothing. */
  preDownload?: PreDownload | undefined;
  /** The pods that wait at a lifecycle hook, by name. Omitted: the kind has none. */
  hookWaits?: () => readonly HookWait[];
  /**
   * How existing claims grow with their templates; undefined: they do not. `hash`: identifies the sizes that they grow to.
   * `pending`: the units with claims that have not grown to them yet.
   */
  growth?: { hash: string; pending: ReadonlySet<string> } | undefined;
  /** When a pod is deleted, its volume claims are deleted with it. */
  claimsDeletedWithPods: boolean;
  /** Fields of the target that the rules do not execute; such a target is not changed. */
  unsupported: string[];
  /** What is invalid in the target, as sentences; such a target is not changed. */
  invalid: string[];
  /**
   * Why it is not believed that another target has created it, as a clause; such a target is not changed. Undefined: it is, or
   * nothing says so.
   */
  unproven?: string | undefined;
  /**
   * Another target has created it, within the plan of that one: no policy asks for a further plan. `plan`: the one that it was
   * created with, which has no object; undefined: only its own strategy applies.
   */
  created?: { plan: RolloutPlanSpec | undefined };
  /**
   * Why no pod may be updated to a revision now, as a clause: limits of others allow no more unavailable pods. Undefined: they
   * allow it. Only of a kind that updates pods of others.
   *
   * @param selector of the plan: no other pod is updated; undefined: any may be
   */
  limitedBy?(to: string, selector: LabelSelector | undefined): string | undefined;
  /** Of a kind that runs once on each unit; its `pods` have a row for each unit that it was started on. */
  run?: RunView;
}

/**
 * Whether the plan of a target takes a queue slot while it moves pods. That of a schedule moves none, and waits for its times;
 * what it creates begins when its time has come, as without a plan.
 */
export function takesSlot({ ticks, created }: Pick<RolloutView, 'ticks' | 'created'>): boolean {
  return ticks === undefined && created === undefined;
}
