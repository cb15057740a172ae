import type { Progress } from '../../../semantics/plan/memory.ts';
import type { AdvanceInput } from '../../../semantics/plan/advance-input.ts';
import type { RolloutView } from '../../../semantics/plan/rollout-view.ts';
import type { Column, FactName } from '../../../semantics/plan/table.ts';
import { accepted, command, input, NEW, OLD, OLDER, type Outline, pods, spec, view } from './rollout.ts';

/** A situation in which the fact of a row applies in a column, and the expected result. */
export interface Cell {
  fact: FactName;
  column: Column;
  /** Distinguishes several situations of one cell. */
  note?: string;
  /** Part of the answer to the command. */
  answer?: string;
  /** A fact of a lower row that applies, too, and does not decide. */
  alsoApplies?: FactName;
  input: AdvanceInput;
  expected: Outline;
}

export const A = 'h1:aaaa';
export const B = 'h1:bbbb';
export const C = 'h1:cccc';
const halfway = [...pods(NEW, 2), ...pods(OLD, 3)];

/** Each column at rest: nothing applies, nothing is written. The manifest is at NEW. */
export const atRest: Record<Column, { progress: Partial<Progress> | undefined; view: Partial<RolloutView> }> =
  {
    Pending: { progress: undefined, view: {} },
    active: { progress: { phase: 'Running' }, view: { pods: halfway } },
    Reverting: {
      progress: { phase: 'Reverting', cause: 'failure', goal: OLD, reason: 'Timeout' },
      view: { pods: halfway },
    },
    Succeeded: {
      progress: { phase: 'Succeeded', step: 3, reason: 'Completed' },
      view: { pods: pods(NEW, 5), stable: NEW, complete: new Set([OLDER, OLD, NEW]) },
    },
    Halted: {
      progress: { phase: 'Halted', step: 2, cause: 'failure', reason: 'Timeout' },
      view: { pods: halfway },
    },
    Reverted: {
      progress: { phase: 'Reverted', step: 2, cause: 'failure', goal: OLD, reason: 'Timeout' },
      view: {},
    },
    Aborted: {
      progress: { phase: 'Aborted', step: 2, cause: 'person', reason: 'Aborted' },
      view: { pods: halfway },
    },
  };

export const columns = Object.keys(atRest) as Column[];

export function resting(
  column: Column,
  parts: Partial<AdvanceInput> = {},
  more: Partial<RolloutView> = {},
  progress: Partial<Progress> = {},
): AdvanceInput {
  const { progress: own, view: target } = atRest[column];
  return input({
    view: view({ ...target, ...more }),
    memory: own === undefined ? [] : [accepted(spec(), { ...own, ...progress })],
    ...parts,
  });
}

/** The result of a reconcile of a column at rest. */
export function quiet(column: Column): Outline {
  const { progress } = atRest[column];
  if (progress === undefined) return { phase: 'Pending' };
  return {
    plan: A,
    phase: progress.phase ?? 'Running',
    step: progress.step ?? 0,
    ...(progress.reason === undefined ? {} : { reason: progress.reason }),
    ...(progress.goal === undefined ? {} : { goal: progress.goal }),
  };
}

/** An expired command: it is answered in every column, and shows that the rows below were judged. */
const late = command('Pause', { expires: '2026-01-01T11:00:00Z' });

/** The result of a reconcile that only answers one command; the active plan records the answer. */
export function answered(
  column: Column,
  turn: string | undefined,
  answer: 'Accepted' | 'Refused' | 'Expired',
): Outline {
  const outline = quiet(column);
  return {
    ...outline,
    ...(outline.plan === undefined
      ? {}
      : { writes: [`progress ${A} ${outline.phase} ${outline.step ?? 0}`] }),
    ...(turn === undefined ? {} : { transitions: [turn] }),
    answers: [answer],
  };
}

/** Collects the cells of one subject. */
export function createCells() {
  const cells: Cell[] = [];

  function cell(
    fact: FactName,
    column: Column,
    of: AdvanceInput,
    expected: Outline,
    note?: string,
    answer?: string,
  ): void {
    const details = { ...(note === undefined ? {} : { note }), ...(answer === undefined ? {} : { answer }) };
    cells.push({ fact, column, input: of, expected, ...details });
  }

  /** A cell that blocks: nothing is written, and the result has the reason. */
  function blocks(
    fact: FactName,
    column: Column,
    of: AdvanceInput,
    reason: string,
    more: Outline['pending'] = {},
  ) {
    const pending = Object.keys(more).length === 0 ? {} : { pending: more };
    cell(fact, column, of, { ...quiet(column), blocked: reason, ...pending });
  }

  /** A cell that changes nothing: the result is that of a column at rest, and lower rows are judged. */
  function stays(fact: FactName, column: Column, of: AdvanceInput, more: Partial<Outline> = {}): void {
    cell(fact, column, of, { ...quiet(column), ...more });
    cell(
      fact,
      column,
      { ...of, commands: [late] },
      { ...answered(column, 'CommandExpired', 'Expired'), ...more },
      'and the rows below it are judged',
    );
  }

  return { cells, cell, blocks, stays };
}

/** The record of the plan that was in progress: superseded, or reverted if it was reverting for a failure. */
export function putAside(from: Column): string[] {
  if (from === 'Reverting') return [`progress ${A} Reverted 0`];
  return from === 'active' ? [`progress ${A} Superseded 0`] : [];
}

/** A new plan object that starts at step 1; a plan in progress is superseded after it. */
export function begins(digest: string, from: Column): Outline {
  return {
    plan: digest,
    phase: 'Running',
    step: 0,
    writes: [`accept ${digest} Running 0`, ...putAside(from)],
    transitions: ['PlanAccepted'],
  };
}
