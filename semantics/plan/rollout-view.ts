import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { RolloutCommandSpec } from '../../schemas/generated/types/rolloutcommand.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import type { Mode } from './envelope.ts';
import type { Accepted, Progress } from './memory.ts';

/** A target as the plan's rules see it, the same for every kind: each kind makes one from its own view. */
export interface RolloutView {
  kind: string;
  name: string;
  namespace: string;
  deleting: boolean;
  /** The target's own `paused`. */
  paused: boolean;
  replicas: number;
  /** Hash of the template in the target's spec. */
  liveHash: string;
  /** The target's own partition. */
  partition: IntOrPercent;
  stable: string;
  held: { hash: string; n: number } | undefined;
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
  /** Fields of the target that the rules do not execute; such a target is not touched. */
  unsupported: string[];
}

export interface PodRow {
  uid: string;
  name: string;
  /** Undefined: on a revision that left no object. */
  hash: string | undefined;
  available: boolean;
  /** Restarts that no update explains. */
  restarts: number;
  createdAt: number;
}

/** A plan object as found in the cluster, with what its verification said. */
export interface PlanObject {
  name: string;
  uid: string;
  spec: RolloutPlanSpec;
  /** Undefined: well formed, digest right, executable. */
  refused: { reason: 'Unverified' | 'UnsupportedSemantics'; message: string } | undefined;
}

export interface Command {
  uid: string;
  name: string;
  spec: RolloutCommandSpec;
}

/** The running clocks between two writes of progress: held by the runtime, lost at a crash, never more than that. */
export interface Ticker {
  /** Of the plan whose clocks these are. */
  digest: string;
  progress: Progress;
  at: number;
  running: boolean;
}

export interface AdvanceInput {
  view: RolloutView;
  plans: readonly PlanObject[];
  commands: readonly Command[];
  memory: readonly Accepted[];
  ticker: Ticker | undefined;
  /** Since when everything the view is made of has been watched without a gap, milliseconds since 1970. */
  inSyncSince: number;
  policy: 'Required' | 'Auto';
  now: number;
}
