import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { heldReason } from '../../../semantics/plan/held.ts';
import * as fc from '../../property.ts';
import { type Drive, drive, sendCommand, state } from './drive.ts';
import { fleet, type FleetNode, ofNodes, taken, without } from './nodes.ts';
import { MINUTE, NEW, OLD, planObject, rest, spec } from './rollout.ts';

const canary = { matchLabels: { track: 'canary' } };
const ofCanary = (to: number | string, parts: object = {}): Step => ({
  id: 'canary',
  update: { to, nodes: canary, ...parts },
});
const tenth: Step = { id: 'tenth', update: { to: '10%', atLeast: 1 } };
const half: Step = { id: 'half', update: { to: '50%', atLeast: 1 } };
const soak: Step = { id: 'soak', soak: { for: '10m' } };

/** So many nodes, of which the last ones have `track=canary`. */
const labeled = (count: number, canaries: number): FleetNode[] =>
  fleet(count).map((node, n) => (n < count - canaries ? node : { ...node, labels: { track: 'canary' } }));

/** The same with nodes on NEW, by their places. */
const at = (nodes: readonly FleetNode[], ...places: number[]): FleetNode[] =>
  nodes.map((node, n) => (places.includes(n) ? { ...(taken([node], 1)[0] ?? node) } : node));

function rollout(nodes: readonly FleetNode[], steps: Step[], bound: object = {}): Drive {
  return drive({
    view: ofNodes(nodes),
    plans: [planObject(spec({ to: { hash: NEW, bound }, steps }))],
  });
}

describe('a step about nodes with labels', () => {
  const nodes = labeled(10, 3);

  test('its size is of these, and it takes no other', () => {
    const self = rollout(nodes, [ofCanary('100%'), rest]);
    expect(self.reconcile().envelope).toMatchObject({
      allowed: 3,
      nodes: { within: { selector: canary, beyond: 0 } },
      moving: true,
      reason: 'step canary allows 3 of 3 nodes with track=canary',
    });
    const part = rollout(nodes, [ofCanary('34%'), rest]);
    // Of 3 nodes 66% stay, which is 2 rounded up.
    expect(part.reconcile().envelope.allowed).toBe(1);
    const count = rollout(nodes, [ofCanary(2), rest]);
    expect(count.reconcile().envelope.allowed).toBe(2);
    const more = rollout(nodes, [ofCanary(5), rest]);
    expect(more.reconcile().envelope.allowed).toBe(3);
  });

  test('it is done with these, and says what it waits for', () => {
    const self = rollout(nodes, [ofCanary('100%'), rest]);
    self.reconcile();
    self.view = ofNodes(at(nodes, 7, 8));
    expect(self.reconcile().waitingOn).toBe(
      'pods: 2 of 3 are updated and available, on nodes with track=canary',
    );
    // Others that have the change are none of them.
    self.view = ofNodes(at(nodes, 0, 7, 8));
    self.reconcile();
    expect(state(self)).toBe('Running canary');
    self.view = ofNodes(at(nodes, 7, 8, 9));
    self.reconcile();
    expect(state(self)).toBe('Running rest');
  });

  test('a node of it that is not Ready holds it up no more than any other step', () => {
    const self = rollout(labeled(20, 3), [ofCanary('100%'), rest]);
    self.reconcile();
    self.view = ofNodes(without(at(labeled(20, 3), 17, 18), [19], { isReady: false }));
    self.reconcile();
    expect(state(self)).toBe('Running rest');
  });

  test('where none of its nodes is Ready no clock runs', () => {
    const lost = without(labeled(20, 1), [19], { isReady: false });
    const self = rollout(lost, [ofCanary('100%'), rest]);
    self.reconcile();
    expect(self.wait(60 * MINUTE).waitingOn).toBe('a node that it can take: without n-19 (not Ready)');
    expect(state(self)).toBe('Running canary');
    self.view = ofNodes(at(labeled(20, 1), 19));
    self.reconcile();
    expect(state(self)).toBe('Running rest');
  });

  test('a later step for every node counts them, and takes none of them back', () => {
    const self = rollout(labeled(100, 20), [ofCanary('100%'), tenth, half, rest]);
    self.reconcile();
    const places = Array.from({ length: 20 }, (_, n) => 80 + n);
    self.view = ofNodes(at(labeled(100, 20), ...places));
    const { envelope } = self.reconcile();
    // 10% of 100 is fewer than have it: that step is done, and the next one allows 50 in all.
    expect(state(self)).toBe('Running half');
    expect(envelope).toMatchObject({ allowed: 50 });
    expect(envelope.nodes).toBeUndefined();
  });

  test('in the smaller step after it as many are allowed as have it', () => {
    const self = rollout(labeled(100, 20), [ofCanary('100%'), tenth, soak, rest]);
    self.reconcile();
    const places = Array.from({ length: 20 }, (_, n) => 80 + n);
    self.view = ofNodes(at(labeled(100, 20), ...places));
    expect(self.reconcile().envelope.allowed).toBe(20);
    expect(state(self)).toBe('Soaking soak');
    // Nor is one that is lost in the soak.
    self.view = ofNodes(without(at(labeled(100, 20), ...places), [80], {}, 'empty'));
    expect(self.reconcile().envelope.allowed).toBe(20);
  });

  test('a second one is beside what the first has taken', () => {
    const other = { matchLabels: { track: 'beta' } };
    const both = labeled(10, 3).map((node, n) => (n < 2 ? { ...node, labels: { track: 'beta' } } : node));
    const self = rollout(both, [
      ofCanary('100%'),
      { id: 'beta', update: { to: '100%', nodes: other } },
      rest,
    ]);
    self.reconcile();
    self.view = ofNodes(at(both, 7, 8, 9));
    expect(self.reconcile().envelope).toMatchObject({
      allowed: 5,
      nodes: { within: { selector: other, beyond: 3 } },
    });
    expect(state(self)).toBe('Running beta');
  });

  test('a restart of a node that was updated before fails it', () => {
    const self = rollout(nodes, [{ id: 'one', update: { to: 1 } }, ofCanary('100%'), rest]);
    self.reconcile();
    self.view = ofNodes(at(nodes, 0));
    self.reconcile();
    expect(state(self)).toBe('Running canary');
    self.view = ofNodes(
      at(nodes, 0).map((node, n) =>
        n === 0 ? { ...node, restarts: 1, restartedWhenAvailable: true } : node,
      ),
    );
    self.reconcile();
    expect(state(self)).toBe('Halted canary Breach');
  });

  test('without progress among them it fails, as any step does', () => {
    const self = rollout(nodes, [ofCanary('100%'), rest]);
    self.reconcile();
    self.wait(11 * MINUTE);
    expect(state(self)).toBe('Halted canary Timeout');
  });

  test('a gate after it watches whether they are there', () => {
    const self = rollout(nodes, [ofCanary('100%'), soak, rest]);
    self.reconcile();
    self.view = ofNodes(at(nodes, 7, 8, 9));
    self.reconcile();
    expect(state(self)).toBe('Soaking soak');
    self.view = ofNodes(without(at(nodes, 7, 8, 9), [9], {}, 'empty'));
    expect(self.wait(30 * MINUTE).waitingOn).toBe('1 of 3 to become available again');
    self.view = ofNodes(at(nodes, 7, 8, 9));
    self.wait(11 * MINUTE);
    expect(state(self)).toBe('Running rest');
  });
});

describe('labels that no node has', () => {
  test('the step waits for a node, and no clock runs', () => {
    const self = rollout(fleet(10), [ofCanary('100%', {}), rest]);
    const result = self.reconcile();
    expect(result).toMatchObject({ waitingOn: 'a node with track=canary', boundedBy: 'nodes' });
    expect(heldReason(self.view, result, self.plans)).toEqual({
      reason: 'Bound',
      message:
        'step canary waits for a node with track=canary, and there is none. Label one, or give its batch atLeast: 0 and plan again',
    });
    expect(self.wait(60 * MINUTE).boundedBy).toBe('nodes');
    expect(state(self)).toBe('Running canary');
    self.view = ofNodes(labeled(10, 1));
    expect(self.reconcile().envelope.allowed).toBe(1);
  });

  test('with atLeast: 0 it is over, and so are the gates after it', () => {
    const self = rollout(fleet(10), [ofCanary('100%', { atLeast: 0 }), soak, rest]);
    self.reconcile();
    expect(state(self)).toBe('Running rest');
    expect(self.reconcile().envelope.nodes).toBeUndefined();
  });
});

describe('how many nodes its size is of', () => {
  test.each<[what: string, states: [canaries: number, existing: number][], allowed: number[]]>([
    ['the same nodes', [[10, 12]], [5]],
    [
      'an outage',
      [
        [10, 12],
        [4, 12],
        [10, 12],
      ],
      [5, 5, 5],
    ],
    [
      'deleted Node objects',
      [
        [10, 12],
        [6, 8],
      ],
      [5, 3],
    ],
    [
      'nodes that get the label',
      [
        [10, 12],
        [20, 22],
      ],
      [5, 5],
    ],
  ])('%s', (_what, states, expected) => {
    const view = ([canaries, existing]: [number, number]) =>
      ofNodes(labeled(40, canaries), {
        existing: 40 + existing - canaries,
        joinsWith: () => Array<number>(existing).fill(0),
      });
    const [first = [0, 0]] = states;
    const self = drive({
      view: view(first),
      plans: [planObject(spec({ steps: [ofCanary('50%'), rest] }))],
    });
    const found = states.map((each) => {
      self.view = view(each);
      return self.reconcile().envelope.allowed;
    });
    expect(found).toEqual(expected);
  });
});

describe('bounds beside the labels', () => {
  test('a partition keeps other nodes first', () => {
    const nodes = labeled(10, 3);
    const free = rollout(nodes, [ofCanary('100%'), rest], { partition: 7 });
    free.view = { ...free.view, partition: 7 };
    free.reconcile();
    free.view = { ...ofNodes(at(nodes, 7, 8, 9)), partition: 7 };
    free.reconcile();
    expect(state(free)).toBe('Succeeded Completed');
    const kept = rollout(nodes, [ofCanary('100%'), rest], { partition: 8 });
    kept.view = { ...kept.view, partition: 8 };
    kept.reconcile();
    kept.view = { ...ofNodes(at(nodes, 8, 9)), partition: 8 };
    kept.reconcile();
    // Two are all that 8 of 10 leave: the step is done with them, and so is the plan.
    expect(state(kept)).toBe('Succeeded Completed');
  });

  test('the selector of the manifest is part of the bound', () => {
    const pool = { matchLabels: { pool: 'gpu' } };
    const nodes = labeled(10, 3).map((node, n) =>
      n === 9 ? { ...node, labels: { ...node.labels, pool: 'gpu' } } : node,
    );
    const self = drive({
      view: { ...ofNodes(nodes), selector: pool },
      plans: [
        planObject(spec({ to: { hash: NEW, bound: { selector: pool } }, steps: [ofCanary('100%'), rest] })),
      ],
    });
    expect(self.reconcile().envelope).toMatchObject({
      selector: pool,
      nodes: { within: { selector: canary } },
    });
    self.view = { ...ofNodes(at(nodes, 9)), selector: pool };
    self.reconcile();
    expect(state(self)).toBe('Succeeded Completed');
    expect(self.view.retained).toEqual({ hash: OLD, n: 9 });
  });
});

test('a step by failure domains says which, without nodes that were broken before', () => {
  const broken = without(fleet(10), [4]);
  const self = rollout(broken, [{ id: 'zones', update: { to: '50%', spread: 'zone' } }, soak, rest]);
  const nodes = { spread: 'zone', broken: ['n-04'] };
  expect(self.reconcile().envelope.nodes).toEqual(nodes);
  self.view = ofNodes(without(taken(fleet(10), 5), [4]));
  expect(self.reconcile().envelope.nodes).toEqual(nodes);
  expect(state(self)).toBe('Soaking soak');
});

test('a way back is about every node, in any order', () => {
  const nodes = labeled(10, 3);
  const self = rollout(nodes, [ofCanary('100%', { spread: 'zone' }), rest]);
  self.reconcile();
  self.view = ofNodes(at(nodes, 0, 8, 9));
  sendCommand(self, 'Revert');
  const result = self.reconcile();
  expect(result.envelope.nodes).toBeUndefined();
  expect(result.waitingOn).toBe('3 more to be reverted');
  self.view = ofNodes(nodes);
  self.reconcile();
  expect(state(self)).toContain('Reverted');
});

test('whatever the labels are, a step allows its size of these nodes beside those that had the change', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ isCanary: fc.boolean(), isNew: fc.boolean() }), { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 100 }),
      (parts, percent) => {
        const nodes = fleet(parts.length).map((node, n) =>
          parts[n]?.isCanary === true ? { ...node, labels: { track: 'canary' } } : node,
        );
        const news = parts.flatMap(({ isNew }, n) => (isNew ? [n] : []));
        const self = rollout(at(nodes, ...news), [ofCanary(`${percent}%`), rest]);
        const { envelope } = self.reconcile();
        const canaries = parts.filter(({ isCanary }) => isCanary).length;
        const beyond = parts.filter(({ isCanary, isNew }) => !isCanary && isNew).length;
        const within = envelope.nodes?.within;
        if (within === undefined) return;
        expect(within.beyond).toBe(beyond);
        const size = Number(envelope.allowed) - beyond;
        expect(size).toBeLessThanOrEqual(canaries);
        // A partition of the others rounds up, and leaves at least one on each side.
        expect(size).toBeLessThanOrEqual(Math.max(Math.ceil((canaries * percent) / 100), 1));
      },
    ),
  );
});
