import { describe, expect, it, test } from 'vitest';
import { allocate, type Split, type SubsetSize } from '../../../semantics/uniteddeployment/allocate.ts';
import { NOTHING_THERE } from '../../../semantics/uniteddeployment/ranges.ts';
import * as fc from '../../property.ts';

type Size = number | string | undefined;

const NAMES = 'abcde';

/** `1/50%/-` as the values of subsets a, b and c. */
function sizes(text: string): Size[] {
  return text.split('/').map((each) => (each === '-' ? undefined : each.endsWith('%') ? each : Number(each)));
}

function subsetsOf(parts: { replicas?: Size[]; min?: Size[]; max?: Size[] }): SubsetSize[] {
  const { replicas = [], min = [], max = [] } = parts;
  const { length } = [replicas, min, max].reduce((a, b) => (b.length > a.length ? b : a));
  return Array.from({ length }, (_, index) => ({
    ...{ name: NAMES[index] ?? '', replicas: replicas[index], min: min[index], max: max[index] },
  }));
}

/** A Fixed split, by how many pods each subset has now. */
function fixed(subsets: SubsetSize[], total: number, currentOf: (name: string) => number) {
  const presentOf = (name: string) => ({ ...NOTHING_THERE, size: currentOf(name) });
  return allocate({ subsets, strategy: 'Fixed' }, total, presentOf);
}

function shown(found: ReturnType<typeof allocate>): string {
  return 'fault' in found ? 'error' : found.counts.join('/');
}

/** OpenKruise uniteddeployment, rule 6.2: worked examples. */
describe('replicas of subsets', () => {
  it.each<[string, number, string, string, string]>([
    ['1, UD-10', 10, '-/-/-', '0/0/0', '3/3/4'],
    ['2', 11, '-/-/-', '0/0/0', '3/4/4'],
    ['3, UD-11', 10, '-/-/-', '5/1/1', '4/3/3'],
    ['4', 10, '1/50%/-', '0/0/0', '1/5/4'],
    ['5', 3, '25%/25%/-', '7/1/0', '1/1/1'],
    ['6', 1, '25%/25%/-', '7/1/0', '0/0/1'],
    ['7, UD-12', 2, '25%/25%/-', '7/1/0', '1/1/0'],
    ['8', 5, '50%/50%/-', '0/0/0', 'error'],
    ['9', 100, '33%/33%/34%', '0/0/0', '33/33/34'],
    ['10', 10, '33%/33%/34%', '0/0/0', 'error'],
    ['11', 4, '3/3/-', '0/0/0', 'error'],
    ['12', 4, '2/2/-', '0/0/0', '2/2/0'],
    ['13', 27, '4/-/4/-', '1/4/2/2', '4/10/4/9'],
  ])('example %s: %i pods, %s, now %s', (_example, total, replicas, current, expected) => {
    const now = sizes(current);
    const currentOf = (name: string): number => Number(now[NAMES.indexOf(name)]);
    expect(shown(fixed(subsetsOf({ replicas: sizes(replicas) }), total, currentOf))).toBe(expected);
  });

  it.each([
    ['more than there are', '3/3/-', 'they have 6, and it is 4'],
    ['less, though each has a number', '1/1/1', 'they have 3, and it is 4'],
  ])('say what is wrong: %s', (_what, replicas, words) => {
    const found = fixed(subsetsOf({ replicas: sizes(replicas) }), 4, () => 0);
    expect(found).toEqual({ fault: expect.stringContaining(words) as string });
  });
});

describe('the least and most of subsets', () => {
  it.each<[string, number, string, string, string]>([
    ['14, UD-14', 3, '1/1/1', '2/2/-', '1/1/1'],
    ['15, UD-14', 7, '1/1/1', '2/2/-', '2/2/3'],
    ['16, UD-14', 1, '1/1/1', '2/2/-', '1/0/0'],
    ['17', 14, '2/2/2/2/2', '5/5/5/5/-', '5/3/2/2/2'],
    ['18, UD-2', 10, '-/-/-', '4/30%/-', '4/3/3'],
    ['19', 9, '20%/-/-', '50%/50%/-', '5/4/0'],
    ['20', 20, '-/-/-', '3/3/-', '3/3/14'],
    ['21', 0, '1/1/1', '2/2/-', '0/0/0'],
  ])('example %s: %i pods, min %s, max %s', (_example, total, min, max, expected) => {
    expect(shown(fixed(subsetsOf({ min: sizes(min), max: sizes(max) }), total, () => 7))).toBe(expected);
  });
});

/** What is ready in a full subset is what has a node; the others of a subset may be what is ready. */
function adaptive(
  { min, max }: { min: string; max: string },
  total: number,
  kept: string,
  isFull: (name: string) => boolean,
  stuck = '0/0/0',
) {
  const [nodes, none] = [sizes(kept).map(Number), sizes(stuck).map(Number)];
  return allocate(
    { subsets: subsetsOf({ min: sizes(min), max: sizes(max) }), strategy: 'Adaptive' },
    total,
    (name) => {
      const index = NAMES.indexOf(name);
      const waiting = none[index] ?? 0;
      return { ...NOTHING_THERE, size: (nodes[index] ?? 0) + waiting, stuck: waiting, isFull: isFull(name) };
    },
  );
}

describe('where pods go that get no node', () => {
  it.each<[string, number, string, string, string, string, string, string]>([
    ['22, UD-29', 3, '-/-/-', '2/2/-', '2/0/0', 'b', '0/1/0', '2/0/1'],
    ['23, UD-29', 5, '-/-/-', '2/2/-', '2/0/1', 'b', '0/0/0', '2/0/3'],
    ['24', 4, '-/-/-', '2/2/-', '2/0/3', 'b', '0/0/0', '2/0/2'],
    ['25, UD-30', 5, '-/-/-', '2/2/-', '2/0/2', '', '0/0/0', '2/1/2'],
    ['26, UD-30', 4, '-/-/-', '2/2/-', '2/0/2', '', '0/0/0', '2/0/2'],
    ['27', 3, '-/-/-', '2/2/-', '2/2/2', '', '0/0/0', '2/1/0'],
    ['28', 10, '3/-/-', '5/-/-', '1/5/0', 'a', '2/0/0', '3/7/0'],
    ['nothing has a least or a most', 4, '-/-/-', '-/-/-', '0/0/0', '', '0/0/0', '4/0/0'],
    ['nothing has room: they wait where they are', 6, '-/-/-', '2/3/-', '2/1/1', 'abc', '0/1/1', '2/2/2'],
    ['nothing has room: new ones wait in the first', 7, '-/-/-', '2/3/-', '2/1/1', 'abc', '0/1/1', '2/3/2'],
  ])(
    'example %s: %i pods, min %s, max %s, with a node %s, full %s, without %s',
    (_example, total, min, max, kept, full, stuck, expected) => {
      expect(shown(adaptive({ min, max }, total, kept, (name) => full.includes(name), stuck))).toBe(expected);
    },
  );
});

/** A split where others stand in for pods without a node: what each subset has, how many of these are reserved, which are full or marked. */
function reserving(
  { min, max }: { min: string; max: string },
  total: number,
  { current, reserved, full, marked }: Readonly<Record<'current' | 'reserved' | 'full' | 'marked', string>>,
) {
  const [now, stuck] = [sizes(current).map(Number), sizes(reserved).map(Number)];
  return allocate(
    { subsets: subsetsOf({ min: sizes(min), max: sizes(max) }), strategy: 'Reserving' },
    total,
    (name) => {
      const index = NAMES.indexOf(name);
      return {
        ...{ size: now[index] ?? 0, stuck: stuck[index] ?? 0, isFull: full.includes(name) },
        isTrusted: !full.includes(name) && !marked.includes(name),
      };
    },
  );
}

describe('where pods without a node stay, and others stand in for them', () => {
  it.each<[string, number, string, string, string, string, string, string, string]>([
    ['29, UD-31', 2, '-/-/-', '-/-/-', '2/0/0', '2/0/0', 'a', 'a', '2/2/0'],
    ['30', 2, '-/-/-', '-/-/-', '2/2/0', '2/2/0', 'ab', 'ab', '2/2/2'],
    ['31', 4, '-/-/-', '-/-/-', '2/2/2', '2/2/0', 'ab', 'ab', '2/2/4'],
    ['32, UD-32', 2, '-/-/-', '-/-/-', '2/2/2', '1/2/0', 'ab', 'ab', '2/1/1'],
    ['33, UD-33', 4, '-/-/-', '-/-/-', '2/2/4', '0/2/0', 'b', 'ab', '4/2/2'],
    ['34', 4, '-/-/-', '-/-/-', '4/2/2', '0/2/0', 'b', 'b', '4/0/0'],
    ['35', 2, '1/1/0', '-/-/-', '1/1/0', '1/1/0', 'ab', 'ab', '1/1/2'],
    ['36', 8, '1/1/1/1', '2/2/2/-', '2/2/2/6', '0/1/1/0', 'bc', 'bc', '2/2/2/4'],
    [
      'nothing has room: new ones wait in the first',
      5,
      '-/-/-',
      '-/-/-',
      '2/0/0',
      '2/0/0',
      'abc',
      'abc',
      '5/0/0',
    ],
    ['nothing has room: no more stand in', 2, '-/-/-', '-/-/-', '2/2/2', '2/2/2', 'abc', 'abc', '2/2/2'],
  ])(
    'example %s: %i pods, min %s, max %s, now %s, reserved %s, full %s, marked %s',
    (_example, total, min, max, current, reserved, full, marked, expected) => {
      const now = { current, reserved, full, marked };
      expect(shown(reserving({ min, max }, total, now))).toBe(expected);
    },
  );

  test('say how many of a subset others stand in for', () => {
    const now = { current: '2/2/4', reserved: '0/2/0', full: 'b', marked: 'ab' };
    const none = { min: '-/-/-', max: '-/-/-' };
    expect(reserving(none, 4, now)).toEqual({ counts: [4, 2, 2], reserved: [2, 2, 0] });
  });
});

const size = fc.oneof(
  fc.constant<Size>(undefined),
  fc.nat(8),
  fc.nat(100).map((percent) => `${percent}%`),
);
const counts = (found: ReturnType<typeof allocate>): readonly number[] =>
  'fault' in found ? [] : found.counts;
const sum = (all: readonly number[]): number => all.reduce((total, each) => total + each, 0);

test('every pod is in one subset, as each asks for, and the same again is no change', () => {
  fc.assert(
    fc.property(
      fc.array(size, { minLength: 1, maxLength: 5 }),
      fc.array(fc.nat(9), { minLength: 5, maxLength: 5 }),
      fc.nat(60),
      (replicas, current, total) => {
        const subsets = subsetsOf({ replicas });
        const found = fixed(subsets, total, (name) => current[NAMES.indexOf(name)] ?? 0);
        if ('fault' in found) return;
        expect(sum(found.counts)).toBe(total);
        const open = found.counts.filter((_, index) => replicas[index] === undefined);
        if (open.length > 0) expect(Math.max(...open) - Math.min(...open)).toBeLessThanOrEqual(1);
        expect(
          found.counts.filter(
            (each, index) => each !== replicas[index] && typeof replicas[index] === 'number',
          ),
        ).toEqual([]);
        const again = fixed(subsets, total, (name) => found.counts[NAMES.indexOf(name)] ?? 0);
        expect(again).toEqual(found);
      },
    ),
  );
});

test('with a least and a most, one more pod takes none from any subset, and none exceeds its most', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { minLength: 1, maxLength: 5 }),
      fc.nat(40),
      (bounds, total) => {
        const min = bounds.map(([least]) => least);
        const max = bounds.map(([least, more], index) =>
          index === bounds.length - 1 ? undefined : least + more,
        );
        const subsets = subsetsOf({ min, max });
        const [one, next] = [total, total + 1].map((each) => counts(fixed(subsets, each, () => 0)));
        expect([sum(one ?? []), sum(next ?? [])]).toEqual([total, total + 1]);
        for (const [index, count] of (one ?? []).entries()) {
          expect(count).toBeLessThanOrEqual(next?.[index] ?? 0);
          expect(count).toBeLessThanOrEqual(max[index] ?? Infinity);
        }
      },
    ),
  );
});

test('where pods go where there is room, every pod has a subset, and the same again is no change', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.nat(6), fc.nat(3), fc.boolean()), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.nat(40),
      (all, total) => {
        const min = all.map(([least]) => least);
        const max = all.map(([least, more], index) => (index === all.length - 1 ? undefined : least + more));
        const split: Split = { subsets: subsetsOf({ min, max }), strategy: 'Adaptive' };
        const found = counts(
          allocate(split, total, (name) => {
            const [, , nodes = 0, stuck = 0, isFull = false] = all[NAMES.indexOf(name)] ?? [];
            return { ...NOTHING_THERE, size: nodes + stuck, stuck, isFull };
          }),
        );
        expect(sum(found)).toBe(total);
        for (const [index, count] of found.entries())
          expect(count).toBeLessThanOrEqual(max[index] ?? Infinity);
        const again = allocate(split, total, (name) => {
          const index = NAMES.indexOf(name);
          return { ...NOTHING_THERE, size: found[index] ?? 0, isFull: all[index]?.[4] ?? false };
        });
        expect(counts(again)).toEqual(found);
      },
    ),
  );
});

test('where others stand in, as many pods count as there are to be if a subset has room, and the same again is no change', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(4), fc.nat(4), fc.nat(6), fc.nat(6), fc.boolean(), fc.boolean()), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.nat(30),
      (all, total) => {
        const min = all.map(([least]) => least);
        const max = all.map(([least, more], index) => (index === all.length - 1 ? undefined : least + more));
        const split: Split = { subsets: subsetsOf({ min, max }), strategy: 'Reserving' };
        const at = (before?: readonly number[]) =>
          allocate(split, total, (name) => {
            const index = NAMES.indexOf(name);
            const [, , nodes = 0, stuck = 0, isFull = false, isMarked = false] = all[index] ?? [];
            const own = before?.[index] ?? nodes + stuck;
            // Pods that are new there have proven nothing.
            const unproven = Math.max(own - nodes, 0);
            return { size: own, stuck: unproven, isFull, isTrusted: !isFull && !isMarked };
          });
        const found = at();
        if ('fault' in found) throw new Error(found.fault);
        expect(sum(found.counts)).toBeGreaterThanOrEqual(total);
        const counted = sum(found.counts) - sum(found.reserved);
        expect(counted).toBeLessThanOrEqual(total);
        const [, , , , isFull = false, isMarked = false] = all.at(-1) ?? [];
        if (!isFull && !isMarked) expect(counted).toBe(total);
        for (const [index, count] of found.counts.entries())
          expect(count).toBeLessThanOrEqual(max[index] ?? Infinity);
        const later = Array.from({ length: 4 }).reduce<readonly number[]>(
          (before) => counts(at(before)),
          found.counts,
        );
        expect(counts(at(later))).toEqual(later);
      },
    ),
  );
});
