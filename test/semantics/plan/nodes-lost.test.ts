import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { type Drive, drive, state } from './drive.ts';
import { fleet, type FleetNode, ofNodes, taken, without } from './nodes.ts';
import { NEW, OLD, planObject, rest, spec } from './rollout.ts';

const lost = { isReady: false };

/** A rollout over nodes from OLD to NEW. */
function rollout(nodes: FleetNode[], steps: Step[] = [rest]): Drive {
  return drive({ view: ofNodes(nodes), plans: [planObject(spec({ steps }))] });
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

  /** What becomes of a step while one node of ten is lost and comes back with a restarted pod. */
  function through(steps: Step[], after: (nodes: FleetNode[]) => FleetNode[]): string[] {
    const self = rollout(fleet(10), steps);
    const onNew = taken(fleet(10), 10);
    const states = [
      onNew,
      without(onNew, [3], lost),
      after(restartedOn(onNew, 3, false)),
      after(restartedOn(onNew, 3, true)),
    ];
    self.reconcile();
    return states.map((nodes) => {
      self.view = ofNodes(nodes);
      self.reconcile();
      self.reconcile();
      return state(self);
    });
  }

  /** The pod of a node has restarted once. */
  const restartedOn = (nodes: FleetNode[], at: number, available: boolean): FleetNode[] =>
    nodes.map((node, n) => (n === at ? { ...node, restarts: 1, available } : node));

  const soak: Step = { id: 'soak', soak: { for: '10m' } };

  test('a node that reboots in a soak fails nothing, and its pod is judged again once it is back', () => {
    expect(through([rest, soak], (nodes) => nodes)).toEqual(Array.from({ length: 4 }, () => 'Soaking soak'));
    // Another pod is as unavailable, and its node was there.
    const broken = through([rest, soak], (nodes) => without(nodes, [5]));
    expect(broken.slice(1)).toEqual(['Soaking soak', 'Halted soak Breach', 'Halted soak Breach']);
  });

  test('a second restart of that pod fails the soak', () => {
    const self = rollout(fleet(10), [rest, soak]);
    const onNew = taken(fleet(10), 10);
    const play = (nodes: FleetNode[]): string => {
      self.view = ofNodes(nodes);
      self.reconcile();
      return state(self);
    };
    self.reconcile();
    const states = [onNew, without(onNew, [3], lost), restartedOn(onNew, 3, true)].map(play);
    expect(states).toEqual(Array.from({ length: 3 }, () => 'Soaking soak'));
    expect(self.memory[0]?.progress).toMatchObject({ baseline: { restarts: { 'n-03': 1 } } });
    expect(self.memory[0]?.progress.away).toBe(undefined);
    const again = onNew.map((node, n) => (n === 3 ? { ...node, restarts: 2 } : node));
    expect(play(again)).toBe('Halted soak Breach');
  });
});
