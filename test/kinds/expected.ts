import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { kindsByName } from '../../semantics/registry/registered.ts';

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

/** What is expected of a kind by code that knows no kind, from the documented rules of the kind. */
export interface Expected {
  /** A target at generation 2 that is complete, with these parts in place of its own. */
  target(parts?: Parts): KubeObject;
  /** By what the target is like. */
  shown: Readonly<Record<string, Parts & Shown>>;
  /** What its own strategy does at once, by what the target is like. */
  breakGlass: Readonly<Record<string, Parts & { now: string }>>;
  /** Conditions about failures, and the reason that status shows for each. */
  failures: readonly { condition: JsonObject; parts: Parts; waitingOn: string }[];
  /** Statuses that show no runtime has processed the present spec. */
  unobserved: readonly JsonObject[];
  /** The differences that shadow reports between a status of another controller and the expected one. */
  shadow: readonly { theirs: JsonObject; ours: JsonObject; differences: readonly string[] }[];
  refused: Readonly<Record<string, Refused>>;
}

/** The registered kinds, and those of the tests. A kind without an entry does not compile. */
export type KindName = keyof typeof kindsByName | 'Rack' | 'Aisle';
