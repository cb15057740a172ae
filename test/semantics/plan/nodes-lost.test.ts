import { describe, expect, test } from 'vitest';
import { type Drive, drive, state } from './drive.ts';
import { fleet, ofNodes, taken, without } from './nodes.ts';
import { NEW, OLD, planObject, rest, spec } from './rollout.ts';

const lost = { isReady: false };

/** A rollout over nodes from OLD to NEW. */
function rollout(nodes: ReturnType<typeof fleet>): Drive {
  return drive({ view: ofNodes(nodes), plans: [planObject(spec({ steps: [rest] }))] });
}

describe('an outage of nodes', () => {
  test('what an outage has left at the end is retained by no bound', () => {
    const self = rollout(without(fleet(10), [9], lost));
    self.reconcile();
    self.view = ofNodes(without(taken(fleet(10), 9), [9], lost));
    self.reconcile();
    expect([state(self), self.view.retained]).toEqual(['Succeeded Completed', undefined]);
    // Its pod is at a revision that nobody expects, and is updated.
    self.view = { ...ofNodes(taken(fleet(10), 9)), stable: NEW };
    expect(self.reconcile().envelope).toMatchObject({ goal: NEW, allowed: 'unbounded', moving: true });
  });

  test('no further node is taken while more than a tenth are lost, and the way back goes on', () => {
    const moving = (lostNow: readonly number[], phase: 'forward' | 'back' = 'forward'): boolean => {
      const self = rollout(fleet(10));
      self.reconcile();
      const view = ofNodes(without(taken(fleet(10), 4), lostNow, lost));
      self.view = phase === 'back' ? { ...view, liveHash: OLD } : view;
      return self.reconcile().envelope.moving;
    };
    expect([moving([]), moving([0]), moving([0, 1]), moving([0, 9])]).toEqual([true, true, false, false]);
    expect(moving([0, 1], 'back')).toBe(true);
  });
});
