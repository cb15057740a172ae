import type { IntOrPercent } from '../values/int-or-percent.ts';
import type { RunRecord } from './record.ts';

/** What a plan allows of a run now: an upper bound, never a command. Deciding twice under one bound is harmless. */
export interface RunBound {
  /** What this run did before, as it is stored. */
  record: RunRecord;
  /** On how many nodes it may have been started. */
  allowed: number;
  /** A limit in addition to that of the target; the lower of both applies. */
  parallelism?: IntOrPercent;
  /** The label of nodes that names their failure domain: at most one domain runs at a time. */
  spread?: string;
  /** False: a gate, a halt or a way back, where no further node begins. Pods that run go on. */
  isStarting: boolean;
  /** How the plan has ended; undefined: it has not. Only the plan ends a run, never its pods. */
  outcome?: { type: 'Complete' | 'Failed'; message: string };
  /** Why the bound is as it is, as one sentence. */
  reason: string;
}
