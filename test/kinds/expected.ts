import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PlannedName, StandingName } from './names.ts';

/** The parts of a target that a case sets: in place of those of a target that is complete. */
export interface Parts {
  spec?: JsonObject;
  status?: JsonObject;
}

/** What `kruise status` shows of a target without a plan. */
export interface Shown {
  verdict: 'done' | 'underway' | 'failed';
  /** The columns UPDATED and READY. */
  columns: readonly [updated: string, ready: string];
  counts: string;
  /** Empty: it waits for nothing. */
  waitingOn: string;
  message: string;
}

/** A refusal of the server that a runtime reports, and the next process after it. */
export interface Refused {
  /** What the user creates, in order; the last one is the target. */
  objects: readonly { plural: string; object: KubeObject }[];
  /** Changes the target so that a refused write is due. Omitted: it is from the start. */
  change?: JsonObject;
  /** The refused writes. */
  of: { verb: 'create' | 'patch'; plural: string };
  /** The conditions that report it. */
  conditions: readonly string[];
}

/** What is expected of any kind by code that knows no kind, from the documented rules of the kind. */
export interface ExpectedOfAny {
  /** A target at generation 2 that is complete, with these parts in place of its own. */
  target(parts?: Parts): KubeObject;
  /** By what the target is like. */
  shown: Readonly<Record<string, Parts & Shown>>;
  /** Conditions about failures, and the reason that status shows for each. */
  failures: readonly { condition: JsonObject; parts: Parts; waitingOn: string }[];
  /** Statuses that show no runtime has processed the present spec. */
  unobserved: readonly JsonObject[];
  /** The differences that shadow reports between a status of another controller and the expected one. */
  shadow: readonly { theirs: JsonObject; ours: JsonObject; differences: readonly string[] }[];
  refused: Readonly<Record<string, Refused>>;
}

/** The same of a kind with plans. */
export interface Expected extends ExpectedOfAny {
  /** What its own strategy does at once, by what the target is like. */
  breakGlass: Readonly<Record<string, Parts & { now: string }>>;
}

/** The registered kinds with plans, and those of the tests. A kind without an entry does not compile. */
export type KindName = PlannedName | 'Rack' | 'Aisle';

/** The registered kinds whose targets are reconciled at once. */
export type StandingKindName = StandingName;
