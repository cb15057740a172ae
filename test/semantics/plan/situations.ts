import type { Progress } from '../../../semantics/plan/memory.ts';
import type { AdvanceInput, RolloutView } from '../../../semantics/plan/rollout-view.ts';
import type { Column, FactName } from '../../../semantics/plan/table.ts';
import { accepted, command, input, NEW, OLD, OLDER, type Outline, pods, spec, view } from './rollout.ts';

/** A situation in which the fact of a row applies in a column, and what a look says about it. */
export interface Cell {
  fact: FactName;
  column: Column;
  /** What is particular about it, where a cell has more than one. */
  note?: string;
  /** Words that its answer to a command holds. */
  says?: string;
  /** A fact of a row further down that applies too, and does not decide. */
  beside?: FactName;
  input: AdvanceInput;
  expected: Outline;
}

export const A = 'h1:aaaa';
export const B = 'h1:bbbb';
export const C = 'h1:cccc';
const halfway = [...pods(NEW, 2), ...pods(OLD, 3)];

/** Each column at rest: nothing applies, nothing is written. The target's manifest asks for NEW. */
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

/** What a look says of a column at rest. */
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

/** A word that came too late: it is heard in every column, and shows that the judging went on to the rows below. */
const late = command('Pause', { expires: '2026-01-01T11:00:00Z' });

/** What a look says that answers one command and changes nothing else; the plan in force remembers the answer. */
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

/** Where the cells of one subject are collected. */
export function createCells() {
  const cells: Cell[] = [];

  function cell(
    fact: FactName,
    column: Column,
    of: AdvanceInput,
    expected: Outline,
    note?: string,
    says?: string,
  ): void {
    const words = says === undefined ? {} : { says };
    cells.push({ fact, column, input: of, expected, ...(note === undefined ? {} : { note }), ...words });
  }

  /** A cell that blocks: nothing is written, and the look says why. */
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

  /** A cell that changes nothing: the whole outline is quiet, and a row further down is still reached. */
  function stays(fact: FactName, column: Column, of: AdvanceInput, more: Partial<Outline> = {}): void {
    cell(fact, column, of, { ...quiet(column), ...more });
    cell(
      fact,
      column,
      { ...of, commands: [late] },
      { ...answered(column, 'CommandExpired', 'Expired'), ...more },
      'and what stands below it is judged',
    );
  }

  return { cells, cell, blocks, stays };
}

/** What is written of the plan that was under way: superseded, or reverted where a failure was being taken back. */
export function putAside(from: Column): string[] {
  if (from === 'Reverting') return [`progress ${A} Reverted 0`];
  return from === 'active' ? [`progress ${A} Superseded 0`] : [];
}

/** A new plan object that begins at step 1; a plan that was under way is put aside after it. */
export function begins(digest: string, from: Column): Outline {
  return {
    plan: digest,
    phase: 'Running',
    step: 0,
    writes: [`accept ${digest} Running 0`, ...putAside(from)],
    transitions: ['PlanAccepted'],
  };
}
