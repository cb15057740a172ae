import { describe, expect, test } from 'vitest';
import type { PlanBound } from '../../../schemas/generated/types/rolloutplan.ts';
import { boundNow, isLoosened } from '../../../semantics/plan/bound-state.ts';
import { retainedBy } from '../../../semantics/plan/partition.ts';
import { withoutPartsOfWholes } from '../../../semantics/plan/parts-of-wholes.ts';
import { sharesOf } from '../../../semantics/plan/shares-of.ts';
import { partitionText } from '../../../semantics/values/partition.ts';
import * as fc from '../../property.ts';
import { child, type ChildParts, given, viewOf } from './children.ts';
import { NEW, OLD, planObject, rest, spec, view } from './rollout.ts';

const LEFT = { left: { hash: OLD, n: 2 } };
const zones = (a: ChildParts = {}, b: ChildParts = {}) => [child('a', 3, a), child('b', 3, b)];

describe('partitions of subsets', () => {
  test.each([
    [0, '0'],
    ['50%', '50%'],
    [{ c: 1, b: 0, a: 2 }, 'a 2, c 1'],
    [{ a: 0 }, '0'],
  ])('are written as %j is: %s', (partition, text) => {
    expect(partitionText(partition)).toBe(text);
  });

  test('retain at most what a subset has, and nothing of units without subsets', () => {
    expect(retainedBy(viewOf(zones()), { a: 9, b: 1, z: 5 })).toBe(4);
    expect(retainedBy(viewOf(zones()), { b: -1 })).toBe(0);
    expect(retainedBy(view({ replicas: 6 }), { a: 3 })).toBe(0);
  });

  test('are lowered where one of them is, though others are higher', () => {
    const left = zones(LEFT, { left: { hash: OLD, n: 1 } });
    const now = (partition: Record<string, number>): boolean => {
      const self = viewOf(left, { partition, retained: { hash: OLD, n: 3 }, stable: NEW, liveHash: NEW });
      return isLoosened(boundNow(undefined, self), self);
    };
    expect(now({ a: 2, b: 1 })).toBe(false);
    expect(now({ a: 1, b: 3 })).toBe(true);
    expect(now({ a: 9, b: 9 })).toBe(false);
  });

  const bySubset: PlanBound = { partitions: [{ subset: 'a', count: 1 }] };
  test.each([
    ['units have no subsets', view(), 'its target has no subsets'],
    [
      'each subset is updated as a whole',
      viewOf(zones({ steps: 'whole' }, { steps: 'whole' })),
      'each subset is updated as a whole',
    ],
  ])('are refused in a plan where %s', (_what, self, expected) => {
    const plan = planObject(spec({ steps: [rest], to: { hash: NEW, bound: bySubset } }));
    expect(withoutPartsOfWholes(plan, self).refused?.message).toContain(expected);
    expect(withoutPartsOfWholes(plan, viewOf(zones())).refused).toBe(undefined);
    const without = planObject(spec({ steps: [rest] }));
    expect(withoutPartsOfWholes(without, self).refused).toBe(undefined);
  });

  const twice: PlanBound = {
    partitions: [
      { subset: 'a', count: 3 },
      { subset: 'a', count: 1 },
    ],
  };
  const wholes = viewOf(zones({ steps: 'whole' }, { steps: 'whole' }));
  test.each<[string, PlanBound, ReturnType<typeof view>, string]>([
    ['one number for all pods of subsets', { partition: 4 }, viewOf(zones()), 'a partition of all pods'],
    ['a percentage of them', { partition: '10%' }, viewOf(zones()), 'a partition of all pods'],
    ['one number where each changes as a whole', { partition: 1 }, wholes, 'a partition of all pods'],
    ['a subset twice', twice, viewOf(zones()), 'more than one partition of a'],
    ['both fields', { ...bySubset, partition: 0 }, viewOf(zones()), 'partition and partitions'],
  ])('refuse what nothing keeps to: %s', (_what, bound, self, expected) => {
    const plan = planObject(spec({ steps: [rest], to: { hash: NEW, bound } }));
    expect(withoutPartsOfWholes(plan, self).refused).toMatchObject({
      reason: 'UnsupportedSemantics',
      message: expect.stringContaining(expected) as string,
    });
  });

  test.each<[PlanBound, ReturnType<typeof view>]>([
    [{ partition: 0 }, viewOf(zones())],
    [{ partition: '0%' }, viewOf(zones())],
    [{}, wholes],
    [{ partition: 4 }, view({ replicas: 6 })],
  ])('refuse nothing else: %j', (bound, self) => {
    const plan = planObject(
      spec({ steps: [{ id: 'all', update: { to: '100%' } }], to: { hash: NEW, bound } }),
    );
    expect(withoutPartsOfWholes(plan, self).refused).toBe(undefined);
  });
});

describe('a child with pods that a bound has left', () => {
  const keep = { goal: NEW, stable: NEW, mode: 'Recreate', moving: false } as const;
  const shareOf = (parts: ChildParts, envelope: Partial<Parameters<typeof sharesOf>[0]>) => {
    const own = child('a', 3, { updated: 1, ...LEFT, ...parts });
    const children = [own, child('b', 3, { updated: 3 })];
    return sharesOf({ ...keep, allowed: 4, ...envelope }, {}, children, () => ({})).get('a')?.share;
  };

  test('keeps them: its share says on which revision they come back', () => {
    expect(shareOf({}, { within: { a: 1, b: 3 } })).toMatchObject({ goal: NEW, stable: OLD, allowed: 1 });
    const all = { updated: 0, given: given(NEW, 0), left: { hash: OLD, n: 3 } };
    expect(shareOf(all, { within: { a: 0, b: 3 } })).toMatchObject({ goal: NEW, stable: OLD, allowed: 0 });
  });

  test('is taken on from there where a plan loosens the bound', () => {
    const share = shareOf({}, { allowed: 6, moving: true });
    expect(share).toMatchObject({ goal: NEW, stable: OLD, allowed: 3, moving: true });
  });

  test('stays as it is while a rollout to another revision takes others, and is on the stable one once it takes it on', () => {
    const next = { goal: 'h1:next', moving: true, allowed: 3 };
    expect(shareOf({}, { ...next, within: { a: 0, b: 3 } })).toMatchObject({
      goal: NEW,
      stable: OLD,
      allowed: 1,
    });
    expect(shareOf({}, { ...next, within: { a: 2, b: 0 } })).toMatchObject({
      goal: 'h1:next',
      stable: NEW,
      allowed: 2,
    });
  });

  test('goes back with all of them to the revision that they are on', () => {
    const back = { goal: OLD, stable: OLD, moving: true, allowed: 'unbounded' } as const;
    expect(shareOf({}, back)).toMatchObject({ goal: OLD, stable: OLD, allowed: 3 });
  });

  test('never has more on the goal than the partitions allow, whatever the step is', () => {
    const sizes = fc.array(fc.record({ size: fc.nat(6), kept: fc.nat(6), updated: fc.nat(6) }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(sizes, fc.nat(20), (all, allowed) => {
        const children = all.map(({ size, updated }, index) =>
          child(String(index), size, { updated: Math.min(updated, size) }),
        );
        const within = Object.fromEntries(
          all.map(({ size, kept }, index) => [String(index), Math.max(size - kept, 0)]),
        );
        const shares = sharesOf(
          { goal: NEW, stable: OLD, mode: 'Recreate', moving: true, allowed, within },
          {},
          children,
          () => ({}),
        );
        for (const { name } of children) {
          const { share } = shares.get(name) ?? {};
          if (share?.goal === NEW) expect(share.allowed).toBeLessThanOrEqual(within[name] ?? 0);
        }
      }),
    );
  });
});
