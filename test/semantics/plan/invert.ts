import { advance } from '../../../semantics/plan/advance.ts';
import { type Column, type FactName, type Outcome, type Row, table } from '../../../semantics/plan/table.ts';
import { canonicalJson } from '../../../semantics/values/canonical-json.ts';
import { besides, tableCells, unreachable } from './cells.ts';
import { outline } from './rollout.ts';
import { type Cell, columns } from './situations.ts';

/** The possible outcomes of a command. */
const words: readonly Outcome[] = [
  'stay',
  'refuse',
  'grant',
  'keep',
  'abort',
  'revert',
  'pause',
  'unpause',
  'resume',
  'restart',
  'never',
];

/** The outcomes that fit a row: `accept` needs a fact about a plan object. */
const fits: Record<FactName, readonly Outcome[]> = {
  targetDeleted: ['gone', 'stay', 'block'],
  targetUnsupported: ['block', 'stay', 'halt'],
  breakGlass: ['block', 'stay', 'halt', 'wait'],
  manifestWentBack: ['goBack', 'stay', 'never', 'block'],
  planUnverified: ['block', 'stay', 'halt', 'wait'],
  duplicatePlans: ['block', 'stay', 'halt', 'wait'],
  manifestReturned: ['restart', 'stay', 'never', 'block'],
  newPlanContinues: ['carryOn', 'wait', 'stay', 'block', 'judge', 'never'],
  newPlanSameTo: ['continue', 'restart', 'wait', 'stay', 'block', 'judge', 'never'],
  newPlanTakesOver: ['takeOver', 'judge', 'wait', 'stay', 'block', 'never'],
  newPlanNeither: ['judge', 'block', 'wait', 'stay', 'never'],
  planMissing: ['gone', 'block', 'stay'],
  manifestElsewhere: ['block', 'stay', 'halt'],
  unlistedPod: ['block', 'stay', 'halt'],
  beyondMode: ['block', 'stay', 'halt'],
  verdictStands: ['block', 'stay', 'never'],
  paused: ['block', 'stay', 'halt', 'never'],
  predecessor: ['block', 'stay', 'wait', 'never'],
  queued: ['block', 'stay', 'wait', 'never'],
  tooManyBroken: ['block', 'stay', 'never', 'halt'],
  staleStable: ['settle', 'stay', 'never', 'block'],
  acceptable: ['accept', 'stay', 'never', 'block'],
  commandExpired: words,
  commandElsewhere: words,
  commandImpossible: words,
  breakGlassAsked: words,
  abortAsked: words,
  revertAsked: words,
  pauseAsked: words,
  unpauseAsked: words,
  resumeAsked: words,
  approveAsked: words,
  approveAheadAsked: words,
  targetPaused: ['block', 'stay', 'halt'],
  windowMismatch: ['block', 'stay', 'halt'],
  capacity: ['block', 'stay', 'halt'],
  stepFailed: ['fail', 'halt', 'stay', 'never'],
  stepDone: ['next', 'stay', 'never'],
};

/**
 * Changes each cell of the table to each other outcome that fits its row, and returns the changes that no situation
 * of that cell shows. Unreachable cells are left out.
 */
export function changedCells(): string[] {
  const found: string[] = [];
  const skipped = new Set(unreachable.flatMap(([fact, of]) => of.map((column) => `${fact}/${column}`)));
  for (const row of table) {
    for (const column of columns) {
      if (skipped.has(`${row.fact}/${column}`)) continue;
      const own = tableCells.filter((cell) => cell.fact === row.fact && cell.column === column);
      for (const other of fits[row.fact]) {
        if (other === row.cells[column]) continue;
        if (!changedBy(row.cells, column, other, own))
          found.push(`${row.fact} in ${column}: ${row.cells[column]} → ${other}`);
      }
    }
  }
  return found;
}

/** Rows for which no situation shows whether they are judged below a row that blocks. */
export function changedBlocks(): string[] {
  return table
    .filter(
      (row) =>
        !isShown(
          () => flip(row),
          () => flip(row),
        ),
    )
    .map(({ fact }) => fact);
}

function flip(row: Row): void {
  row.appliesWhenBlocked = !row.appliesWhenBlocked;
}

/** Neighboring rows that can be exchanged without a situation that shows it. */
export function changedOrder(): string[] {
  const rows = table as Row[];
  const found: string[] = [];
  for (let i = 0; i + 1 < rows.length; i++) {
    const swap = (): void => {
      const [upper, lower] = [rows[i], rows[i + 1]];
      if (upper === undefined || lower === undefined) return;
      rows[i] = lower;
      rows[i + 1] = upper;
    };
    const name = `${rows[i]?.fact ?? ''} and ${rows[i + 1]?.fact ?? ''}`;
    if (!isShown(swap, swap)) found.push(name);
  }
  return found;
}

/** Whether any situation of the table shows a change of it, which is undone again. */
function isShown(change: () => void, undo: () => void): boolean {
  // A cell that fails before the change shows nothing.
  const right = [...besides, ...tableCells].filter(isAsExpected);
  change();
  try {
    return right.some((cell) => !isAsExpected(cell));
  } finally {
    undo();
  }
}

function changedBy(
  cells: Record<Column, Outcome>,
  column: Column,
  other: Outcome,
  own: readonly Cell[],
): boolean {
  const right = own.filter(isAsExpected);
  const before = cells[column];
  cells[column] = other;
  try {
    return right.some((cell) => !isAsExpected(cell));
  } finally {
    cells[column] = before;
  }
}

function isAsExpected(cell: Cell): boolean {
  try {
    const { expected, answer = '' } = cell;
    const result = advance(cell.input);
    const said = result.answered[0]?.message ?? '';
    return canonicalJson(outline(result)) === canonicalJson(expected) && said.includes(answer);
  } catch {
    return false;
  }
}
