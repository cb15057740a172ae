import { describe, expect, test } from 'vitest';
import { type Part, partsOf, reachableIn } from '../../../semantics/plan/child-parts.ts';
import type { ChildRow } from '../../../semantics/plan/units.ts';
import * as fc from '../../property.ts';
import { child, given } from './children.ts';
import { NEW, OLD } from './rollout.ts';

const whole = { steps: 'whole' } as const;

const partsIn = (most: number | 'unbounded', children: readonly ChildRow[]): Part[] => [
  ...partsOf(most, NEW, children).values(),
];
const allowedIn = (most: number | 'unbounded', children: readonly ChildRow[]): number[] =>
  partsIn(most, children).map(({ allowed }) => allowed);

describe('the allowed pods are split over the children', () => {
  const zones = [child('a', 5), child('b', 3), child('c', 2)];
  const withWhole = [child('a', 5, whole), child('b', 3), child('c', 2)];
  const wholes = zones.map((each) => ({ ...each, ...whole }));

  test.each([
    [2, [2, 0, 0]],
    [5, [5, 0, 0]],
    [6, [5, 1, 0]],
    [10, [5, 3, 2]],
    ['unbounded', [5, 3, 2]],
  ] as const)('in their order: of %s, %j', (most, expected) => {
    expect(allowedIn(most, zones)).toEqual(expected);
  });

  test.each([
    [2, [0, 2, 0]],
    [5, [0, 3, 2]],
    [8, [0, 3, 2]],
    [10, [5, 3, 2]],
  ] as const)('one that changes as a whole comes last, or not at all: of %i, %j', (most, expected) => {
    expect(allowedIn(most, withWhole)).toEqual(expected);
    expect(reachableIn(most, NEW, withWhole)).toBe(expected[0] + expected[1] + expected[2]);
  });

  test.each([
    [1, [0, 0, 0]],
    [2, [0, 0, 2]],
    [5, [0, 3, 2]],
    [10, [5, 3, 2]],
  ] as const)('of those that change as a whole the smallest is first: of %i, %j', (most, expected) => {
    expect(allowedIn(most, wholes)).toEqual(expected);
  });

  test('a child keeps what it has been given, and the others get what is left', () => {
    expect(allowedIn(5, [child('a', 5), child('b', 3, { updated: 2 }), child('c', 2)])).toEqual([3, 2, 0]);
    expect(allowedIn(5, [child('a', 5), child('b', 3, { ...whole, updated: 3 })])).toEqual([2, 3]);
  });

  test('a child without a pod is taken with the others where nothing is a bound', () => {
    expect(partsIn('unbounded', [child('a', 0)])).toEqual([{ size: 0, allowed: 0, isTaken: true }]);
    expect(partsIn(1, [child('a', 0), child('b', 3)]).map(({ isTaken }) => isTaken)).toEqual([false, true]);
    expect(partsIn(3, [child('a', 0, whole), child('b', 3)]).map(({ isTaken }) => isTaken)).toEqual([
      false,
      true,
    ]);
  });

  test('a child that has lost its part with all of its pods gets others on the stable revision', () => {
    const emptied = (size: number, own: Partial<ChildRow> = {}): ChildRow =>
      child('a', size, { ...whole, pods: [], given: given(NEW, 0), ...own });
    const partIn = (most: number, a: ChildRow, within?: ReadonlyMap<string, number>): Part | undefined =>
      partsOf(most, NEW, [a, child('b', 3, whole)], within).get('a');
    const back: Part = { size: 5, allowed: 0, isTaken: false };
    expect(partIn(3, emptied(5))).toEqual(back);
    expect(partIn(3, emptied(5), new Map([['b', 3]]))).toEqual(back);
    // Within the step it waits for room, as in a step for all pods.
    const held: Part = { size: 0, allowed: 0, isTaken: true };
    const busy = child('b', 3, { ...whole, given: given(NEW, 3, 8), isObserved: false });
    const all = [emptied(5), busy];
    expect(partsOf(8, NEW, all).get('a')).toEqual(held);
    expect(partsOf(8, NEW, all, new Map(Object.entries({ a: 5, b: 3 }))).get('a')).toEqual(held);
    // Its pods may still be there, or may come.
    expect(partIn(3, emptied(5, { given: given(NEW, 0, 2), isObserved: false }))?.isTaken).toBe(true);
    expect(partIn(3, emptied(5, { pods: [{ hash: NEW, count: 1, available: 1 }] }))?.isTaken).toBe(true);
  });
});

describe('the allocator resizes children during a step that allows 5 of 10', () => {
  const moved = (updated: number, parts: Partial<ChildRow> = {}): ChildRow[] => [
    child('a', 3, { updated, given: given(NEW, 5), ...parts }),
    child('b', 5),
    child('c', 2),
  ];
  const reported = (count: number) => ({ pods: [{ hash: NEW, count, available: count }] });

  test('the others wait for the pods that are to go', () => {
    expect(allowedIn(5, moved(3, reported(5)))).toEqual([3, 0, 0]);
    expect(allowedIn(5, moved(3, { ...reported(5), given: given(NEW, 3) }))).toEqual([3, 0, 0]);
  });

  test('and for the child to have observed that', () => {
    const written = { given: given(NEW, 3, 5), ...reported(3) };
    expect(allowedIn(5, moved(3, { ...written, isObserved: false }))).toEqual([3, 0, 0]);
    expect(allowedIn(5, moved(3, written))).toEqual([3, 2, 0]);
  });

  test('one that is there as a whole gets no more pods than fit', () => {
    const children = [child('a', 5, whole), child('c', 4, { ...whole, updated: 2 }), child('b', 1, whole)];
    const grown = (most: number): (number | boolean)[][] =>
      partsIn(most, children).map(({ size, allowed }) => [size, allowed]);
    expect(grown(2)).toEqual([
      [5, 0],
      [2, 2],
      [1, 0],
    ]);
    expect(grown(3)).toEqual([
      [5, 0],
      [3, 3],
      [1, 0],
    ]);
    expect(grown(10)).toEqual([
      [5, 5],
      [4, 4],
      [1, 1],
    ]);
  });
});

const smallInt = fc.integer({ min: 0, max: 6 });
const anyChild = fc
  .record({
    size: smallInt,
    updated: smallInt,
    part: smallInt,
    isWhole: fc.boolean(),
    isObserved: fc.boolean(),
  })
  .map(({ size, updated, part, isWhole, isObserved }): ChildRow => {
    const allowed = isWhole ? size : Math.min(part, size);
    return {
      ...child('', size, { updated: Math.min(updated, size), isObserved }),
      steps: isWhole ? 'whole' : 'partly',
      given: part === 0 ? undefined : part % 2 === 0 ? given(OLD, size) : given(NEW, allowed, allowed + part),
    };
  });
const anyChildren = fc
  .array(anyChild, { minLength: 1, maxLength: 5 })
  .map((children) => children.map((each, index) => ({ ...each, name: `child-${index}` })));
const someMost = fc.integer({ min: 0, max: 35 });

describe('of any children', () => {
  test('parts add up to no more than is allowed, beside what is there as a whole', () => {
    fc.assert(
      fc.property(anyChildren, someMost, (children, most) => {
        const kept = children
          .filter((each) => each.steps === 'whole' && each.given?.goal === NEW)
          .reduce((sum, each) => sum + Math.min(each.size, each.given?.allowed ?? 0), 0);
        const sum = allowedIn(most, children).reduce((total, each) => total + each, 0);
        expect(sum).toBeLessThanOrEqual(Math.max(most, kept));
        expect(reachableIn(most, NEW, children)).toBeLessThanOrEqual(Math.max(most, kept));
      }),
    );
  });

  test('no child has more than its size, and one that changes as a whole has all or nothing', () => {
    fc.assert(
      fc.property(anyChildren, someMost, (children, most) => {
        const parts = partsOf(most, NEW, children);
        for (const { name, size, steps } of children) {
          const part = parts.get(name);
          if (part === undefined) throw new Error(`${name} has no part`);
          expect(part.allowed).toBeLessThanOrEqual(part.size);
          expect(part.size).toBeLessThanOrEqual(size);
          if (steps === 'whole') expect([0, part.size]).toContain(part.allowed);
          else expect(part.size).toBe(size);
        }
      }),
    );
  });

  test('a higher step takes no pod from a child', () => {
    fc.assert(
      fc.property(anyChildren, someMost, fc.integer({ min: 0, max: 10 }), (children, most, more) => {
        const [low, high] = [partsIn(most, children), partsIn(most + more, children)];
        for (const [index, part] of low.entries()) {
          expect(high[index]?.allowed).toBeGreaterThanOrEqual(part.allowed);
          expect(high[index]?.size).toBeGreaterThanOrEqual(part.size);
          if (part.isTaken) expect(high[index]?.isTaken).toBe(true);
        }
      }),
    );
  });

  test('the same children have the same parts', () => {
    fc.assert(
      fc.property(anyChildren, someMost, (children, most) => {
        const copies = JSON.parse(JSON.stringify(children)) as ChildRow[];
        expect(partsIn(most, copies)).toEqual(partsIn(most, children));
      }),
    );
  });
});
