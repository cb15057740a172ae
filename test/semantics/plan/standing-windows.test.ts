import { describe, expect, test } from 'vitest';
import type { Limits } from '../../../semantics/limits/window.ts';
import { sharesOf } from '../../../semantics/plan/shares-of.ts';
import type { Share } from '../../../semantics/plan/share.ts';
import type { ChildRow } from '../../../semantics/plan/units.ts';
import * as fc from '../../property.ts';
import { child } from './children.ts';
import { NEW, OLD } from './rollout.ts';

const forward = { goal: NEW, stable: OLD, moving: true, mode: 'Recreate' } as const;
const limitsOf = (count: number): Limits => ({ maxUnavailable: { count } });

/** A zone whose pods are taken to the new revision, each for so many seconds, as many at a time as its window says. */
interface Zone {
  name: string;
  size: number;
  share: Share | undefined;
  /** When each updated pod is available. */
  ready: number[];
  /** So many of its first ones never are. */
  broken: number;
}

function rowOf({ name, size, share, ready }: Zone, now: number): ChildRow {
  const waiting = ready.filter((at) => at > now).length;
  const updated = ready.length;
  const pods = [
    { hash: OLD, count: size - updated, available: size - updated },
    { hash: NEW, count: updated, available: updated - waiting },
  ];
  const window = share?.moving === true ? share.window : undefined;
  const given = share && { goal: share.goal, allowed: share.allowed, atMost: share.allowed, window };
  return child(name, size, { pods, ...(given && { given }) });
}

function downIn({ ready }: Zone, now: number): number {
  return ready.filter((at) => at > now).length;
}

/** How many shares are written until all pods are updated, how long that takes, and the most that were unavailable. */
function rollout(zones: Zone[], most: number, secondsOf: (pod: number) => number) {
  const allowed = zones.reduce((sum, { size }) => sum + size, 0);
  let [writes, started, unavailable] = [0, 0, 0];
  for (let now = 0; now < 10_000; now += 1) {
    const rows = zones.map((zone) => rowOf(zone, now));
    const shares = sharesOf({ ...forward, allowed }, limitsOf(most), rows);
    for (const zone of zones) {
      const share = shares.get(zone.name)?.share;
      if (JSON.stringify(share) === JSON.stringify(zone.share)) continue;
      writes += 1;
      zone.share = share;
    }
    for (const zone of zones) {
      const room = zone.share?.moving === true ? (zone.share.window.maxUnavailable ?? 0) : 0;
      while (zone.ready.length < zone.size && downIn(zone, now) < room) {
        started += 1;
        zone.ready.push(zone.ready.length < zone.broken ? Infinity : now + secondsOf(started));
      }
    }
    unavailable = Math.max(
      unavailable,
      zones.reduce((sum, each) => sum + downIn(each, now), 0),
    );
    if (zones.every(({ ready, size }) => ready.length === size)) return { writes, seconds: now, unavailable };
  }
  throw new Error('it does not end');
}

const zone = (name: string, size: number, broken = 0): Zone => ({
  ...{ name, size, broken, share: undefined, ready: [] },
});

/** Between 20 and 60 seconds. */
const secondsOf = (pod: number): number => 20 + ((pod * 7_919) % 41);
const three = (broken = 0): Zone[] => [zone('a', 100, broken), zone('b', 100), zone('c', 100)];

describe('the windows of children', () => {
  // A window for each pod that is available again would be 48, 89 and 93 writes.
  test.each([
    [25, 0, 25, 470],
    [75, 0, 30, 150],
    [75, 3, 42, 165],
  ])('of 300 pods, %i at a time, %i of which stay broken', (most, broken, writes, seconds) => {
    const found = rollout(three(broken), most, secondsOf);
    expect(found.writes).toBeLessThanOrEqual(writes);
    expect(found.seconds).toBeLessThanOrEqual(seconds);
    expect(found.unavailable).toBe(most);
  });

  const windowsOf = (most: number, rows: readonly ChildRow[]): unknown[] =>
    [...sharesOf({ ...forward, allowed: 60 }, limitsOf(most), rows).values()].map(
      ({ share }) => share.window.maxUnavailable,
    );
  /** A zone that is through, with so many pods that are not available yet, and one that has a window. */
  const after = (waiting: number, window: number): ChildRow[] => [
    child('a', 30, { updated: 30, broken: waiting }),
    child('b', 30, {
      updated: 5,
      given: { goal: NEW, allowed: 30, atMost: 30, window: { maxUnavailable: window } },
    }),
  ];

  test('stay until they grow by a quarter, or nothing more comes free', () => {
    expect(windowsOf(25, after(17, 8))).toEqual([undefined, 8]);
    expect(windowsOf(25, after(16, 8))).toEqual([undefined, 8]);
    expect(windowsOf(25, after(15, 8))).toEqual([undefined, 10]);
    expect(windowsOf(25, after(1, 24))).toEqual([undefined, 24]);
    expect(windowsOf(25, after(0, 24))).toEqual([undefined, 25]);
    expect(windowsOf(5, after(0, 4))).toEqual([undefined, 5]);
  });

  test('shrink as soon as pods elsewhere are not available', () => {
    expect(windowsOf(25, after(18, 8))).toEqual([undefined, 7]);
    expect(windowsOf(6, after(0, 8))).toEqual([undefined, 6]);
  });
});

const anyZone = fc.record({ size: fc.integer({ min: 1, max: 12 }), broken: fc.nat({ max: 2 }) });

test('no more pods are unavailable than may be, and every rollout ends', () => {
  fc.assert(
    fc.property(
      fc.array(anyZone, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 40 }),
      (drawn, more, spread) => {
        const zones = drawn.map(({ size, broken }, index) => zone(`z${index}`, size, Math.min(broken, size)));
        const broken = zones.reduce((sum, each) => sum + each.broken, 0);
        const found = rollout(zones, broken + more, (pod) => 1 + ((pod * 7) % spread));
        expect(found.unavailable).toBeLessThanOrEqual(broken + more);
      },
    ),
  );
});
