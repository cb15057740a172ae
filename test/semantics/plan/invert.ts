import { advance } from '../../../semantics/plan/advance.ts';
import { type Column, type FactName, type Outcome, table } from '../../../semantics/plan/table.ts';
import { canonicalJson } from '../../../semantics/values/canonical-json.ts';
import { tableCells, unreachable } from './cells.ts';
import { outline } from './rollout.ts';
import { type Cell, columns } from './situations.ts';

/** What can be said in a row at all: `accept` means nothing where no plan object is spoken of. */
const fits: Record<FactName, readonly Outcome[]> = {
  targetDeleted: ['gone', 'stay', 'block'],
  targetUnsupported: ['block', 'stay', 'halt'],
  planUnverified: ['block', 'stay', 'halt', 'wait'],
  duplicatePlans: ['block', 'stay', 'halt'],
  manifestWentBack: ['goBack', 'stay', 'never', 'block'],
  manifestReturned: ['restart', 'stay', 'never', 'block'],
  newPlanSameTo: ['continue', 'restart', 'wait', 'stay', 'block', 'judge', 'never'],
  newPlanTakesOver: ['takeOver', 'judge', 'wait', 'stay', 'block', 'never'],
  newPlanNeither: ['judge', 'block', 'wait', 'stay', 'never'],
  planMissing: ['gone', 'block', 'stay'],
  manifestElsewhere: ['block', 'stay', 'halt'],
  unlistedPod: ['block', 'stay', 'halt'],
  beyondMode: ['block', 'stay', 'halt'],
  verdictStands: ['block', 'stay', 'never'],
  acceptable: ['accept', 'stay', 'never', 'block'],
  approve: ['keep', 'refuse', 'stay'],
  approveOther: ['keep', 'refuse', 'stay'],
  otherCommand: ['keep', 'refuse', 'stay'],
  targetPaused: ['block', 'stay', 'halt'],
  stepFailed: ['fail', 'halt', 'stay', 'never'],
  stepDone: ['next', 'stay', 'never'],
};

/**
 * Changes each cell of the table to each other outcome that fits its row, and returns the changes that no situation
 * of that cell shows. Unreachable cells are left out: nothing reads them.
 */
export function survivors(): string[] {
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

function changedBy(
  cells: Record<Column, Outcome>,
  column: Column,
  other: Outcome,
  own: readonly Cell[],
): boolean {
  const before = cells[column];
  cells[column] = other;
  try {
    return own.some((cell) => !isAsExpected(cell));
  } finally {
    cells[column] = before;
  }
}

function isAsExpected(cell: Cell): boolean {
  try {
    const { expected } = cell;
    return canonicalJson(outline(advance(cell.input))) === canonicalJson(expected);
  } catch {
    return false;
  }
}
