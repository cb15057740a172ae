import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { activePlanOf, type Drive, drive, sendCommand, state } from './drive.ts';
import { fleet, type FleetNode, ofNodes, taken, without } from './nodes.ts';
import { limits, NEW, NOW, OLD, planObject, rest, spec, UNEXPECTED } from './rollout.ts';

const half: Step = { id: 'half', update: { to: '50%', atLeast: 1 } };

/** A rollout over nodes from OLD to NEW. */
function rollout(nodes: ReturnType<typeof fleet>, steps: Step[]): Drive {
  return drive({ view: ofNodes(nodes), plans: [planObject(spec({ steps }))] });
}

describe('a selector of nodes', () => {
  const canary = { matchLabels: { pool: 'canary' } };
  const labeled = (count: number, canaries: number): ReturnType<typeof fleet> =>
    fleet(count).map((node, n) => ({ ...node, labels: { pool: n < canaries ? 'canary' : 'main' } }));

  test('bounds the plan: a step is done with the nodes that it selects, and the target is bound', () => {
    const self = drive({
      view: { ...ofNodes(labeled(10, 3)), selector: canary },
      plans: [planObject(spec({ to: { hash: NEW, bound: { selector: canary } }, steps: [rest] }))],
    });
    expect(self.reconcile().envelope).toMatchObject({ selector: canary, moving: true });
    self.view = { ...ofNodes(taken(labeled(10, 3), 3)), selector: canary };
    self.reconcile();
    expect(state(self)).toBe('Succeeded Completed');
    expect(self.view.retained).toEqual({ hash: OLD, n: 7 });
  });

  test('going back leaves nodes that it had left when the target was complete there', () => {
    const nodes = labeled(4, 2).map((node, n) => (n < 2 ? node : { ...node, hash: UNEXPECTED }));
    const self = drive({
      view: {
        ...ofNodes(nodes, { leftAt: () => [UNEXPECTED] }),
        selector: canary,
        retained: { hash: UNEXPECTED, n: 2 },
      },
      plans: [planObject(spec({ to: { hash: NEW, bound: { selector: canary } }, steps: [rest] }))],
    });
    self.reconcile();
    self.view = { ...self.view, ...{ pods: ofNodes(taken(nodes, 1)).pods } };
    sendCommand(self, 'Revert');
    expect(state(self)).toContain('Reverting');
    self.view = { ...self.view, pods: ofNodes(nodes).pods };
    self.reconcile();
    expect(state(self)).toContain('Reverted');
  });
});

describe('going back', () => {
  test('does not wait for a node that is lost', () => {
    const self = rollout(fleet(10), [half, rest]);
    self.reconcile();
    self.view = ofNodes(taken(fleet(10), 5));
    sendCommand(self, 'Revert');
    self.view = ofNodes(taken(fleet(10), 2));
    expect(self.reconcile().waitingOn).toBe('2 more to be reverted');
    self.view = ofNodes(without(taken(fleet(10), 1), [0], { isReady: false }));
    self.reconcile();
    expect(state(self)).toContain('Reverted');
  });

  test.each<[string, Partial<FleetNode>, string]>([
    ['has no pod yet', { isEmpty: true }, 'Reverted'],
    ['has a pod that is not available', { available: false }, 'Reverted'],
    ['has one at the change', { hash: NEW }, 'Reverting'],
  ])(
    'does not wait for a node that has joined since the step started, but takes it back: it %s',
    (_, parts, phase) => {
      const self = rollout(fleet(4), [half, rest]);
      self.reconcile();
      self.view = ofNodes(taken(fleet(4), 2));
      self.reconcile();
      const nodes = fleet(5).map((node, n) => (n === 4 ? { ...node, joinedAt: NOW, ...parts } : node));
      self.view = ofNodes(nodes);
      sendCommand(self, 'Revert');
      expect(state(self)).toContain(phase);
    },
  );

  test.each([
    // The nodes that the manifest wants do not matter: it is at the revision that is left.
    [
      'waits for the nodes that the goal fits, though the manifest does not',
      fleet(4),
      2,
      '2 more to be created',
    ],
    ['does not wait for a node that the manifest fits alone', without(fleet(5), [4], {}, 'empty'), 0, ''],
  ])('%s', (_, nodes, missing, waitingOn) => {
    const self = rollout(fleet(4), [half, rest]);
    self.reconcile();
    self.view = ofNodes(taken(fleet(4), 2));
    sendCommand(self, 'Revert');
    self.view = ofNodes(nodes, { missingAt: () => missing });
    expect(self.reconcile().waitingOn).toBe(waitingOn);
    expect(state(self)).toContain(waitingOn === '' ? 'Reverted' : 'Reverting');
  });
});

describe('nodes that a way back has ended without', () => {
  const window = { maxUnavailable: 1, maxSurge: 0 };
  const steps: Step[] = [
    { id: 'half', update: { to: '50%', window } },
    { id: 'rest', update: { to: '100%', window } },
  ];
  const wide = limits(10, { maxUnavailable: 5 });
  const down = { isReady: false };
  const of = (nodes: FleetNode[], liveHash = NEW): Drive['view'] => ({
    ...ofNodes(nodes),
    limits: wide,
    liveHash,
  });
  const halfway = taken(fleet(10), 5);
  const behind = without(halfway, [0, 1, 2, 3, 4], down);

  /** A way back that has ended while the five nodes with the change are not Ready. */
  function ended(liveHash: string): Drive {
    const self = drive({ view: of(fleet(10)), plans: [planObject(spec({ steps }))] });
    self.reconcile();
    self.view = of(halfway);
    self.reconcile();
    self.view = of(behind, liveHash);
    if (liveHash === NEW) sendCommand(self, 'Revert');
    self.reconcile();
    expect(state(self)).toContain('Reverted');
    return self;
  }

  test.each([
    ['a person', NEW],
    ['git', OLD],
  ])('go as many at a time as on it, after one by %s', (_by, liveHash) => {
    const self = ended(liveHash);
    self.view = of(halfway, liveHash);
    const { envelope } = self.reconcile();
    const { maxUnavailable } = wide.lower(envelope.window);
    expect([envelope.goal, envelope.moving, maxUnavailable?.count]).toEqual([OLD, true, 1]);
  });

  test('are on record until their pods have followed, so that what break glass does later stays', () => {
    const self = ended(NEW);
    const behindNow = (nodes: FleetNode[]): unknown => {
      self.view = of(nodes);
      return [self.reconcile().envelope.moving, activePlanOf(self)?.progress.unreverted];
    };
    expect(behindNow(taken(fleet(10), 2))).toEqual([true, ['n-00', 'n-01']]);
    expect(behindNow(fleet(10))).toEqual([false, undefined]);
    // Break glass has taken some of them again, and expires.
    expect(behindNow(halfway)).toEqual([false, undefined]);
  });

  test('are all that it has on record of nodes', () => {
    const gone = (nodes: FleetNode[]): FleetNode[] => without(nodes, [9], down, 'empty');
    const self = drive({ view: of(gone(fleet(10))), plans: [planObject(spec({ steps }))] });
    self.reconcile();
    self.view = of(without(gone(halfway), [0], down));
    self.reconcile();
    expect(activePlanOf(self)?.progress).toMatchObject({ away: ['n-00'], down: ['n-09'] });
    self.view = of(without(gone(taken(fleet(10), 1)), [0], down));
    sendCommand(self, 'Revert');
    const progress = activePlanOf(self)?.progress;
    expect([progress?.phase, progress?.away, progress?.down, progress?.unreverted]).toEqual([
      'Reverted',
      undefined,
      undefined,
      ['n-00'],
    ]);
  });

  test('are no more than a record has: it goes on until then', () => {
    const count = 2_100;
    const self = drive({ view: ofNodes(fleet(count)), plans: [planObject(spec({ steps: [rest] }))] });
    self.reconcile();
    const lost = (from: number): FleetNode[] =>
      fleet(count).map((node, n) =>
        n < from || n > 2_000 ? node : { ...node, hash: NEW, available: false, isReady: false },
      );
    self.view = ofNodes(lost(0));
    sendCommand(self, 'Revert');
    expect([state(self), self.reconcile().waitingOn]).toEqual([
      'Reverting rest RevertAsked',
      '1 of 2001 nodes to become Ready',
    ]);
    self.view = ofNodes(lost(1));
    self.reconcile();
    expect([state(self), activePlanOf(self)?.progress.unreverted?.length]).toEqual([
      'Reverted rest RevertAsked',
      2_000,
    ]);
  });
});
