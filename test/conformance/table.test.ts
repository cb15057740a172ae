import { describe, expect, test, vi } from 'vitest';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { playsFor } from './kind-plays.ts';
import { playTrials } from './play-trials.ts';
import { subjects } from './subjects.ts';
import { type Cell, type KindName, table } from './table.ts';
import { type Disturbance, worldsFor } from './worlds.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

const subjectOf = ({ id }: Kind) =>
  subjects.find(({ kind }) => kind.id.group === id.group && kind.id.kind === id.kind);

/** What there is of worlds and plays. */
function found(kind: Kind, disturbance: Disturbance): Exclude<Cell, object> | 'neither' | 'both' {
  const subject = subjectOf(kind);
  const hasWorlds = subject !== undefined && worldsFor[disturbance](subject).length > 0;
  const hasPlays = playsFor(kind, disturbance).length > 0;
  if (hasWorlds && hasPlays) return 'both';
  return hasWorlds ? 'worlds' : hasPlays ? 'plays' : 'neither';
}

const stated = (cell: Cell): string => (typeof cell === 'object' ? 'neither' : cell);
const disturbances = Object.keys(worldsFor) as Disturbance[];
const rows = Object.entries(table) as [KindName, (typeof table)[KindName]][];

describe('every registered kind has worlds or plays of each disturbance, or the table says why not', () => {
  test.each(rows)('%s', (name, row) => {
    const kind = kinds.find(({ id }) => id.kind === name && id.group !== 'test.plan.kruise.io');
    if (kind === undefined) throw new Error(`${name} is not registered`);
    const own = Object.fromEntries(disturbances.map((each) => [each, found(kind, each)]));
    expect(own).toEqual(Object.fromEntries(disturbances.map((each) => [each, stated(row[each])])));
  });

  test('the table has a row for each', () => {
    const ofTests = ['Rack', 'Aisle'];
    const names = kinds.flatMap(({ id }) => (ofTests.includes(id.kind) ? [] : [id.kind]));
    expect(Object.keys(table).sort()).toEqual(names.sort());
    expect(Object.keys(worldsFor)).toEqual(expect.arrayContaining(Object.keys(playTrials)));
  });

  test('and each reason is a sentence', () => {
    const cells = rows.flatMap(([, row]) => Object.values(row));
    const reasons = cells.flatMap((cell) => (typeof cell === 'object' ? [cell.not] : []));
    expect(reasons.length).toBeGreaterThan(10);
    expect(reasons.filter((reason) => reason.split(' ').length < 4)).toEqual([]);
  });
});

test('every kind whose units are its pods, the kinds of tests included, has changes', () => {
  expect(subjects.filter(({ changes }) => changes.length === 0)).toEqual([]);
});
