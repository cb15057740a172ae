import { describe, expect, test } from 'vitest';
import type { Limits } from '../../../semantics/limits/window.ts';
import type { Share } from '../../../semantics/plan/share.ts';
import { sharesOf } from '../../../semantics/plan/shares-of.ts';
import type { ChildRow } from '../../../semantics/plan/units.ts';
import * as fc from '../../property.ts';
import { child, type ChildParts, given as givenPart } from './children.ts';
import { NEW, OLD } from './rollout.ts';

const forward = { goal: NEW, stable: OLD, allowed: 10, moving: true, mode: 'InPlace' } as const;
const back = { goal: OLD, stable: OLD, allowed: 'unbounded', moving: true, mode: 'Recreate' } as const;

function shares(
  envelope: Parameters<typeof sharesOf>[0],
  limits: Limits,
  children: readonly ChildRow[],
  ownOf: (child: ChildRow) => Limits = () => ({}),
): Record<string, Share> {
  const found = sharesOf(envelope, limits, children, ownOf);
  return Object.fromEntries([...found].map(([name, { share }]) => [name, share]));
}

const windows = (given: Record<string, Share>): Record<string, object | false> =>
  Object.fromEntries(
    Object.entries(given).map(([name, { moving, window }]) => [name, moving ? window : false]),
  );
const two: Limits = { maxUnavailable: { count: 2 } };

describe('the envelope of a root is split over its children', () => {
  test('a child without a part stays on the stable revision, with all of its pods', () => {
    const given = shares({ ...forward, allowed: 2 }, two, [child('a', 5), child('b', 3)]);
    expect(given).toEqual({
      a: {
        goal: NEW,
        stable: OLD,
        allowed: 2,
        moving: true,
        window: { maxUnavailable: 2 },
        mode: 'InPlace',
      },
      b: { goal: OLD, stable: OLD, allowed: 3, moving: false, window: {}, mode: 'InPlace' },
    });
  });

  test('a child gets what comes free, though its own broken pods use up all that it has', () => {
    const zones = (broken: number): ChildRow[] => [
      child('a', 30, { updated: 30, broken }),
      child('b', 30, { updated: 8, broken: 8 }),
    ];
    const ten: Limits = { maxUnavailable: { count: 10 } };
    expect(windows(shares({ ...forward, allowed: 60 }, ten, zones(2))).b).toEqual({ maxUnavailable: 8 });
    expect(windows(shares({ ...forward, allowed: 60 }, ten, zones(1))).b).toEqual({ maxUnavailable: 9 });
  });

  test('the first children that have pods to update get the limits', () => {
    const zones = (a: number, b: number): ChildRow[] => [
      child('a', 5, { updated: a }),
      child('b', 3, { updated: b }),
      child('c', 2),
    ];
    expect(windows(shares(forward, two, zones(0, 0)))).toEqual({
      a: { maxUnavailable: 2 },
      b: false,
      c: false,
    });
    expect(windows(shares(forward, two, zones(4, 0)))).toEqual({
      a: { maxUnavailable: 1 },
      b: { maxUnavailable: 1 },
      c: false,
    });
    expect(windows(shares(forward, two, zones(5, 0)))).toEqual({
      a: false,
      b: { maxUnavailable: 2 },
      c: false,
    });
  });

  test('pods that are not available anywhere use them up', () => {
    const zones = [child('a', 5), child('b', 3, { broken: 1 }), child('c', 2)];
    expect(windows(shares(forward, two, zones))).toEqual({
      a: { maxUnavailable: 1 },
      b: { maxUnavailable: 1 },
      c: false,
    });
    const none: Limits = { maxUnavailable: { count: 1 } };
    expect(windows(shares(forward, none, zones))).toEqual({ a: false, b: { maxUnavailable: 1 }, c: false });
  });

  test('a child gets no more than its own limits let it use, and the next one has the rest', () => {
    const all: Limits = { maxUnavailable: { count: 3 } };
    const own = (): Limits => ({ maxUnavailable: { count: 1 } });
    const given = (...zones: ChildRow[]): Record<string, object | false> =>
      windows(shares({ ...forward, allowed: 12 }, all, zones, own));
    const one = { maxUnavailable: 1 };
    expect(given(child('a', 4), child('b', 4), child('c', 4))).toEqual({ a: one, b: one, c: one });
    // A broken pod of it is what its own limit has: it may replace that one.
    expect(given(child('a', 4, { broken: 1 }), child('b', 4), child('c', 4))).toEqual({
      a: one,
      b: one,
      c: one,
    });
    // More are broken than its own limit has: what is left of all goes to the next one alone.
    expect(given(child('a', 4, { broken: 2 }), child('b', 4), child('c', 4))).toEqual({
      a: { maxUnavailable: 2 },
      b: one,
      c: false,
    });
  });

  test('each field is split by itself', () => {
    const limits: Limits = { maxUnavailable: { count: 0 }, maxSurge: { count: 3 } };
    const zones = [child('a', 2), child('b', 3)];
    expect(windows(shares(forward, limits, zones))).toEqual({
      a: { maxUnavailable: 0, maxSurge: 2 },
      b: { maxUnavailable: 0, maxSurge: 1 },
    });
  });

  test('without limits every child with pods to update gets on, as its own limits let it', () => {
    const zones = [child('a', 5, { updated: 5 }), child('b', 3), child('c', 2, { broken: 1 })];
    expect(windows(shares(forward, {}, zones))).toEqual({ a: false, b: {}, c: {} });
    expect(windows(shares({ ...forward, moving: false }, {}, zones))).toEqual({
      a: false,
      b: false,
      c: false,
    });
  });

  test('nothing is updated while nothing of the root may be', () => {
    const zones = [child('a', 5), child('b', 3)];
    expect(windows(shares({ ...forward, moving: false }, two, zones))).toEqual({ a: false, b: false });
  });

  test('of a way back, all children are part, those that are there already aside', () => {
    const zones = [child('a', 5, { updated: 5 }), child('b', 3, { updated: 1 }), child('c', 2)];
    const given = shares(back, { maxUnavailable: { count: 9 } }, zones);
    expect(windows(given)).toEqual({ a: { maxUnavailable: 5 }, b: { maxUnavailable: 1 }, c: false });
    expect(Object.values(given).map(({ goal, allowed }) => [goal, allowed])).toEqual([
      [OLD, 5],
      [OLD, 3],
      [OLD, 2],
    ]);
  });
});

describe('children that change as a whole', () => {
  const whole = (name: string, size: number, parts: ChildParts = {}): ChildRow =>
    child(name, size, { steps: 'whole', ...parts });
  const goals = (given: Record<string, Share>): [string, number, boolean][] =>
    Object.values(given).map(({ goal, allowed, moving }) => [goal, allowed, moving]);
  const lost = { pods: [], given: givenPart(OLD, 1) };
  const going = whole('a', 1, { updated: 1, broken: 1 });

  test('one that reports no pod waits for its turn all the same', () => {
    expect(goals(shares(forward, {}, [going, whole('b', 1, lost)]))).toEqual([
      [NEW, 1, false],
      [OLD, 1, false],
    ]);
    expect(goals(shares(forward, {}, [whole('b', 1, lost), whole('c', 1)]))).toEqual([
      [NEW, 1, true],
      [OLD, 1, false],
    ]);
  });

  test('one that is on a revision between stays there while it reports no pod', () => {
    const between = whole('b', 1, { pods: [], given: givenPart('h1:between', 1) });
    const step = { ...forward, allowed: 1, within: { a: 1 } };
    expect(goals(shares(step, {}, [going, between]))[1]).toEqual(['h1:between', 1, false]);
    // It has been given none, or all of its pods are still on the stable one: nothing is replaced.
    const free = [{ ...between, given: givenPart('h1:between', 0) }, whole('b', 1, { given: between.given })];
    for (const each of free) expect(goals(shares(step, {}, [going, each]))[1]).toEqual([OLD, 1, false]);
  });

  test('on the way back each gets the stable template, also where it has no pod on another', () => {
    const stuck = whole('a', 2, { given: givenPart(NEW, 2) });
    const away = whole('b', 2, { updated: 2 });
    expect(goals(shares(back, {}, [stuck, away]))).toEqual([
      [OLD, 2, true],
      [OLD, 2, true],
    ]);
    // Where nothing may move, only what moves no pod changes.
    expect(goals(shares({ ...back, moving: false }, {}, [stuck, away]))).toEqual([
      [OLD, 2, false],
      [NEW, 2, false],
    ]);
  });
});

const anyChild = fc.record({
  size: fc.integer({ min: 0, max: 6 }),
  updated: fc.nat({ max: 6 }),
  broken: fc.nat({ max: 6 }),
});

test('no limit is given away twice', () => {
  const most = fc.integer({ min: 0, max: 8 });
  fc.assert(
    fc.property(
      fc.array(anyChild, { maxLength: 5 }),
      most,
      most,
      fc.nat({ max: 30 }),
      fc.option(most, { nil: undefined }),
      (drawn, down, extra, allowed, ownMost) => {
        const children = drawn.map(({ size, updated, broken }, index) =>
          child(`child-${index}`, size, { updated: Math.min(updated, size), broken: Math.min(broken, size) }),
        );
        const limits: Limits = { maxUnavailable: { count: down }, maxSurge: { count: extra } };
        const own: Limits = ownMost === undefined ? {} : { maxUnavailable: { count: ownMost } };
        const given = shares({ ...forward, allowed }, limits, children, () => own);
        const unavailable = drawn.reduce((sum, { size, broken }) => sum + Math.min(broken, size), 0);
        const moving = children.filter(({ name }) => given[name]?.moving);
        const field = (name: 'maxUnavailable' | 'maxSurge'): number =>
          moving.reduce((sum, each) => sum + (given[each.name]?.window[name] ?? 0), 0);
        expect(field('maxUnavailable')).toBeLessThanOrEqual(Math.max(down, unavailable));
        expect(field('maxSurge')).toBeLessThanOrEqual(extra);
      },
    ),
  );
});
