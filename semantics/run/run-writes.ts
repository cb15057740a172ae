import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../decision.ts';
import { newRun, type RunRecord } from './run-record.ts';
import { createRun, type StoredRun, updateRun } from './run-stored.ts';

/** A target whose runs are stored. */
export interface StoredRuns {
  target: KubeObject;
  /** Newest first. */
  stored: readonly StoredRun[];
  /** Names that other objects were found to have. */
  takenNames: ReadonlySet<string>;
}

/** The record of a run; one that has not begun where none is stored. */
export function recordIn(stored: readonly StoredRun[], hash: string): RunRecord {
  return stored.find(({ record }) => record.hash === hash)?.record ?? newRun(hash);
}

/** The write that stores a record, whether it is stored already or not. */
export function storeRun({ target, stored, takenNames }: StoredRuns, record: RunRecord): Action {
  const known = stored.find((each) => each.record.hash === record.hash);
  return known === undefined ? createRun(target, record, stored, takenNames) : updateRun(known, record);
}

/** Records that every step of a plan for the run is done: it never begins again. */
export function completeRun(runs: StoredRuns, hash: string, attempt: number): Action[] {
  const record = recordIn(runs.stored, hash);
  return record.completed >= attempt ? [] : [storeRun(runs, { ...record, completed: attempt })];
}
