import { describe, expect, test } from 'vitest';
import { advance } from '../../../semantics/plan/advance.ts';
import { type Drive, drive, activePlanOf } from './drive.ts';
import {
  accepted,
  canary,
  command,
  input,
  MINUTE,
  NEW,
  NEWER,
  OLD,
  OLDER,
  ok,
  outline,
  planObject,
  pods,
  rest,
  spec,
  UNEXPECTED,
  view,
  owned,
  selected,
} from './rollout.ts';

const listing = [NEW, OLD, OLDER].map((hash) => ({ hash, mode: 'InPlace' as const }));
const halfway = [...pods(NEW, 3), ...pods(OLD, 2)];

describe('acceptance', () => {
  test.each([
    [
      'a pod on a revision that is not listed',
      { pods: [...pods(OLD, 4), ...pods(UNEXPECTED, 1)] },
      'UnplannedRevision',
    ],
    ['a pod on a revision without an object', { pods: pods(undefined, 5) }, 'UnplannedRevision'],
    [
      'a change that is more disruptive than the plan allows',
      { modeTo: () => 'Recreate' as const },
      'ModeMismatch',
    ],
    ['a manifest that has not arrived yet', { liveHash: OLD }, 'ManifestChanged'],
    ['a manifest that the plan does not list', { liveHash: UNEXPECTED }, 'ManifestChanged'],
  ])('waits for %s, and writes nothing', (_, parts, reason) => {
    const result = advance(input({ view: view(parts) }));
    expect([result.blocked?.reason, result.writes, result.accepted]).toEqual([reason, [], undefined]);
    expect(result.envelope).toMatchObject({ goal: OLD, moving: false });
  });

  test.each([
    ['InPlace', 'give it that right on Kubernetes 1.33'],
    ['Recreate', 'Run kruise plan --again'],
    [undefined, 'Run kruise plan --again'],
  ] as const)('of a change that would be %s with resizes, it says: %s', (resized, help) => {
    const units = owned({ modeWithResize: () => resized });
    const parts = { modeTo: () => 'Recreate' as const, units };
    expect(advance(input({ view: view(parts) })).blocked?.message).toContain(help);
  });

  test.each([
    ['MetadataOnly', 'MetadataOnly', true],
    ['MetadataOnly', 'InPlace', true],
    ['InPlace', 'MetadataOnly', false],
    ['InPlace', 'Recreate', true],
    ['Recreate', 'InPlace', false],
    ['Recreate', 'Recreate', true],
    [undefined, 'InPlace', false],
    [undefined, 'Recreate', true],
  ] as const)('a change that is %s under a mode of %s: %s', (needed, mode, goes) => {
    const result = advance(
      input({
        view: view({ modeTo: () => needed }),
        plans: [planObject(spec({ from: [{ hash: OLD, mode }] }))],
      }),
    );
    expect(result.accepted !== undefined).toBe(goes);
  });

  test('the baseline is what was unavailable and how often each pod had restarted', () => {
    const all = pods(OLD, 3);
    const [a, b] = all;
    const result = advance(
      input({
        view: view({
          replicas: 3,
          pods: all.map((pod) => ({
            ...pod,
            available: pod !== b,
            hash: pod === a ? NEW : OLD,
            restarts: pod === a ? 7 : 3,
          })),
        }),
      }),
    );
    expect(result.accepted?.progress.baseline).toEqual({
      unavailable: [b?.uid],
      restarts: { [a?.uid ?? '']: 7 },
    });
  });

  test('two objects with one digest are one plan', () => {
    const plans = [planObject(spec(), 'from-argo'), planObject(spec(), 'from-flux')];
    expect(advance(input({ plans })).accepted?.progress.phase).toBe('Running');
  });

  test('an empty cluster: no pod, and the revision in git is stable; the plan ends at once', () => {
    const result = advance(input({ view: view({ stable: NEW, pods: [], complete: new Set([NEW]) }) }));
    expect(result.accepted?.progress).toMatchObject({ phase: 'Succeeded', reason: 'AlreadyThere' });
    expect(result.envelope).toMatchObject({ goal: NEW, stable: NEW, allowed: 'unbounded' });
  });

  test('a target whose pods are created by others waits for the first of them', () => {
    const self = drive({
      view: view({ replicas: 0, pods: [], units: selected() }),
      plans: [planObject(spec())],
    });
    expect(self.wait(60 * MINUTE).waitingOn).toBe('a pod: no pod has its containers');
  });

  test('a target at 0 replicas does not end a plan', () => {
    const self = drive({ view: view({ replicas: 0, pods: [] }), plans: [planObject(spec())] });
    const result = self.wait(60 * MINUTE);
    expect(activePlanOf(self)?.progress.phase).toBe('Running');
    expect(result.waitingOn).toBe('a pod: replicas is 0');
    expect(self.view.stable).toBe(OLD);
  });
});

describe('taking over', () => {
  const successor = planObject(
    spec({ digest: 'h1:bbbb', supersedes: ['h1:aaaa'], to: { hash: NEWER, bound: {} }, from: listing }),
  );

  test('a hotfix in the middle starts at its own first step, and no approval carries over', () => {
    const self = drive({ view: view({ pods: halfway }), plans: [planObject(spec())] });
    self.reconcile();
    expect(activePlanOf(self)?.progress.phase).toBe('AwaitingApproval');
    self.commands = [command('Approve', { step: 'ok', digest: 'h1:aaaa' })];
    self.reconcile();
    self.view = { ...self.view, liveHash: NEWER };
    self.plans = [successor];
    const result = self.reconcile();
    expect(activePlanOf(self)?.progress).toMatchObject({ phase: 'Running', step: 0, approved: [], seq: 2 });
    expect(result.envelope).toMatchObject({ goal: NEWER, stable: OLD, allowed: 3, moving: true });
    expect(self.memory.find((m) => m.spec.digest === 'h1:aaaa')?.progress.phase).toBe('Superseded');
  });

  test('the record of the new plan is written before the old one is superseded, so that one is active after a crash in between', () => {
    const running = accepted(spec());
    const { writes } = advance(
      input({ view: view({ liveHash: NEWER }), plans: [successor], memory: [running] }),
    );
    expect(writes.map((w) => w.do)).toEqual(['accept', 'progress']);
    const [first] = writes;
    const cut = first?.do === 'accept' ? [running, accepted(first.spec, first.progress)] : [];
    const after = advance(input({ view: view({ liveHash: NEWER }), plans: [successor], memory: cut }));
    expect(after.accepted?.spec.digest).toBe('h1:bbbb');
    expect(after.blocked).toBeUndefined();
    // The interrupted write is done now.
    expect(outline(after).writes).toEqual(['progress h1:aaaa Superseded 0']);
  });

  test.each([
    ['failure', 'Reverted'],
    ['person', 'Reverted'],
    ['git', 'Superseded'],
  ] as const)('a plan that was reverting (%s) when another took over is %s', (cause, phase) => {
    const self = drive({
      view: view({ liveHash: NEWER, pods: halfway }),
      plans: [successor],
      memory: [accepted(spec(), { phase: 'Reverting', cause, goal: OLD, reason: 'Timeout' })],
    });
    self.reconcile();
    expect(activePlanOf(self)?.spec.digest).toBe('h1:bbbb');
    expect(self.memory.find((m) => m.spec.digest === 'h1:aaaa')?.progress.phase).toBe(phase);
    // The bad change returns with its old plan: its verdict still applies.
    self.plans = [planObject(spec())];
    self.view = { ...self.view, liveHash: NEW };
    self.reconcile();
    expect(activePlanOf(self)?.spec.digest === 'h1:aaaa').toBe(cause === 'git');
  });

  test('a superseded plan whose successor was lost is not active: the present plan is judged anew', () => {
    const put = accepted(spec(), { phase: 'Superseded' });
    const after = advance(input({ view: view({ liveHash: NEWER }), plans: [successor], memory: [put] }));
    expect(after.accepted?.spec.digest).toBe('h1:bbbb');
    expect(after.accepted?.progress).toMatchObject({ phase: 'Running', step: 0, seq: 2 });
  });

  test('the same change by other steps starts anew: an added gate is not skipped', () => {
    const self = drive({
      view: view({ pods: halfway }),
      plans: [planObject(spec({ steps: [canary, rest] }))],
    });
    self.reconcile();
    expect(activePlanOf(self)?.progress).toMatchObject({ phase: 'Running', step: 1 });
    self.plans = [
      planObject(
        spec({
          digest: 'h1:bbbb',
          supersedes: ['h1:aaaa'],
          from: listing,
          steps: [{ id: 'first', update: { to: 1 } }, ok, rest],
        }),
      ),
    ];
    self.reconcile();
    expect(activePlanOf(self)?.progress).toMatchObject({ phase: 'AwaitingApproval', step: 1, approved: [] });
  });

  test('the same change with steps added after the present one continues there', () => {
    const self = drive({ view: view({ pods: halfway }), plans: [planObject(spec())] });
    self.reconcile();
    self.plans = [
      planObject(spec({ digest: 'h1:bbbb', supersedes: ['h1:aaaa'], steps: [canary, ok, ok, rest] })),
    ];
    self.reconcile();
    expect(activePlanOf(self)?.progress).toMatchObject({ phase: 'AwaitingApproval', step: 1 });
  });
});

describe('a verdict applies until the attempt is raised', () => {
  function failed(onFailure: 'Halt' | 'Revert'): Drive {
    const self = drive({
      view: view({ pods: [...pods(NEW, 2), ...pods(OLD, 3)] }),
      plans: [planObject(spec({ steps: [{ ...canary, onFailure }, rest] }))],
    });
    self.wait(11 * MINUTE);
    if (onFailure === 'Revert') self.view = { ...self.view, pods: pods(OLD, 5) };
    self.reconcile();
    expect(activePlanOf(self)?.progress.phase).toBe(onFailure === 'Halt' ? 'Halted' : 'Reverted');
    return self;
  }

  const again = (parts: Parameters<typeof spec>[0]) =>
    planObject(spec({ digest: 'h1:bbbb', steps: [canary, rest], ...parts }));

  test.each(['Halt', 'Revert'] as const)(
    'after %s: the same change in another plan is not executed',
    (onFailure) => {
      const self = failed(onFailure);
      self.plans = [again({ supersedes: ['h1:aaaa'] })];
      const result = self.reconcile();
      expect(activePlanOf(self)?.spec.digest).toBe('h1:aaaa');
      expect([...result.pending.values()][0]?.reason).toMatch(/NotSuperseding|Verdict/);
      expect(result.envelope.moving).toBe(false);
    },
  );

  test('after Revert: a higher attempt starts at step 1, superseding or not', () => {
    for (const supersedes of [['h1:aaaa'], []]) {
      const self = failed('Revert');
      self.plans = [again({ supersedes, attempt: 2 })];
      const result = self.reconcile();
      expect(activePlanOf(self)).toMatchObject({
        spec: { digest: 'h1:bbbb' },
        progress: { phase: 'Running', step: 0 },
      });
      expect(result.envelope).toMatchObject({ goal: NEW, moving: true });
    }
  });

  test('a revert is not stopped by the same change, whatever its attempt', () => {
    const self = drive({
      view: view({ pods: halfway }),
      plans: [again({ supersedes: ['h1:aaaa'], attempt: 2 })],
      memory: [accepted(spec(), { phase: 'Reverting', cause: 'failure', goal: OLD })],
    });
    const result = self.reconcile();
    expect(activePlanOf(self)?.spec.digest).toBe('h1:aaaa');
    expect(result.envelope).toMatchObject({ goal: OLD, moving: true });
    expect([...result.pending.values()][0]?.message).toContain('waits until the target is reverted');
  });

  test('in Auto, too: an unplanned rollout does not start what failed', () => {
    const self = failed('Revert');
    self.policy = 'Auto';
    expect(self.reconcile().envelope).toMatchObject({ goal: OLD, moving: false });
  });
});

describe('continuation: partition 2, then 0', () => {
  const bounded = planObject(spec({ to: { hash: NEW, bound: { partition: 2 } }, steps: [rest] }));
  const loosened = planObject(spec({ digest: 'h1:bbbb', supersedes: ['h1:aaaa'], steps: [rest] }));

  function held(): Drive {
    const self = drive({ view: view({ partition: 2 }), plans: [bounded] });
    self.reconcile();
    self.view = { ...self.view, pods: halfway };
    self.reconcile();
    return self;
  }

  test('the first ends under its bound and records the retained pods', () => {
    const self = held();
    expect(activePlanOf(self)?.progress.phase).toBe('Succeeded');
    expect(self.view).toMatchObject({ stable: NEW, retained: { hash: OLD, n: 2 } });
    expect(self.reconcile().envelope).toMatchObject({ goal: NEW, stable: NEW, allowed: 3, moving: false });
  });

  test('a bound that is lowered without a plan updates no pod', () => {
    const self = held();
    self.view = { ...self.view, partition: 0 };
    expect(self.wait(MINUTE).envelope).toMatchObject({ allowed: 3, moving: false });
  });

  test('a plan that is ahead of its manifest waits at the partition, and its clock does not run', () => {
    const self = held();
    self.plans = [loosened];
    const result = self.wait(60 * MINUTE);
    expect(result.boundedBy).toBe('partition');
    expect(activePlanOf(self)?.progress).toMatchObject({ phase: 'Running', clockMs: 0, idleMs: 0 });
  });

  test('the second updates the two, and no pod is retained', () => {
    const self = held();
    self.view = { ...self.view, partition: 0 };
    self.plans = [loosened];
    expect(self.reconcile().envelope).toMatchObject({ goal: NEW, allowed: 5, moving: true });
    self.view = { ...self.view, pods: pods(NEW, 5) };
    self.reconcile();
    expect(activePlanOf(self)?.progress.phase).toBe('Succeeded');
    expect(self.view.retained).toBeUndefined();
  });

  test('at 0 replicas it ends at once, and no pods are recorded as retained', () => {
    const self = held();
    self.view = { ...self.view, partition: 0, replicas: 0, pods: [] };
    self.plans = [loosened];
    const result = self.reconcile();
    expect(activePlanOf(self)?.progress.reason).toBe('AlreadyThere');
    expect(self.view.retained).toBeUndefined();
    expect(result.envelope).toMatchObject({ goal: NEW, stable: NEW, allowed: 'unbounded' });
  });
});
