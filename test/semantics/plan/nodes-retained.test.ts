import { describe, expect, test } from 'vitest';
import type { RolloutView } from '../../../semantics/plan/rollout-view.ts';
import type { NodeUnits } from '../../../semantics/plan/units.ts';
import { type Drive, drive, state } from './drive.ts';
import { fleet, type FleetNode, ofNodes, taken, without } from './nodes.ts';
import { NEW, OLD, planObject, rest, spec, UNEXPECTED } from './rollout.ts';

const lost = { isReady: false };

/** A target whose partition keeps so many nodes. */
function keeping(partition: number, nodes: FleetNode[]): RolloutView<NodeUnits> {
  return { ...ofNodes(nodes), partition };
}

/** A plan with that partition, which has ended with the nodes like this. */
function ended(partition: number, nodes: FleetNode[]): Drive {
  const plan = planObject(spec({ to: { hash: NEW, bound: { partition } }, steps: [rest] }));
  const self = drive({ view: keeping(partition, fleet(nodes.length)), plans: [plan] });
  self.reconcile();
  self.view = keeping(partition, nodes);
  self.reconcile();
  expect(state(self)).toBe('Succeeded Completed');
  return self;
}

describe('a plan with a partition ends while nodes are not Ready: as many are on record as it retains', () => {
  const three = { hash: OLD, n: 3 };

  test.each<[string, FleetNode[], typeof three | undefined]>([
    ['none is', taken(fleet(10), 7), three],
    ['one of those that it retains', without(taken(fleet(10), 7), [9], lost), three],
    ['the same without a pod', without(taken(fleet(10), 7), [9], lost, 'empty'), three],
    ['one that was taken', without(taken(fleet(10), 7), [0], lost), three],
    // It may be any three of these four.
    ['more than it retains', without(taken(fleet(40), 36), [36, 37, 38, 39], lost), three],
    ['a node that is Ready has lost its pod', without(taken(fleet(10), 7), [9], {}, 'empty'), three],
  ])('%s', (_what, nodes, retained) => {
    expect(ended(3, nodes).view.retained).toEqual(retained);
  });

  test('the only one that it retains has no pod', () => {
    const nodes = without(taken(fleet(3), 2), [2], lost, 'empty');
    expect(ended(1, nodes).view.retained).toEqual({ hash: OLD, n: 1 });
  });

  test('without a partition none is', () => {
    expect(ended(0, without(taken(fleet(10), 9), [9], lost)).view.retained).toBe(undefined);
  });

  test('a pod of an older revision on a node that is not Ready does not tell the revision', () => {
    const old = (nodes: FleetNode[]): FleetNode[] =>
      nodes.map((node, n) => (n < 18 ? node : { ...node, hash: UNEXPECTED, ...lost, available: false }));
    const plan = planObject(spec({ to: { hash: NEW, bound: { partition: 3 } }, steps: [rest] }));
    const self = drive({ view: keeping(3, old(fleet(20))), plans: [plan] });
    self.reconcile();
    self.view = keeping(3, old(taken(fleet(20), 17)));
    self.reconcile();
    expect([state(self), self.view.retained]).toEqual(['Succeeded Completed', three]);
  });
});

describe('when they are back', () => {
  test('the bound retains no more than it did: the others are updated', () => {
    const self = ended(3, without(taken(fleet(40), 36), [36, 37, 38, 39], lost));
    self.view = { ...keeping(3, taken(fleet(40), 36)), stable: NEW, retained: self.view.retained };
    expect(self.reconcile().envelope).toMatchObject({ goal: NEW, allowed: 37, moving: true });
    self.view = { ...self.view, pods: ofNodes(taken(fleet(40), 37)).pods };
    expect(self.reconcile().envelope).toMatchObject({ goal: NEW, allowed: 37, moving: false });
  });

  test('and no fewer', () => {
    const self = ended(3, without(taken(fleet(10), 7), [9], lost));
    self.view = { ...keeping(3, taken(fleet(10), 7)), stable: NEW, retained: self.view.retained };
    expect(self.reconcile().envelope).toMatchObject({
      goal: NEW,
      allowed: 7,
      moving: false,
      retained: { hash: OLD, n: 3 },
    });
  });
});
