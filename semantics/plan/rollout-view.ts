import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { RolloutCommandSpec } from '../../schemas/generated/types/rolloutcommand.ts';
import type { PodLocation } from '../pod/location.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import type { Mode } from '../template/mode.ts';
import type { CreationBackoff } from './creation-backoff.ts';
import type { Accepted, Progress } from './memory.ts';
import type { Policy } from './policy.ts';

/** A target as the plan's rules see it, the same for every kind: each kind makes one from its own view. */
export interface RolloutView {
  kind: string;
  name: string;
  namespace: string;
  deleting: boolean;
  /** The target's own `paused`. */
  paused: boolean;
  /** No pod is taken, going forward or back: whoever deletes one lets it be made where the target is going. */
  onDelete: boolean;
  replicas: number;
  /** Hash of the template in the target's spec. */
  liveHash: string;
  /** The target's own partition. */
  partition: IntOrPercent;
  stable: string;
  retained: { hash: string; n: number } | undefined;
  /** Hashes this target was once complete on. */
  complete: ReadonlySet<string>;
  /** Pods that count, one row each. */
  pods: PodRow[];
  /** How disruptive taking a pod from one revision to another is; undefined when the old revision is not known. */
  modeTo(from: string, to: string): Mode | undefined;
  /** What people call the revision of a hash: its object's name, or the hash where there is none. */
  nameOf(hash: string): string;
  /** When the live template was first seen here, milliseconds since 1970. */
  liveSince: number;
  progressDeadlineSeconds: number | undefined;
  minReadySeconds: number;
  /** Whoever deletes a pod of it deletes its volume claims. */
  claimsDeletedWithPods: boolean;
  /** Fields of the target that the rules do not execute; such a target is not touched. */
  unsupported: string[];
  /** What is wrong with the target, as sentences; such a target is not touched. */
  invalid: string[];
}

export interface PodRow extends PodLocation {
  uid: string;
  /**
   * What stays when one pod takes the place of another: the ordinal or the node, where the kind has such; else the uid. What
   * was broken before a plan is remembered by it.
   */
  unit: string;
  name: string;
  /** Undefined: on a revision without an object. */
  hash: string | undefined;
  available: boolean;
  /** Restarts that no update explains. */
  restarts: number;
  /** The last of these restarts came after the pod had been available. */
  restartedWhenAvailable?: boolean;
  createdAt: number;
  /** When it was last updated in place; 0: never. By the clock of the runtime, as `createdAt` is by the server's. */
  updatedAt: number;
  /** Its traffic was taken away for an update that is not complete: it is not broken, it is being changed. */
  beingUpdated?: boolean;
  /** What keeps its update from ever being ended, a clause; undefined: nothing does. */
  stuck?: string | undefined;
}

/** A node as the checks see it. */
export interface NodeRow {
  /** Status of each of its conditions, by type. */
  conditions: Readonly<Record<string, string>>;
}

/** A plan object as found in the cluster, with what its verification said. */
export interface PlanObject {
  name: string;
  uid: string;
  spec: RolloutPlanSpec;
  /** Since when the object has been seen with this spec, milliseconds since 1970. */
  since: number;
  /** Its status says of this very spec that it is Stale. */
  wasStale: boolean;
  /** Undefined: well formed, digest right, executable. */
  refused: { reason: 'Unverified' | 'UnsupportedSemantics'; message: string } | undefined;
}

/** A named check of the runtime's configuration that a step in progress needs an answer of. */
export interface CheckRequest {
  digest: string;
  step: string;
  use: string;
  args: Readonly<Record<string, string>>;
  namespace: string;
}

/** What a named check last said; `unknown`: no answer, or not yet one that counts. */
export interface CheckResult {
  digest: string;
  step: string;
  /** When it was answered, milliseconds since 1970. */
  at: number;
  is: 'pass' | 'fail' | 'unknown';
  value?: number;
  message: string;
}

/** What a person said, in the order it was said. */
export interface Command {
  uid: string;
  name: string;
  createdAt: number;
  spec: RolloutCommandSpec;
  /** What was answered; undefined = nothing yet. */
  result: 'Accepted' | 'Refused' | 'Expired' | undefined;
}

/**
 * What a clock counts: `step` the time of the step; `passing` also the time in which its check passes; `capacity` only
 * the time spent waiting for room in the cluster.
 */
export type Counting = 'step' | 'passing' | 'capacity';

/** The running clocks between two writes of progress: held by the runtime, lost at a crash, never more than that. */
export interface ProgressClock {
  /** Of the plan whose clocks these are. */
  digest: string;
  progress: Progress;
  at: number;
  /** Undefined: the clocks stand. */
  counting: Counting | undefined;
}

/** What a server said that would not make, change or delete a pod. */
export interface RefusedPod {
  /** `NoCapacity`: a quota is used up, which passes; any other: it stays so until somebody changes something. */
  reason: 'NoCapacity' | 'FailedCreate' | 'FailedUpdate' | 'FailedDelete';
  /** The server's own sentence. */
  message: string;
  /** It is a claim of a pod that is refused; default: a pod. */
  claim?: true;
  /** The revision label of a pod that was to be made; undefined: the pod is there. */
  revision: string | undefined;
}

/** What lies around a target and is not seen on it. */
export interface RolloutContext {
  /** Nodes by name; only where a check asks for them. */
  nodes: { get(name: string): NodeRow | undefined };
  /** The last answer of the named check that a step waits for. */
  check: CheckResult | undefined;
  /** The last pod that the server refused to make because a quota is used up: what it said, and the pod's revision label. */
  quota: { message: string; revision: string | undefined } | undefined;
  /** A pod that the server refused to make, change or delete, for whatever reason, while that is wanted. */
  refused: RefusedPod | undefined;
  /** What was lost just after it was made, again and again; undefined: nothing. */
  creationBackoff: CreationBackoff | undefined;
  /** Why no further plan may begin now; undefined: there is a free slot. */
  queued: string | undefined;
  /** What a plan waits for before it may begin: the plans of other targets. Undefined: nothing. */
  predecessor(plan: PlanObject): string | undefined;
}

/** A target that nothing else has a say in. */
export const emptyContext: RolloutContext = {
  nodes: new Map(),
  check: undefined,
  quota: undefined,
  refused: undefined,
  creationBackoff: undefined,
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
  /** Since when everything the view is made of has been watched without a gap, milliseconds since 1970. */
  inSyncSince: number;
  policy: Policy;
  /** Why a BreakGlass that was created at this time is refused here, with what to do; left out: it is obeyed. */
  breakGlassRefusal?: ((createdAt: number) => string | undefined) | undefined;
  context: RolloutContext;
  now: number;
}
