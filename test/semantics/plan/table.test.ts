import { describe, expect, test } from 'vitest';
import { advance } from '../../../semantics/plan/advance.ts';
import { facts } from '../../../semantics/plan/facts.ts';
import { apply } from '../../../semantics/plan/outcomes.ts';
import { startingState } from '../../../semantics/plan/state.ts';
import { type Column, columnOf, type FactName, table } from '../../../semantics/plan/table.ts';
import { besides, blockless, commuting, equivalent, tableCells, unreachable } from './cells.ts';
import { changedBlocks, changedCells, changedOrder } from './invert.ts';
import { outline } from './rollout.ts';
import { type Cell, columns, quiet, resting } from './situations.ts';

describe('every column at rest changes nothing', () => {
  test.each(columns.filter((column) => column !== 'Pending'))('%s', (column) => {
    expect(outline(advance(resting(column)))).toEqual(quiet(column));
  });
});

describe.each(table.map((row) => [row.label, row.fact] as const))('%s', (_label, fact) => {
  const own = tableCells.filter((cell) => cell.fact === fact);
  const titled = own.map((c) => [`${c.column}: ${outcomeOf(fact, c.column)}`, c.note ?? '', c] as const);
  test.each(titled)('in %s %s', (_title, _note, cell) => {
    expect(facts[fact](situationOf(cell))).toBeDefined();
    expectResult(cell);
  });
});

describe('cells that no situation reaches', () => {
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

  test('a cell with `never` throws', () => {
    const state = startingState(resting('Pending'));
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
  expect(changedCells().sort()).toEqual(equivalent.map(([change]) => change).sort());
});

describe('of two facts that apply at once, the upper one decides', () => {
  const titled = besides.map(
    (c) => [`${c.fact} before ${c.alsoApplies ?? ''}`, c.column, c.note ?? '', c] as const,
  );
  test.each(titled)('%s in %s %s', (_title, _column, _note, cell) => {
    const situation = situationOf(cell);
    expect(facts[cell.fact](situation)).toBeDefined();
    expect(cell.alsoApplies && facts[cell.alsoApplies](situation)).toBeDefined();
    expectResult(cell);
  });

  test('no two neighboring rows can be exchanged without a situation that shows it', () => {
    expect(changedOrder()).toEqual(commuting.map(([pair]) => pair));
  });
});

test('which rows are judged below one that blocks: none can be changed without a situation that shows it', () => {
  expect(changedBlocks()).toEqual(blockless.map(([fact]) => fact));
});

function expectResult({ input, expected, answer = '' }: Cell): void {
  const result = advance(input);
  expect(outline(result)).toEqual(expected);
  expect(result.answered[0]?.message ?? '').toContain(answer);
}

function outcomeOf(fact: FactName, column: Column): string {
  return table.find((row) => row.fact === fact)?.cells[column] ?? '';
}

/** The situation in which the row is judged: a waiting plan object is judged alone if the active plan has ended. */
function situationOf(cell: Cell) {
  const { situation } = startingState(cell.input);
  const { accepted, commands, plans } = situation;
  if (cell.column !== 'Pending' || accepted === undefined) return situation;
  const own = commands.filter((c) => c.spec.digest === plans[0]?.spec.digest);
  return { ...situation, accepted: undefined, before: accepted, commands: own };
}
