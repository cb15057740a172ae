import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { type Drive, drive, state } from './drive.ts';
import { fleet, type FleetNode, ofNodes, taken } from './nodes.ts';
import { MINUTE, NEW, NOW, planObject, rest, spec } from './rollout.ts';

const half: Step = { id: 'half', update: { to: '50%' } };
const soak: Step = { id: 'soak', soak: { for: '10m' } };

/** A rollout over nodes from OLD to NEW. */
function rollout(nodes: FleetNode[], steps: Step[]): Drive {
  return drive({ view: ofNodes(nodes), plans: [planObject(spec({ steps }))] });
}

/** The same nodes, of which the last ones have joined now. */
function withJoined(nodes: FleetNode[], count: number, parts: Partial<FleetNode> = {}): FleetNode[] {
  return nodes.map((node, n) => (n < nodes.length - count ? node : { ...node, joinedAt: NOW, ...parts }));
}

describe('how many nodes a step is of, while nodes join and go', () => {
  /** How many are allowed once the cluster is like this. A step of half starts with ten nodes that count and three that do not. */
  function allowedOf(nodes: FleetNode[], beside: readonly number[]): unknown {
    const self = rollout(fleet(10), [half, rest]);
    self.view = ofNodes(fleet(10), { beside: [0, 0, 0] });
    self.reconcile();
    self.view = ofNodes(nodes, { beside });
    return self.reconcile().envelope.allowed;
  }
  /** When those were created that do not count, as the milliseconds since 1970. */
  const controls = [0, 0, 0];
  const later = [NOW, NOW, NOW, NOW, NOW];

  test.each<[string, FleetNode[], readonly number[], number]>([
    // 6 of those that counted are left.
    ['four go, and five that do not count join', fleet(6), [...controls, ...later], 3],
    ['four go, and five that count join', withJoined(fleet(11), 5), controls, 3],
    ['none goes, and five that count join', withJoined(fleet(15), 5), controls, 5],
    ['four are tainted, and five that count join', withJoined(fleet(11), 5), [...controls, 0, 0, 0, 0], 5],
    // None that counted is left: the step is of those that have come instead.
    ['all go, and eight that count join', withJoined(fleet(8), 8), controls, 4],
    [
      'all are tainted, and eight that count join',
      withJoined(fleet(8), 8),
      [...controls, ...Array<number>(10).fill(0)],
      5,
    ],
  ])('%s', (_what, nodes, beside, expected) => {
    expect(allowedOf(nodes, beside)).toBe(expected);
  });
});

test('a node that joins with the labels of a step gets the revision in the step of all, whatever the size of that one', () => {
  const canary = { matchLabels: { track: 'canary' } };
  const labels = { track: 'canary' };
  const nodes = fleet(5).map((node, n) => (n < 3 ? node : { ...node, labels }));
  const ofCanary: Step = { id: 'canary', update: { to: '100%', nodes: canary } };
  const self = rollout(nodes, [ofCanary, rest]);
  expect(self.reconcile().envelope).toMatchObject({ allowed: 2 });
  const joined = withJoined(fleet(7), 2, { labels, isEmpty: true });
  self.view = ofNodes([...nodes, ...joined.slice(5)]);
  const { envelope } = self.reconcile();
  expect(envelope).toMatchObject({
    allowed: 2,
    joinedUntil: 0,
    reason: 'step canary allows 2 of 2 nodes with track=canary',
  });
  expect(envelope.newPods).toBeUndefined();
  // They hold the step up no more than others.
  const done = nodes.map((node, n) => (n < 3 ? node : (taken([node], 1)[0] ?? node)));
  self.view = ofNodes([...done, ...joined.slice(5)]);
  expect(self.reconcile().envelope).toMatchObject({ allowed: 7, newPods: 100 });
  expect(state(self)).toBe('Running rest');
});

test('a pod that fits nowhere on a node that has joined stops no update', () => {
  /** Why a step stops, of five nodes of which the last one has an updated pod that fits nowhere. */
  function blockedBy(joined: number): string | undefined {
    const self = rollout(fleet(5 - joined), [rest]);
    self.reconcile();
    const full = { available: false, unschedulable: '0/5 nodes are available', hash: NEW };
    const nodes = taken(fleet(5), 2).map((node, n) => (n === 4 ? { ...node, ...full } : node));
    self.view = ofNodes(withJoined(nodes, joined));
    return self.reconcile().blocked?.reason;
  }
  // Where it was there when the step started, the step needs room for it.
  expect([blockedBy(1), blockedBy(0)]).toEqual([undefined, 'NoCapacity']);
});

describe('a gate after the step of all, in which a node has joined', () => {
  /** What becomes of the soak with the pod of that node like this in turn. */
  function through(...isAvailable: boolean[]): string[] {
    const self = rollout(fleet(10), [rest, soak]);
    self.reconcile();
    return isAvailable.map((available) => {
      self.view = ofNodes(withJoined(taken(fleet(11), 11), 1, { available, createdAt: NOW - 1 }));
      self.wait(MINUTE);
      return state(self);
    });
  }

  test('does not fail because the pod of that node is not available yet', () => {
    expect(through(false, false, true)).toEqual(['Soaking soak', 'Soaking soak', 'Soaking soak']);
  });

  test('fails when it was available, and is not any more', () => {
    expect(through(false, true, false).at(-1)).toBe('Halted soak Breach');
  });

  test('its clock does not wait for that pod', () => {
    const self = rollout(fleet(5), [rest, soak]);
    self.reconcile();
    self.view = ofNodes(withJoined(taken(fleet(6), 6), 1, { available: false }));
    self.wait(12 * MINUTE);
    expect(state(self)).toBe('Succeeded Completed');
  });
});
