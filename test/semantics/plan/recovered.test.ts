import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { drive, state } from './drive.ts';
import { fleet, type FleetNode, ofNodes, taken, without } from './nodes.ts';
import { MINUTE, planObject, rest, spec } from './rollout.ts';

const SECOND = 1_000;
const lost = { isReady: false };

test('that a broken node has recovered is written at once, also where another one breaks in the same moment', () => {
  const self = drive({
    view: ofNodes(without(without(fleet(40), [0]), [20], lost)),
    plans: [planObject(spec({ steps: [rest] }))],
  });
  self.reconcile();
  self.reconcile();
  // One goes away: which nodes are away is recorded now, and not again for half a minute.
  self.view = ofNodes(without(without(without(fleet(40), [0]), [20], lost), [30], lost));
  self.wait(2 * SECOND);
  const recorded = self.memory[0]?.progress;
  expect([recorded?.baseline.unavailable, recorded?.down]).toEqual([['n-00'], ['n-20']]);
  // One recovers, and one that was down is back with a broken pod.
  self.view = ofNodes(without(without(taken(fleet(40), 1), [20]), [30], lost));
  self.wait(2 * SECOND);
  expect(self.memory[0]?.progress.baseline.unavailable).toEqual(['n-20']);
});

describe('restarts of a unit that was broken before, until it has recovered, are none of the change', () => {
  const soak: Step = { id: 'soak', soak: { for: '3h' } };
  const restarted = (nodes: FleetNode[], which: number, restarts: number): FleetNode[] =>
    nodes.map((node, n) => (n === which ? { ...node, restarts } : node));

  test.each<[what: string, before: Partial<FleetNode>, updated: number, restarts: number]>([
    ['a node that was down, and is back with its old pod', lost, 19, 2],
    ['a node that was Ready, and has the change', {}, 20, 1],
  ])('%s', (_what, before, updated, restarts) => {
    const broken = [19];
    const self = drive({
      view: ofNodes(without(fleet(20), broken, before)),
      plans: [planObject(spec({ steps: [rest, soak] }))],
    });
    self.reconcile();
    self.view = ofNodes(without(taken(fleet(20), updated), broken, before));
    self.wait(5 * MINUTE);
    expect(state(self)).toBe('Soaking soak');
    self.view = ofNodes(without(taken(fleet(20), updated), broken));
    self.wait(MINUTE);
    expect(self.memory[0]?.progress.baseline.unavailable).toEqual(['n-19']);
    // The new pod restarts while it comes up.
    self.view = ofNodes(without(restarted(taken(fleet(20), 20), 19, restarts), broken));
    self.wait(MINUTE);
    self.view = ofNodes(restarted(taken(fleet(20), 20), 19, restarts));
    self.wait(10 * MINUTE);
    expect(state(self)).toBe('Soaking soak');
    expect(self.memory[0]?.progress.baseline).toEqual({ unavailable: [], restarts: { 'n-19': restarts } });
    self.view = ofNodes(restarted(taken(fleet(20), 20), 19, restarts + 1));
    self.wait(MINUTE);
    expect(state(self)).toBe('Halted soak Breach');
  });
});
