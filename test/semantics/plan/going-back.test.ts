import { describe, expect, test } from 'vitest';
import { type Drive, drive } from './drive.ts';
import {
  accepted,
  canary,
  command,
  MINUTE,
  NEW,
  OLD,
  OLDER,
  ok,
  planObject,
  pods,
  rest,
  spec,
  UNEXPECTED,
  view,
} from './rollout.ts';

const halfway = [...pods(NEW, 3), ...pods(OLD, 2)];

function running(parts: Partial<Drive> = {}): Drive {
  const self = drive({ view: view({ pods: halfway }), plans: [planObject(spec())], ...parts });
  self.reconcile();
  return self;
}

function progress(self: Drive) {
  return self.memory.find((m) => m.spec.digest === 'h1:aaaa')?.progress;
}

describe('git revert just works', () => {
  const presences: [string, (self: Drive) => void][] = [
    ['the plan stays', () => undefined],
    ['the plan is gone', (self) => void (self.plans = [])],
    [
      'an older plan is present again',
      (self) => void (self.plans = [planObject(spec({ digest: 'h1:9999', to: { hash: OLD, bound: {} } }))]),
    ],
    [
      'there is an invalid plan',
      (self) =>
        void (self.plans = self.plans.map((p) => ({ ...p, refused: { reason: 'Unverified', message: '' } }))),
    ],
  ];
  test.each(presences)('whatever plan is present: %s', (_, change) => {
    const self = running();
    change(self);
    self.view = { ...self.view, liveHash: OLD };
    const result = self.reconcile();
    expect(progress(self)).toMatchObject({ phase: 'Reverting', cause: 'git', goal: OLD });
    expect(result.envelope).toMatchObject({
      goal: OLD,
      stable: OLD,
      allowed: 'unbounded',
      obeyPartition: false,
      moving: true,
    });
    self.view = { ...self.view, pods: pods(OLD, 5) };
    self.reconcile();
    expect(progress(self)).toMatchObject({ phase: 'Reverted', cause: 'git' });
    expect(self.view.stable).toBe(OLD);
  });

  test('without gates and soaks, also after the end of the rollout', () => {
    const self = running({ view: view({ pods: pods(NEW, 5) }) });
    self.commands = [command('Approve', { step: 'ok', digest: 'h1:aaaa' })];
    self.reconcile();
    expect(progress(self)?.phase).toBe('Succeeded');
    expect(self.view.stable).toBe(NEW);
    self.view = { ...self.view, liveHash: OLD };
    expect(self.reconcile().envelope).toMatchObject({ goal: OLD, moving: true });
    self.view = { ...self.view, pods: pods(OLD, 5) };
    self.reconcile();
    expect(self.view.stable).toBe(OLD);
  });

  test.each([
    ['a revision the target was never complete on', { liveHash: OLDER, complete: new Set([OLD]) }, {}],
    [
      'a revision that is only listed with depart',
      { liveHash: OLDER },
      {
        from: [
          { hash: OLD, mode: 'InPlace' as const },
          { hash: OLDER, mode: 'Recreate' as const, depart: true },
        ],
      },
    ],
    ['an irreversible change', {}, { irreversible: 'its data moved on' }],
    ['a revision the plan does not list', { liveHash: UNEXPECTED, complete: new Set([OLD, UNEXPECTED]) }, {}],
  ])('not for %s', (_, target, plan) => {
    const self = running({ plans: [planObject(spec(plan))] });
    self.view = { ...self.view, liveHash: OLD, ...target };
    const result = self.reconcile();
    expect(progress(self)?.phase).toBe('AwaitingApproval');
    expect(result.blocked?.reason).toBe('ManifestChanged');
    expect(result.envelope.moving).toBe(false);
  });

  test('the goal follows the manifest from one listed revision to another', () => {
    const self = running();
    self.view = { ...self.view, liveHash: OLD };
    self.reconcile();
    self.view = { ...self.view, liveHash: OLDER };
    self.reconcile();
    expect(progress(self)).toMatchObject({ phase: 'Reverting', goal: OLDER });
  });

  test('a pause stops it, the partition does not', () => {
    const self = running();
    self.view = { ...self.view, liveHash: OLD, paused: true, partition: 5 };
    const result = self.reconcile();
    expect(progress(self)?.phase).toBe('Reverting');
    expect(result.blocked?.reason).toBe('TargetPaused');
    expect(result.envelope).toMatchObject({ goal: OLD, moving: false, obeyPartition: false });
    self.view = { ...self.view, paused: false };
    expect(self.reconcile().envelope.moving).toBe(true);
  });

  test('the manifest returns to `to`: step 1 again, approvals void', () => {
    const self = running();
    self.commands = [command('Approve', { step: 'ok', digest: 'h1:aaaa' })];
    self.reconcile();
    self.view = { ...self.view, liveHash: OLD, pods: pods(OLD, 5) };
    self.reconcile();
    expect(progress(self)?.phase).toBe('Reverted');
    self.view = { ...self.view, liveHash: NEW };
    self.reconcile();
    expect(progress(self)).toMatchObject({ phase: 'Running', step: 0, approved: [] });
    self.view = { ...self.view, pods: halfway };
    self.reconcile();
    expect(progress(self)?.phase).toBe('AwaitingApproval');
  });

  test('a revert is not done before every pod exists and is available', () => {
    const self = running();
    self.view = { ...self.view, liveHash: OLD };
    self.reconcile();
    for (const unfinished of [
      [...pods(OLD, 4), ...pods(NEW, 1)],
      pods(OLD, 4),
      [...pods(OLD, 4), ...pods(OLD, 1, { name: 'old-9', available: false })],
    ]) {
      self.view = { ...self.view, pods: unfinished };
      expect(self.reconcile().waitingOn).toEqual(
        expect.stringMatching(/^(1 more to be (reverted|created)|old-\d to become available)$/),
      );
      expect(progress(self)?.phase).toBe('Reverting');
    }
  });
});

describe('a revert after a failure', () => {
  test('goes to the stable revision, and does not record it as stable again', () => {
    const self = running({
      view: view({ pods: [...pods(NEW, 2), ...pods(OLD, 3)] }),
      plans: [planObject(spec({ steps: [{ ...canary, onFailure: 'Revert' }, rest] }))],
    });
    self.wait(10 * MINUTE);
    expect(progress(self)).toMatchObject({ phase: 'Reverting', cause: 'failure', goal: OLD });
    self.view = { ...self.view, pods: pods(OLD, 5) };
    const result = self.wait(60 * MINUTE);
    expect(progress(self)).toMatchObject({ phase: 'Reverted', cause: 'failure', reason: 'Timeout' });
    expect(result.envelope).toMatchObject({ goal: OLD, moving: false });
    expect(self.transitions.filter((turn) => turn === 'RolledBack')).toHaveLength(1);
  });

  test('retained pods are not changed', () => {
    const retained = { hash: OLDER, n: 2 };
    const self = drive({
      view: view({ retained, pods: [...pods(NEW, 1), ...pods(OLD, 2), ...pods(OLDER, 2)] }),
      plans: [planObject(spec())],
      memory: [accepted(spec(), { phase: 'Reverting', cause: 'failure', goal: OLD })],
    });
    expect(self.reconcile().envelope).toMatchObject({ goal: OLD, retained, allowed: 3 });
    self.view = { ...self.view, pods: [...pods(OLD, 3), ...pods(OLDER, 2)] };
    self.reconcile();
    expect(progress(self)?.phase).toBe('Reverted');
  });

  test('retained pods stay retained when the plan had ended', () => {
    const retained = { hash: OLDER, n: 2 };
    const self = drive({
      view: view({
        retained,
        stable: NEW,
        liveHash: OLD,
        partition: 2,
        complete: new Set([OLDER, OLD, NEW]),
        pods: [...pods(NEW, 3), ...pods(OLDER, 2)],
      }),
      plans: [planObject(spec())],
      memory: [accepted(spec(), { phase: 'Succeeded', step: 3 })],
    });
    expect(self.reconcile().envelope).toMatchObject({ goal: OLD, retained, allowed: 3 });
    self.view = { ...self.view, pods: [...pods(OLD, 3), ...pods(OLDER, 2)] };
    self.reconcile();
    expect(progress(self)?.phase).toBe('Reverted');
    expect(self.reconcile().envelope).toMatchObject({ goal: OLD, stable: OLD, retained, moving: false });
  });

  test.each([
    [[{ maxUnavailable: 1 }, { maxUnavailable: '40%' }], { maxUnavailable: 2, maxSurge: 0 }],
    [
      [
        { maxUnavailable: 1, maxSurge: 2 },
        { maxUnavailable: 1, maxSurge: 1 },
      ],
      { maxUnavailable: 1, maxSurge: 2 },
    ],
    [[{ maxUnavailable: 0 }, undefined], { maxUnavailable: 1, maxSurge: 0 }],
  ])('windows %j: the widest of them, or what the target had at acceptance', (windows, expected) => {
    const steps = windows.map((window, i) => ({
      id: `step-${i}`,
      update: { to: i + 1, ...(window === undefined ? {} : { window }) },
    }));
    const self = drive({
      view: view({ pods: halfway }),
      plans: [planObject(spec({ steps }))],
      memory: [accepted(spec({ steps }), { phase: 'Reverting', cause: 'failure', goal: OLD })],
    });
    expect(self.reconcile().envelope.window).toEqual(expected);
  });
});

describe('Auto without a plan', () => {
  test('the target is complete when every wanted pod, at least one, is on the live revision and available', () => {
    for (const [parts, stable] of [
      [{ pods: pods(NEW, 5) }, NEW],
      [{ pods: pods(NEW, 4) }, OLD],
      [{ pods: [...pods(NEW, 4), ...pods(OLD, 1)] }, OLD],
      [{ pods: [...pods(NEW, 4), ...pods(NEW, 1, { name: 'x', available: false })] }, OLD],
      [{ pods: [], replicas: 0 }, OLD],
    ] as const) {
      const self = drive({ policy: 'Auto', view: view(parts as Parameters<typeof view>[0]) });
      self.reconcile();
      expect(self.view.stable).toBe(stable);
    }
  });

  test('a changed template waits ten seconds for a plan object', () => {
    const yesterday = planObject(
      spec({ to: { hash: OLD, bound: {} }, from: [{ hash: OLDER, mode: 'InPlace' }] }),
    );
    const self = drive({ policy: 'Auto', plans: [yesterday] });
    self.view = { ...self.view, liveSince: self.now };
    const waits = self.reconcile();
    expect(waits.envelope.moving).toBe(false);
    expect(waits.requeueAt).toBe(self.now + 10_000);
  });

  test.each([
    ['Auto', NEW, true],
    ['Required', OLD, false],
  ] as const)('without a plan %s leads to %s', (policy, goal, moving) => {
    expect(drive({ policy }).reconcile().envelope).toMatchObject({ goal, moving, stable: OLD });
  });

  test('a plan is followed in Auto, too', () => {
    const self = running({ policy: 'Auto' });
    expect(self.reconcile().envelope).toMatchObject({ goal: NEW, allowed: 3, moving: false });
    expect(progress(self)?.phase).toBe('AwaitingApproval');
    expect(ok.id).toBe('ok');
  });
});
