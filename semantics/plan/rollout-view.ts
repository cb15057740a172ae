import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { RolloutCommandSpec } from '../../schemas/generated/types/rolloutcommand.ts';
import type { PodSpec } from '../../schemas/pods/pod.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { TargetLimits } from '../limits/target-limits.ts';
import type { Node } from '../node/node.ts';
import type { Pod } from '../pod/types.ts';
import type { PodLocation } from '../pod/location.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import type { LabelSelector } from '../values/selector.ts';
import type { Mode } from '../template/mode.ts';
import type { CreationBackoff } from './creation-backoff.ts';
import type { Accepted, Progress } from './memory.ts';
import type { Policy } from '../policy.ts';

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

/** What the rules of plans read of a target that runs once on each unit, beyond its rows. All of it is of the live run. */
export interface RunView {
  /** The runs on record, by hash: the attempt that is complete; 0: none is. */
  runs: ReadonlyMap<string, number>;
  /** How many units exist, whether it fits there or not. */
  existing: number;
  /** How many units it was started on, whether they still exist or not, and how many of these it has finished on. */
  started: number;
  finished: number;
  /** How many further units it may be started on, whatever a plan says. */
  waiting: number;
  failed: readonly FailedUnit[];
  /** By unit. */
  earlier: readonly EarlierPod[];
  /** It goes on when it has failed on a unit. */
  toleratesFailure: boolean;
  /** It goes on after the plan, on units that join. */
  isEndless: boolean;
  /**
   * The first unit by name that is worse than before its run, and what is worse; undefined: none.
   *
   * @param since units whose state before the run was recorded earlier are not judged, milliseconds since 1970
   * @param tolerated so many restarts of a pod on a unit are no harm
   */
  harm(since: number, tolerated: number): { unit: string; message: string } | undefined;
}

/** A pod of an earlier run that has not ended: it holds its unit, and counts against the parallelism. */
export interface EarlierPod {
  unit: string;
  pod: string;
  /** The name or hash of its run; undefined: it is of no run on record. */
  run: string | undefined;
  isLeaving: boolean;
}

/** A unit on which a run has failed. */
export interface FailedUnit {
  unit: string;
  pod: string;
  uid: string;
  /** Why it failed, as a clause. */
  problem: string;
}

export interface PodRow extends PodLocation {
  uid: string;
  /**
   * Identifies the pod and its replacements: the ordinal or the node, where the kind has one; else the uid. The baseline of a
   * plan records broken pods by it.
   */
  unit: string;
  name: string;
  /** What a selector of units reads: the labels of the pod, or of its node. Omitted: the kind has no such selector. */
  labels?: Readonly<Record<string, string>> | undefined;
  /** Undefined: the pod is on a revision that has no object. */
  hash: string | undefined;
  available: boolean;
  /** Restarts of its containers, without those that an in-place update caused. */
  restarts: number;
  /** The last of these restarts came after the pod had been available. */
  restartedWhenAvailable?: boolean;
  createdAt: number;
  /** When it was last updated in place, by the clock of the runtime; 0: never. (`createdAt` is by that of the server.) */
  updatedAt: number;
  /** It is not ready because an update has drained it and is not complete: it does not count as broken. */
  beingUpdated?: boolean;
  /** Only what other updaters have added to it, or change, keeps it from being available: it fails no step. */
  foreignCause?: boolean;
  /** Why its update can never finish, as a clause; undefined: it can. */
  stuck?: string | undefined;
  /** What it waits for at a lifecycle hook, as a clause with the command that ends the wait; undefined: it does not. */
  hook?: string | undefined;
}

/** A pod that waits at a lifecycle hook. */
export interface HookWait {
  pod: string;
  /** What ends the wait, as a clause with the command for it. */
  text: string;
}

/** What the checks read of a node. */
export interface NodeRow {
  /** Status of each of its conditions, by type. */
  conditions: Readonly<Record<string, string>>;
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

/** A named check of the runtime's configuration whose result a step in progress needs. */
export interface CheckRequest {
  digest: string;
  step: string;
  use: string;
  args: Readonly<Record<string, string>>;
  namespace: string;
}

/** The last result of a named check; `unknown`: it has none, or none that counts yet. */
export interface CheckResult {
  digest: string;
  step: string;
  /** When the check ended, milliseconds since 1970. */
  at: number;
  is: 'pass' | 'fail' | 'unknown';
  value?: number;
  message: string;
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

/** A write of a pod that the API server refused. */
export interface RefusedPod {
  /** `NoCapacity`: a quota is used up, which is temporary. Any other: writes fail until a user changes something. */
  reason: 'NoCapacity' | 'FailedCreate' | 'FailedUpdate' | 'FailedDelete';
  /** The server's message. */
  message: string;
  /** What the server refused of a pod, or the kind of a child. Default: the pod itself. */
  part?: string | undefined;
  /** The revision label of a pod to be created; undefined: the pod exists. */
  revision: string | undefined;
}

/** What a rollout needs to know beyond its target. */
export interface RolloutContext {
  /** Nodes by name; empty unless a check needs them. */
  nodes: { get(name: string): NodeRow | undefined };
  /** The last result of the named check that a step waits for. */
  check: CheckResult | undefined;
  /** Refused writes of pods, as long as they are still wanted: the creates, one for each revision, before the first other. */
  refusals: readonly RefusedPod[];
  /** Pods or revisions that were repeatedly lost just after their creation; undefined: none. */
  creationBackoff: CreationBackoff | undefined;
  /** What a pull of images to nodes needs to know. */
  pulls: PullContext;
  /** Why no further plan may start now; undefined: a queue slot is free. */
  queued: string | undefined;
  /** What a plan waits for among the targets that it comes after, as a sentence; undefined: nothing. */
  predecessor(plan: PlanObject): string | undefined;
}

/** Images that are pulled ahead of an update in place, to the nodes of pods that are to be updated. */
export interface PreDownload {
  images: readonly string[];
  /** On how many nodes a pull may be in progress. */
  parallelism: number;
  /** Milliseconds that one attempt may take. */
  attemptMs: number;
  /** It begins once so many updated pods are ready. */
  minUpdatedReady: number;
}

/** What a pull of images to nodes needs to know. */
export interface PullContext {
  /** Every node; its first call starts the list. `pending`: it is not complete; `refused`: the message of the server. */
  nodes(): readonly Node[] | 'pending' | { refused: string };
  /** The pods of the target that only pull images. They are none of its units. */
  pods: readonly Pod[];
  /** The target, which controls these pods; undefined: nothing is pulled, as in a forecast. */
  owner: KubeObject | undefined;
  /** The message with which the server refuses these pods; undefined: it refuses none. */
  refused?: string | undefined;
}

/** The context of a target that depends on nothing else. */
export const emptyContext: RolloutContext = {
  nodes: new Map(),
  check: undefined,
  refusals: [],
  creationBackoff: undefined,
  pulls: { nodes: () => [], pods: [], owner: undefined },
  queued: undefined,
  predecessor: () => undefined,
};

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
