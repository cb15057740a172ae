import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { type Drive, drive, sendCommand, state } from './drive.ts';
import { fleet, type FleetNode, ofNodes, taken, without } from './nodes.ts';
import { MINUTE, NEW, NOW, OLD, planObject, rest, spec, UNEXPECTED } from './rollout.ts';

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

  test.each<[what: string, nodes: FleetNode[], allowed: number]>([
    // All ten are allowed: as many as have it, so that a node without its pod gets it on the old revision.
    ['an old one has lost its pod', without(taken(fleet(10), 4), [5], {}, 'empty'), 4],
    ['an updated one has', without(taken(fleet(10), 4), [3], {}, 'empty'), 4],
    [
      'one has joined',
      [...taken(fleet(10), 4), ...without(fleet(11), [10], { joinedAt: NOW }, 'empty').slice(10)],
      4,
    ],
  ])('nor where a pod is missing: %s', (_what, nodes, allowed) => {
    const self = rollout(fleet(10));
    self.reconcile();
    self.view = ofNodes(taken(fleet(10), 4));
    self.reconcile();
    self.view = ofNodes(without(nodes, [0, 9], lost));
    expect(self.reconcile().envelope).toMatchObject({ moving: false, allowed });
  });

  test('BreakGlass does not wait for it', () => {
    const self = rollout(fleet(10));
    self.reconcile();
    self.view = ofNodes(without(taken(fleet(10), 4), [0, 9], lost));
    sendCommand(self, 'BreakGlass', { expires: new Date(self.now + 3_600_000).toISOString() });
    expect(self.reconcile().envelope).toMatchObject({
      ownStrategy: true,
      moving: true,
      allowed: 'unbounded',
    });
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
      self.now += MINUTE / 2;
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

describe('what was down before is no outage', () => {
  const ok: Step = { id: 'ok', approve: {} };
  const half: Step = { id: 'half', update: { to: '50%' } };
  /** The last two of ten were shut down weeks ago, and their pods are gone or have ended. */
  const dead = (nodes: FleetNode[]): FleetNode[] => without(nodes, [8, 9], lost, 'empty');
  const play = (self: Drive, nodes: FleetNode[]): string => {
    self.view = ofNodes(nodes);
    self.now += MINUTE / 2;
    self.reconcile();
    return state(self);
  };

  test.each<[string, (nodes: FleetNode[]) => FleetNode[]]>([
    ['without a pod', dead],
    ['with one', (nodes) => without(nodes, [8, 9], lost)],
  ])('nodes that were down when the plan was accepted, %s', (_what, away) => {
    const self = rollout(away(fleet(10)), [half, rest]);
    self.reconcile();
    expect(play(self, away(taken(fleet(10), 5)))).toBe('Running rest');
    expect(play(self, away(taken(fleet(10), 8)))).toBe('Succeeded Completed');
  });

  test('as many as no record has keep no plan waiting', () => {
    const count = 2_600;
    const many = (nodes: FleetNode[]): FleetNode[] =>
      nodes.map((node, n) => (n < 2_001 ? { ...node, ...lost, available: false } : node));
    const self = rollout(many(fleet(count)));
    self.reconcile();
    expect([state(self), self.memory[0]?.progress.down?.length]).toEqual(['Running rest', 2_000]);
    // Broken ones are as before.
    const broken = rollout(fleet(count).map((node, n) => ({ ...node, available: n >= 2_001 })));
    expect(broken.reconcile().blocked?.reason).toBe('TooManyBroken');
  });

  test('more than a record and a tenth keep the plan waiting, and say so', () => {
    const down = (count: number): string | undefined =>
      rollout(
        fleet(10_000).map((node, n) => (n < count ? { ...node, ...lost, available: false } : node)),
      ).reconcile().blocked?.message;
    expect(down(3_000)).toBe(undefined);
    expect(down(3_300)).toContain('3300 nodes are not Ready, and a plan starts without at most 2000 of them');
  });

  test('in a gate nothing is missed without their pods', () => {
    const now = without(taken(fleet(10), 4), [0, 1], lost);
    const self = rollout(now, [
      { id: 'four', update: { to: 4 } },
      { id: 'soak', soak: { for: '10m' } },
      rest,
    ]);
    self.reconcile();
    expect(state(self)).toBe('Soaking soak');
    self.wait(11 * MINUTE);
    expect(state(self)).toBe('Running rest');
  });

  test('a tenth may be lost beside them, and no more', () => {
    const moving = (lostNow: readonly number[]): boolean => {
      const self = rollout(dead(fleet(10)));
      self.reconcile();
      self.view = ofNodes(without(dead(taken(fleet(10), 4)), lostNow, lost));
      return self.reconcile().envelope.moving;
    };
    expect([moving([]), moving([0]), moving([0, 5])]).toEqual([true, true, false]);
  });

  test('once they were Ready they count as others do', () => {
    const self = rollout(dead(fleet(10)));
    self.reconcile();
    expect(self.memory[0]?.progress.down).toEqual(['n-08', 'n-09']);
    play(self, taken(fleet(10), 2));
    expect(self.memory[0]?.progress.down).toBe(undefined);
    self.view = ofNodes(dead(taken(fleet(10), 4)));
    expect(self.reconcile().envelope.moving).toBe(false);
  });

  test('they are on no other list of the record', () => {
    const self = rollout(dead(fleet(10)));
    self.reconcile();
    play(self, without(dead(taken(fleet(10), 4)), [0], lost));
    expect(self.memory[0]?.progress).toMatchObject({ down: ['n-08', 'n-09'], away: ['n-00'] });
    // One of them is back, and its pod starts.
    play(self, without(without(taken(fleet(10), 4), [8]), [9], lost, 'empty'));
    const { away, down, baseline } = self.memory[0]?.progress ?? {};
    expect([away, down, baseline?.unavailable]).toEqual([undefined, ['n-09'], ['n-08']]);
  });

  test('nodes that the plan before has lost are none of the next one', () => {
    const self = rollout(fleet(10));
    self.reconcile();
    const broken = without(taken(fleet(10), 4), [0, 1], lost);
    self.view = { ...ofNodes(broken), liveHash: UNEXPECTED };
    self.plans = [
      planObject(
        spec({
          to: { hash: UNEXPECTED, bound: {} },
          from: [NEW, OLD].map((hash) => ({ hash, mode: 'Recreate' as const })),
          steps: [rest],
          digest: 'h1:next',
        }),
      ),
    ];
    expect(self.reconcile().envelope).toMatchObject({ goal: UNEXPECTED, moving: true });
  });

  test('a user who approves accepts what is down', () => {
    const self = rollout(fleet(10), [half, ok, { id: 'soak', soak: { for: '10m' } }, rest]);
    self.reconcile();
    expect(play(self, taken(fleet(10), 5))).toBe('AwaitingApproval ok');
    self.view = ofNodes(dead(taken(fleet(10), 5)));
    sendCommand(self, 'Approve', { step: 'ok', digest: self.memory[0]?.spec.digest });
    self.wait(11 * MINUTE);
    expect(state(self)).toBe('Running rest');
    expect(self.reconcile().envelope.moving).toBe(true);
  });

  test('an early approval accepts no outage that comes later', () => {
    const check: Step = { id: 'check', check: { use: 'error-rate' } };
    const self = rollout(fleet(10), [half, check, ok, rest]);
    self.reconcile();
    sendCommand(self, 'Approve', { step: 'ok', digest: self.memory[0]?.spec.digest });
    expect(play(self, taken(fleet(10), 5))).toBe('Checking check');
    expect(play(self, dead(taken(fleet(10), 5)))).toBe('Checking check');
    const passed = {
      digest: 'h1:aaaa',
      step: 'check',
      at: self.now,
      is: 'pass' as const,
      message: 'it passes',
    };
    self.context = { ...self.context, check: passed };
    self.reconcile();
    expect([state(self), self.reconcile().envelope.moving]).toEqual(['Running rest', false]);
  });

  test('an approval while it bears what is down accepts nothing, and neither does a step that follows another one', () => {
    const self = rollout(fleet(20), [half, ok, rest]);
    self.reconcile();
    play(self, without(taken(fleet(20), 10), [18, 19], lost));
    sendCommand(self, 'Approve', { step: 'ok', digest: self.memory[0]?.spec.digest });
    self.view = ofNodes(without(taken(fleet(20), 10), [17, 18, 19], lost));
    expect([state(self), self.reconcile().envelope.moving]).toEqual(['Running rest', false]);
    const next = rollout(fleet(20), [half, rest]);
    next.reconcile();
    play(next, without(taken(fleet(20), 10), [18, 19], lost));
    next.view = ofNodes(without(taken(fleet(20), 10), [17, 18, 19], lost));
    expect([state(next), next.reconcile().envelope.moving]).toEqual(['Running rest', false]);
  });

  test('a user who resumes a paused plan accepts what is down', () => {
    const self = rollout(fleet(10));
    self.reconcile();
    sendCommand(self, 'Pause');
    self.view = ofNodes(dead(taken(fleet(10), 4)));
    self.reconcile();
    sendCommand(self, 'Resume');
    expect([state(self), self.reconcile().envelope.moving]).toEqual(['Running rest', true]);
  });

  test('a user who resumes accepts what is down', () => {
    const self = rollout(fleet(10), [half, { id: 'soak', soak: { for: '10m' } }, rest]);
    self.reconcile();
    play(self, taken(fleet(10), 5));
    expect(play(self, without(taken(fleet(10), 5), [0]))).toBe('Halted soak Breach');
    const now = dead(taken(fleet(10), 5));
    play(self, now);
    sendCommand(self, 'Resume');
    expect(state(self)).toBe('Soaking soak');
    self.view = ofNodes(now);
    self.wait(11 * MINUTE);
    expect(state(self)).toBe('Running rest');
  });
});

describe('a pod of another revision on a node that is not Ready', () => {
  /** A plan from OLD to NEW. The pods of the first nodes are on a revision that it does not list. */
  function unlisted(parts: Partial<FleetNode>, count = 1): Drive {
    const nodes = fleet(10).map((node, n) => (n < count ? { ...node, hash: UNEXPECTED, ...parts } : node));
    return rollout(nodes);
  }

  test('keeps no plan waiting, and is down before it', () => {
    const self = unlisted({ ...lost, available: false });
    self.reconcile();
    expect(state(self)).toBe('Running rest');
    expect(self.memory[0]?.progress).toMatchObject({ down: ['n-00'], baseline: { unavailable: [] } });
  });

  test('on a node that is Ready it does', () => {
    const self = unlisted({});
    const { blocked } = self.reconcile();
    expect([blocked?.reason, state(self)]).toEqual(['UnplannedRevision', 'none']);
  });

  test('halts the plan once its node is back', () => {
    const self = unlisted({ ...lost, available: false });
    self.reconcile();
    self.view = unlisted({}).view;
    self.reconcile();
    expect(state(self)).toBe('Halted rest UnplannedRevision');
  });

  test('does not keep a stale revision stable', () => {
    // All but a lost node are on OLD, and the target was last complete on another revision.
    const nodes = fleet(10).map((node, n) => (n === 0 ? { ...node, hash: UNEXPECTED, ...lost } : node));
    const self = drive({
      view: { ...ofNodes(nodes), stable: UNEXPECTED },
      plans: [planObject(spec({ steps: [rest] }))],
    });
    self.reconcile();
    expect([state(self), self.view.stable]).toEqual(['Running rest', OLD]);
  });
});
