import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { CountedNode } from '../../../semantics/plan/units.ts';
import * as fc from '../../property.ts';
import { type Drive, drive, state } from './drive.ts';
import { fleet, ofNodes, taken, without } from './nodes.ts';
import { limits, MINUTE, NEW, NOW, OLD, planObject, rest, spec } from './rollout.ts';

const half: Step = { id: 'half', update: { to: '50%', atLeast: 1 } };
const all: Step = { id: 'all', update: { to: '100%' } };
const soak: Step = { id: 'soak', soak: { for: '10m' } };

/** A rollout over nodes from OLD to NEW. */
function rollout(nodes: ReturnType<typeof fleet>, steps: Step[], parts: Partial<Drive> = {}): Drive {
  return drive({ view: ofNodes(nodes), plans: [planObject(spec({ steps }))], ...parts });
}

describe('how many nodes a size is of', () => {
  /** What half of the nodes are after each state of the cluster, within one step. */
  function allowedAfter(states: readonly { count: number; existing: number }[]): unknown[] {
    const [first = { count: 0, existing: 0 }] = states;
    const self = rollout(fleet(first.count), [half, rest]);
    return states.map(({ count, existing }) => {
      self.view = ofNodes(fleet(count), { existing });
      return self.reconcile().envelope.allowed;
    });
  }

  test.each([
    ['the same nodes', [[10, 13]], [5]],
    // A zone is tainted: its Node objects still exist.
    [
      'an outage',
      [
        [10, 13],
        [4, 13],
        [10, 13],
      ],
      [5, 5, 5],
    ],
    [
      'all nodes gone from sight',
      [
        [10, 13],
        [0, 13],
        [10, 13],
      ],
      [5, 5, 5],
    ],
    // 13 − 3 = 10 may count; 4 deleted: 6 of which half is 3.
    [
      'deleted Node objects',
      [
        [10, 13],
        [6, 9],
      ],
      [5, 3],
    ],
    [
      'an outage in which some are deleted',
      [
        [10, 13],
        [4, 13],
        [4, 9],
        [6, 9],
      ],
      [5, 5, 3, 3],
    ],
    [
      'deleted ones that did not count',
      [
        [10, 13],
        [10, 10],
      ],
      [5, 5],
    ],
    [
      'nodes that join',
      [
        [10, 13],
        [20, 23],
      ],
      [5, 5],
    ],
    [
      'deleted, and as many that join',
      [
        [10, 13],
        [6, 9],
        [12, 15],
      ],
      [5, 3, 3],
    ],
    [
      'no node that counts at first',
      [
        [0, 3],
        [10, 13],
      ],
      [0, 5],
    ],
  ] as const)('%s', (_, states, expected) => {
    expect(allowedAfter(states.map(([count, existing]) => ({ count, existing })))).toEqual(expected);
  });

  test('the next step does not start at the number that an outage leaves', () => {
    const self = rollout(fleet(10), [half, { id: 'most', update: { to: '80%' } }, rest]);
    self.reconcile();
    self.view = ofNodes(taken(fleet(10), 5));
    // The next step starts while a zone is empty: 80% of 10 are 8, not 80% of 6.
    self.view = ofNodes(taken(fleet(6), 5), { existing: 10 });
    expect(self.reconcile().envelope.allowed).toBe(8);
    expect(self.memory[0]?.progress).toMatchObject({ step: 1, frozenN: 10, outside: 0 });
  });

  test('nodes that join get the revision in the step 100%', () => {
    const self = rollout(fleet(4), [rest]);
    self.reconcile();
    self.view = ofNodes(taken(fleet(6), 4));
    expect(self.reconcile().envelope.allowed).toBe(6);
  });
});

describe('when a step is done', () => {
  const at = (nodes: ReturnType<typeof fleet>, step: Step): string => {
    const self = rollout(fleet(10), [step, { id: 'ok', approve: {} }, rest]);
    self.reconcile();
    self.view = ofNodes(nodes);
    self.reconcile();
    return state(self);
  };
  const lost = { isReady: false };
  const later = { joinedAt: NOW };
  /** The same, of which the last ones cannot take it. */
  const unfit = (nodes: ReturnType<typeof fleet>, count: number): ReturnType<typeof fleet> =>
    nodes.map((node, n) => ({ ...node, canTake: n < nodes.length - count }));

  test.each([
    ['its nodes are done', half, taken(fleet(10), 5), 'AwaitingApproval ok'],
    ['one is taken, and not available', half, without(taken(fleet(10), 5), [0]), 'Running half'],
    ['one too few', half, taken(fleet(10), 4), 'Running half'],
    // Of 5 that were taken, one is not Ready: nothing is proven by that, and no sixth is taken for it.
    ['a node on `to` is lost', half, without(taken(fleet(10), 5), [0], lost), 'AwaitingApproval ok'],
    ['a node that waits is lost', all, without(taken(fleet(10), 9), [9], lost), 'AwaitingApproval ok'],
    // More than a tenth of 10.
    ['two nodes on `to` are lost', half, without(taken(fleet(10), 5), [0, 1], lost), 'Running half'],
    ['two nodes that wait are lost', all, without(taken(fleet(10), 8), [8, 9], lost), 'Running all'],
    ['of 20, two are lost', half, without(taken(fleet(20), 5), [0, 1], lost), 'AwaitingApproval ok'],
    [
      'a node has joined, and has no pod yet',
      all,
      without(taken(fleet(11), 10), [10], later, 'empty'),
      'AwaitingApproval ok',
    ],
    [
      'a node has joined, and its pod starts',
      all,
      without(taken(fleet(11), 11), [10], later),
      'AwaitingApproval ok',
    ],
    ['a node has no pod', all, without(taken(fleet(10), 10), [0], {}, 'empty'), 'Running all'],
    ['no further node can take it', half, unfit(taken(fleet(10), 4), 6), 'AwaitingApproval ok'],
  ] as const)('%s', (_, step, nodes, expected) => {
    expect(at(nodes, step)).toBe(expected);
  });

  test('the last step waits until nodes that cannot take it have lost their pods', () => {
    const self = rollout(fleet(10), [all]);
    self.reconcile();
    self.view = ofNodes(unfit(taken(fleet(10), 9), 1));
    expect([self.reconcile().waitingOn, state(self)]).toEqual(['1 surplus to be deleted', 'Running all']);
    self.view = ofNodes(taken(fleet(9), 9), { existing: 10 });
    self.reconcile();
    expect(state(self)).toBe('Succeeded Completed');
  });

  test('a node that was not Ready before holds no step up, however many there are', () => {
    const broken = without(fleet(10), [6, 7, 8, 9], lost);
    const self = rollout(broken, [rest]);
    self.reconcile();
    expect(self.memory[0]?.progress.down).toEqual(['n-06', 'n-07', 'n-08', 'n-09']);
    self.view = ofNodes(without(taken(fleet(10), 6), [6, 7, 8, 9], lost));
    self.reconcile();
    expect(state(self)).toBe('Succeeded Completed');
  });

  test('a node that was broken before its update and is still broken does not, either', () => {
    const self = rollout(without(fleet(10), [3]), [rest]);
    self.reconcile();
    self.view = ofNodes(without(taken(fleet(10), 10), [3]));
    self.reconcile();
    expect(state(self)).toBe('Succeeded Completed');
  });

  test('it says what it waits for', () => {
    const self = rollout(fleet(10), [half, rest]);
    self.reconcile();
    self.view = ofNodes(without(taken(fleet(10), 4), [0], lost));
    expect(self.reconcile().waitingOn).toBe(
      'pods: 3 of 4 are updated and available, not counting 1 on nodes that are not ready or have joined since',
    );
    self.view = ofNodes(without(taken(fleet(10), 5), [0, 1], lost));
    expect(self.reconcile().waitingOn).toBe('2 nodes to become Ready');
  });
});

describe('gates', () => {
  /** A plan in its soak, with half of the nodes done. */
  function soaking(): Drive {
    const self = rollout(fleet(20), [half, soak, rest]);
    self.reconcile();
    self.view = ofNodes(taken(fleet(20), 10));
    self.reconcile();
    expect(state(self)).toBe('Soaking soak');
    return self;
  }
  const lost = { isReady: false };

  test('a pod that fails on a node that is Ready fails the soak', () => {
    const self = soaking();
    self.view = ofNodes(without(taken(fleet(20), 10), [2]));
    self.reconcile();
    expect(state(self)).toBe('Halted soak Breach');
  });

  test('a node that is lost is no breach, and the clock goes on while nine tenths are available', () => {
    const self = soaking();
    self.view = ofNodes(without(taken(fleet(20), 10), [2], lost));
    self.wait(11 * MINUTE);
    expect(state(self)).toBe('Running rest');
  });

  test('with two of ten away the clock stands, and goes on when one is back', () => {
    const self = soaking();
    self.view = ofNodes(without(taken(fleet(20), 10), [2, 3], lost));
    expect(self.wait(30 * MINUTE).waitingOn).toBe('2 of 10 to become available again');
    expect(state(self)).toBe('Soaking soak');
    self.view = ofNodes(without(taken(fleet(20), 10), [2], lost));
    self.wait(11 * MINUTE);
    expect(state(self)).toBe('Running rest');
  });

  test('an outage stops the clock though the nodes of the step are all there', () => {
    const self = soaking();
    self.view = ofNodes(without(taken(fleet(20), 10), [17, 18, 19], lost));
    expect(self.wait(30 * MINUTE).waitingOn).toBe('10m of soak, and for 3 nodes to become Ready');
    expect(state(self)).toBe('Soaking soak');
  });

  test('the check `pods` leaves lost nodes out', () => {
    const check: Step = { id: 'check', check: { use: 'pods' } };
    const self = rollout(fleet(20), [half, check, rest]);
    self.reconcile();
    self.view = ofNodes(without(taken(fleet(20), 10), [2], lost));
    self.reconcile();
    expect(state(self)).toBe('Running rest');
  });

  test('an update step has no timeout during an outage', () => {
    const self = rollout(fleet(20), [{ ...half, timeout: '5m' }, rest]);
    self.reconcile();
    self.view = ofNodes(without(fleet(20), [17, 18, 19], lost));
    self.wait(30 * MINUTE);
    expect(state(self)).toBe('Running half');
    self.view = ofNodes(fleet(20));
    self.wait(6 * MINUTE);
    expect(state(self)).toBe('Halted half Timeout');
  });
});

test('a pod that fits nowhere, as its node is lost, is no lack of capacity', () => {
  const self = rollout(fleet(10), [half, rest]);
  self.reconcile();
  const isLost = without(taken(fleet(10), 1), [0], { isReady: false });
  self.view = ofNodes(isLost.map((node, n) => (n === 0 ? { ...node, unschedulable: '0/10 nodes' } : node)));
  expect(self.reconcile().blocked).toBeUndefined();
});

test('a surge that is set in the middle of a step by unavailable nodes is WindowMismatch', () => {
  const self = rollout(fleet(10), [
    { ...half, update: { to: '50%', window: { maxUnavailable: 1, maxSurge: 0 } } },
    rest,
  ]);
  self.reconcile();
  self.view = { ...ofNodes(taken(fleet(10), 1)), limits: limits(10, { maxUnavailable: 0, maxSurge: 1 }) };
  expect(self.reconcile().blocked?.reason).toBe('WindowMismatch');
});

/** Any state of a fleet of nodes: on NEW or OLD, available or not, Ready or not, old or new. */
const anyFleet = (count: number) =>
  fc
    .array(
      fc.record({
        hash: fc.constantFrom(NEW, OLD),
        available: fc.boolean(),
        isReady: fc.boolean(),
        joinedAt: fc.constantFrom(0, NOW),
        isEmpty: fc.boolean(),
      }),
      { minLength: count, maxLength: count },
    )
    .map((parts) => fleet(count).map((node, n) => ({ ...node, ...parts[n] })));

describe('whatever becomes of nodes', () => {
  test('a step allows no more than its size of the nodes that there were', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.array(fc.record({ count: fc.nat(60), beside: fc.nat(10) }), { maxLength: 8 }),
        (start, later) => {
          const self = rollout(fleet(start), [half, rest]);
          let most = Number(self.reconcile().envelope.allowed);
          for (const { count, beside } of later) {
            self.view = ofNodes(fleet(count), { existing: count + beside });
            const allowed = Number(self.reconcile().envelope.allowed);
            expect(allowed).toBeLessThanOrEqual(most);
            expect(allowed).toBeGreaterThan(0);
            most = allowed;
          }
        },
      ),
    );
  });

  test('a step is done only with an available node, and with each node that counts on `to`', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }).chain(anyFleet), (nodes) => {
        const self = rollout(fleet(nodes.length), [rest]);
        self.reconcile();
        self.view = ofNodes(nodes);
        self.reconcile();
        const counts = ({ isReady, joinedAt }: Pick<CountedNode, 'isReady' | 'joinedAt'>): boolean =>
          isReady && joinedAt === 0;
        const isDone = (node: (typeof nodes)[number]): boolean =>
          node.isEmpty !== true && node.hash === NEW && node.available;
        const lost = nodes.filter(({ isReady }) => !isReady).length;
        const expected =
          nodes.some(isDone) && nodes.filter(counts).every(isDone) && lost <= Math.max(1, nodes.length / 10);
        expect(state(self) === 'Succeeded Completed').toBe(expected);
      }),
    );
  });
});
