import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

/** What code that knows no kind may ask about any target in the cluster, by its spec and status. All functions are pure. */
export interface SharedStatusFacts {
  readonly observed: Observed;
  /** What the schema requires of the status of a target that was never counted. */
  readonly uncounted: Readonly<Record<string, number | string>>;
  /** How far a target is to which no plan applies. */
  outcome(target: KubeObject): Outcome;
  /** The fields by which programs that know no kind judge the same, such as the health checks of GitOps engines. */
  readonly health: HealthFields;
  readonly refusals: ShownRefusals;
  /** What its conditions report as failed, those of `refusals` among it, in the order in which it is shown. */
  problems(target: KubeObject): readonly StatusProblem[];
  /** The fields in which the status of a target at rest equals that of another controller, each as it is printed. */
  compared(status: JsonObject): Readonly<Record<string, number | string>>;
}

/** What may be asked about a target that is reconciled at once. */
export interface StandingStatusFacts extends SharedStatusFacts {
  /** What its status says of its objects, for users: `2 of 3 ConfigMaps`. */
  summary(target: KubeObject): string;
}

/** What may be asked about a target that changes under plans. */
export interface StatusFacts extends SharedStatusFacts {
  counts(target: KubeObject): StatusCounts;
  strategy(target: KubeObject): OwnStrategy;
  /** What the target does at once where only its own strategy applies, as a clause: `3 pods are updated now`. */
  breakGlass(target: KubeObject): string;
  revisions(status: JsonObject): ShownRevisions;
  /** Selects the pods of the target in the API; undefined: it controls none, or its status does not say which. */
  podSelector(target: KubeObject): string | undefined;
}

/** How one knows that a status is about the present spec. `status`: it has no generation, so any status counts. */
export type Observed = { by: 'generation' } | { by: 'status' };

/**
 * Where a status says how far its target is, while no condition holds the target: by numbers, by a word, or nowhere, as there is
 * nothing to wait for once it is observed.
 */
export type HealthFields =
  | { by: 'numbers'; wanted: WantedField; updated: string; available: string }
  | { by: 'phase'; field: string; done: string; failed: string; paused: string }
  /** `list`: what it is about, each with a `part` that has to be `good`. `problem`: why it has ended before that. */
  | {
      by: 'parts';
      field: string;
      done: string;
      list: string;
      part: string;
      good: string;
      problem: string;
    }
  /**
   * Once the numbers in `ended` together reach the one that is `wanted`, all have ended: well, if those that are `good` reach it, too.
   * `since`: a field that is absent as long as nothing was counted.
   */
  | { by: 'results'; wanted: string; ended: readonly string[]; good: string; since: string }
  | { by: 'observation' };

/** The number that the two others have to reach: of the status, or of the spec with its default. */
export type WantedField = { of: 'status'; field: string } | { of: 'spec'; field: string; absent: number };

/** The numbers in a status. */
export type StatusCounts = UnitCounts | RunCounts | TickCounts;

/** Units that are updated. */
export interface UnitCounts {
  of: 'units';
  wanted: number;
  /** How many of them the target's own strategy updates; undefined: the status does not say. */
  due: number | undefined;
  updated: number;
  ready: number;
  available: number;
  updatedAvailable: number;
}

/** Units on which something runs once. */
export interface RunCounts {
  of: 'run';
  /** Undefined: they were never counted. */
  wanted: number | undefined;
  active: number;
  succeeded: number;
  failed: number;
}

/** Times of a schedule, of which there is no number. */
export interface TickCounts {
  of: 'ticks';
  active: number;
  /** RFC 3339; undefined: none is on record. */
  last: string | undefined;
}

export type Outcome = 'done' | 'underway' | 'failed';

/** What the target's own strategy does with units that are not as the manifest wants them. */
export type OwnStrategy =
  | { is: 'active' }
  /** The target's own `paused`. */
  | { is: 'paused' }
  /** It updates none: users do. `type`: its name in the manifest. `namespace`: where their pods are, for a command. */
  | { is: 'byHand'; type: string; namespace: string };

/** What a refused write concerns: creating or deleting pods, or updating them. */
export type Failure = 'scale' | 'update';

/** Where a status reports the writes that the server refuses, beside the condition Held. */
export type ShownRefusals =
  | { in: 'conditions'; types: Readonly<Record<Failure, string>> }
  | { in: 'Held alone' };

/** A reason in CamelCase, and a message for users. */
export interface StatusProblem {
  waitingOn: string;
  message: string;
}

/** Names of the revisions that a status reports, or their hashes alone; undefined: it reports none. */
export interface ShownRevisions {
  update: string | undefined;
  stable: string | undefined;
}
