import type { IntOrPercent } from '../values/int-or-percent.ts';

/** What a plan allows of a run now: an upper bound, never a command. Deciding twice under one limit is harmless. */
export interface RunLimit {
  /** The run: the hash of its template. */
  hash: string;
  /** A plan that reruns failed nodes has a higher one; the first is 1. */
  attempt: number;
  /** On how many nodes it may have been started. */
  allowed: number;
  /** A limit in addition to that of the target; the lower of both applies. */
  parallelism?: IntOrPercent;
  /** The label of nodes that names their failure domain: at most one domain runs at a time. */
  spread?: string;
  /** False: a gate, a halt or a way back, where no further node begins. Pods that run go on. */
  isStarting: boolean;
  /** Uids of failed pods that are deleted, so that their nodes run again. */
  rerun: ReadonlySet<string>;
  /** What was wrong with a node is recorded anew if that was before this time, milliseconds since 1970. Default: never. */
  judgedFrom?: number;
  /** How the plan has ended; undefined: it has not. Only the plan ends a run, never its pods. */
  outcome?: { type: 'Complete' | 'Failed'; message: string };
  /** Why the limit is as it is, as one sentence. */
  reason: string;
}
