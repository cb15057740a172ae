import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { tooManyBroken } from '../../../semantics/plan/baseline.ts';
import { type Accepted, progressAnnotation } from '../../../semantics/plan/memory.ts';
import { fitting, isFull, type Lists } from '../../../semantics/plan/record-limit.ts';
import * as fc from '../../property.ts';
import { activePlanOf, type Drive, drive, sendCommand, state } from './drive.ts';
import { fleet, type FleetNode, ofNodes, taken } from './nodes.ts';
import { MINUTE, planObject, rest, spec } from './rollout.ts';

/** The limit of the server for all annotations of one object. */
const ANNOTATIONS = 256 * 1024;
const LISTS = ['unavailable', 'restarts', 'excused', 'away', 'down', 'unreverted'] as const;
type List = (typeof LISTS)[number];

function withList(record: Lists, list: List, names: readonly string[]): Lists {
  const { baseline = { unavailable: [], restarts: {} } } = record;
  if (list === 'unavailable') return { ...record, baseline: { ...baseline, unavailable: [...names] } };
  if (list === 'restarts')
    return {
      ...record,
      baseline: { ...baseline, restarts: Object.fromEntries(names.map((name) => [name, 2 ** 31])) },
    };
  return { ...record, [list]: [...names] };
}

const namesOf = (count: number, length: number): string[] =>
  Array.from({ length: count }, (_, n) => `n${n}-`.padEnd(length, 'x'));

test('all lists fit into one annotation, each has room for some names, and what is cut is full', () => {
  const fills = fc.array(
    fc.record({
      list: fc.constantFrom(...LISTS),
      count: fc.integer({ min: 0, max: 3_000 }),
      length: fc.integer({ min: 10, max: 253 }),
    }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(fills, (all) => {
      let record: Lists = {};
      for (const { list, count, length } of all) {
        const names = namesOf(count, length);
        const fit = fitting(record, list, names);
        expect(fit).toEqual(names.slice(0, fit.length));
        expect(fit.length).toBeGreaterThanOrEqual(Math.min(count, 50));
        record = withList(record, list, fit);
        if (fit.length < count) expect(isFull(record, list)).toBe(true);
        expect(JSON.stringify(record).length).toBeLessThan(200 * 1024);
      }
    }),
    { numRuns: 100 },
  );
});

test.each([
  [50, 2_000],
  [250, 453],
])('a list alone has room for names of %i characters: %i', (length, expected) => {
  expect(fitting({}, 'away', namesOf(3_000, length))).toHaveLength(expected);
});

describe('a plan on 6,000 nodes with names of 250 characters', () => {
  const longest = (nodes: FleetNode[]): FleetNode[] =>
    nodes.map((node) => ({ ...node, unit: node.unit.padEnd(250, 'x') }));
  const all = longest(fleet(6_000));
  const soak: Step = { id: 'soak', soak: { for: '1h' } };
  const change = (nodes: FleetNode[], from: number, to: number, parts: Partial<FleetNode>): FleetNode[] =>
    nodes.map((node, n) => (n >= from && n < to ? { ...node, ...parts } : node));
  const down = { isReady: false, available: false };

  function longestOf(self: Drive): number {
    return Math.max(
      ...self.memory.map(({ progress }) => Object.values(progressAnnotation(progress))[0]?.length ?? 0),
    );
  }

  test('its record fits into an annotation, whatever is broken, down, restarted, lost and excused', () => {
    const before = change(change(all, 0, 440, { available: false }), 1_000, 1_600, down);
    const self = drive({ view: ofNodes(before), plans: [planObject(spec({ steps: [rest, soak] }))] });
    const play = (nodes: FleetNode[]): void => {
      self.view = ofNodes(nodes);
      self.now += MINUTE;
      self.reconcile();
      expect(longestOf(self)).toBeLessThan(ANNOTATIONS);
    };
    self.reconcile();
    expect(state(self)).toBe('Running rest');
    expect(activePlanOf(self)?.progress.baseline.unavailable).toHaveLength(440);
    const updated = taken(before, 6_000).map((node) => ({ ...node, available: node.isReady, restarts: 3 }));
    play(updated);
    play(change(updated, 2_000, 2_550, down));
    play(change(updated, 2_000, 2_550, { available: false }));
    play(updated);
    play(change(updated, 3_000, 3_400, { available: false }));
    sendCommand(self, 'Resume');
    play(change(updated, 3_000, 3_400, { available: false }));
    play(change(change(updated, 3_000, 3_400, { available: false }), 4_000, 4_600, down));
    sendCommand(self, 'Revert');
    play(change(updated, 3_000, 3_500, down));
  });

  test('waits where more is broken than that, and says how many may be', () => {
    const self = drive({
      view: ofNodes(change(all, 0, 500, { available: false })),
      plans: [planObject(spec({ steps: [rest] }))],
    });
    expect(self.reconcile().blocked).toMatchObject({
      reason: 'TooManyBroken',
      message: expect.stringContaining(
        '500 pods are not available, and a plan starts with at most 453 of them',
      ),
    });
  });

  test('waits where what is excused has no room beside the other lists of the plan that it continues', () => {
    const self = drive({ view: ofNodes(all), plans: [planObject(spec({ steps: [rest] }))] });
    self.reconcile();
    const accepted = activePlanOf(self);
    if (accepted === undefined) throw new Error('it is accepted');
    const away = fitting({}, 'away', namesOf(3_000, 250));
    const halted: Accepted = { ...accepted, progress: { ...accepted.progress, phase: 'Halted', away } };
    const broken = change(taken(all, 6_000), 3_000, 3_300, { available: false });
    const why = tooManyBroken(ofNodes(broken), accepted.spec.to.hash, halted);
    expect(why).toContain('300 pods are not available, and a plan starts with at most');
    const none: Accepted = { ...halted, progress: { ...halted.progress, away: [] } };
    expect(tooManyBroken(ofNodes(broken), accepted.spec.to.hash, none)).toBe(undefined);
  });
});
