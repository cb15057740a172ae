import { describe, expect, test } from 'vitest';
import { advance } from '../../../semantics/plan/advance.ts';
import { facts } from '../../../semantics/plan/facts.ts';
import { apply } from '../../../semantics/plan/outcomes.ts';
import { startingState } from '../../../semantics/plan/state.ts';
import { type Column, columnOf, type FactName, table } from '../../../semantics/plan/table.ts';
import { equivalent, tableCells, unreachable } from './cells.ts';
import { survivors } from './invert.ts';
import { outline } from './rollout.ts';
import { columns, quiet, resting } from './situations.ts';

describe('every column at rest says nothing', () => {
  test.each(columns.filter((column) => column !== 'Pe'))('%s', (column) => {
    expect(outline(advance(resting(column)))).toEqual(quiet(column));
  });
});

describe.each(table.map((row) => [row.label, row.fact] as const))('%s', (_label, fact) => {
  const own = tableCells.filter((cell) => cell.fact === fact);
  const titled = own.map((c) => [`${c.column}: ${outcomeOf(fact, c.column)}`, c.note ?? '', c] as const);
  test.each(titled)('in %s %s', (_title, _note, cell) => {
    expect(facts[fact](situationOf(cell.fact, cell.input))).toBeDefined();
    expect(outline(advance(cell.input))).toEqual(cell.expected);
  });
});

describe('cells that no input reaches', () => {
  const situations = tableCells.map((cell) => startingState(cell.input).situation);
  for (const [fact, of, why] of unreachable) {
    test.each(of)(`${fact} in %s: ${why}`, (column) => {
      expect(['never', 'stay', 'gone', 'refuse']).toContain(outcomeOf(fact, column));
      const inColumn = situations.filter(({ accepted }) => columnOf(accepted?.progress.phase) === column);
      const applies = inColumn.filter((situation) => facts[fact](situation) !== undefined);
      expect(inColumn.length).toBeGreaterThan(5);
      expect(applies.length).toBe(0);
    });
  }

  test('reaching one that says never is our mistake, and throws', () => {
    const state = startingState(resting('Pe'));
    const judged = { fact: 'stepDone', outcome: 'never', found: { message: '' } } as const;
    expect(() => apply(state, judged)).toThrow('a state that cannot be: stepDone in Pending');
  });
});

test('every cell has a situation or is unreachable, and none is both', () => {
  const covered = new Set(tableCells.map((cell) => `${cell.fact}/${cell.column}`));
  const never = new Set(unreachable.flatMap(([fact, of]) => of.map((column) => `${fact}/${column}`)));
  for (const row of table) {
    for (const column of columns) {
      const id = `${row.fact}/${column}`;
      expect([id, covered.has(id) !== never.has(id)]).toEqual([id, true]);
    }
  }
});

test('no cell can be changed to another outcome that fits its row without a situation that shows it', () => {
  expect(survivors().sort()).toEqual(equivalent.map(([change]) => change).sort());
});

function outcomeOf(fact: FactName, column: Column): string {
  return table.find((row) => row.fact === fact)?.cells[column] ?? '';
}

/** The situation in which the row is judged: before acceptance where that is what the cell is about. */
function situationOf(fact: FactName, input: Parameters<typeof startingState>[0]) {
  const { situation } = startingState(input);
  return fact === 'verdictStands' ? { ...situation, accepted: undefined } : situation;
}
