import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { emptyContext } from '../../../semantics/plan/rollout-context.ts';
import { type Drive, drive } from './drive.ts';
import { canary, MINUTE, NEW, OLD, ok, planObject, pods, rest, spec, view } from './rollout.ts';

const crowded = '0/9 nodes are available: 9 Insufficient cpu';
const refused = {
  reason: 'NoCapacity',
  revision: 'new',
  message: 'exceeded quota: team-shop, limited: pods=40',
} as const;
const quota = { ...emptyContext, refusals: [refused] };
const homeless = (n: number, name = 'lone') =>
  Array.from({ length: n }, (_, i) =>
    pods(NEW, 1, { name: `${name}-${i}`, available: false, unschedulable: crowded }),
  ).flat();

/** A first step of three pods: one is available, two fit on no node. */
function waiting(step: Partial<Step> = {}, parts: Partial<Drive> = {}): Drive {
  const self = drive({
    view: view(),
    plans: [planObject(spec({ steps: [{ ...canary, ...step }, ok, rest] }))],
    ...parts,
  });
  self.reconcile();
  self.view = { ...self.view, pods: [...pods(NEW, 1), ...homeless(2), ...pods(OLD, 2)] };
  return self;
}

function state(self: Drive): string {
  const { phase = 'Pending', reason } = self.memory[0]?.progress ?? {};
  return reason === undefined ? phase : `${phase} ${reason}`;
}

describe('waiting for cluster capacity', () => {
  test('stops the clocks for 30 minutes, and then the step fails', () => {
    const self = waiting();
    const result = self.wait(29 * MINUTE);
    expect(result.blocked).toMatchObject({ reason: 'NoCapacity' });
    expect(result.blocked?.message).toBe(`pod lone-0 fits on no node: ${crowded}`);
    expect(self.memory[0]?.progress).toMatchObject({ phase: 'Running', clockMs: 0, idleMs: 0 });
    self.wait(MINUTE - 1000);
    expect(state(self)).toBe('Running');
    self.wait(1000);
    expect(state(self)).toBe('Halted NoCapacity');
    expect(self.memory[0]?.progress.message).toContain('has waited for cluster capacity for 30m');
  });

  test('reverts if the step has onFailure Revert', () => {
    const self = waiting({ onFailure: 'Revert' });
    self.wait(30 * MINUTE);
    expect(state(self)).toBe('Reverting NoCapacity');
  });

  test('a quota that is used up counts in the same way', () => {
    const self = waiting({}, { context: quota });
    self.view = { ...self.view, pods: [...pods(NEW, 1), ...pods(OLD, 2)] };
    expect(self.wait(30 * MINUTE - 1000).blocked?.message).toBe(refused.message);
    expect(state(self)).toBe('Running');
    self.wait(1000);
    expect(state(self)).toBe('Halted NoCapacity');
  });

  test.each([
    ['a pod that fits on no node', waiting(), false],
    ['a quota, as freed quota is used at once', waiting({}, { context: quota }), true],
  ])('whether pods are updated meanwhile, with %s', (_, self, moving) => {
    const { pods: before } = self.view;
    if (moving) self.view = { ...self.view, pods: before.filter((pod) => pod.available) };
    const result = self.reconcile();
    expect([result.blocked?.reason, result.envelope.moving]).toEqual(['NoCapacity', moving]);
  });

  test('a quota that refused a pod of another revision does not count', () => {
    const context = { ...emptyContext, refusals: [{ ...refused, revision: 'old' }] };
    const self = drive({
      view: view({ pods: [...pods(NEW, 1), ...pods(OLD, 4)] }),
      plans: [planObject(spec())],
      context,
    });
    self.reconcile();
    expect(self.reconcile().blocked).toBeUndefined();
  });

  test.each(['NoCapacity', 'FailedCreate'] as const)(
    'a pod of the revision before that is refused (%s) stops the clocks where nothing else moves, for 30 minutes',
    (reason) => {
      const self = waiting(
        {},
        { context: { ...emptyContext, refusals: [{ ...refused, reason, revision: 'old' }] } },
      );
      self.view = { ...self.view, pods: [...pods(NEW, 1), ...pods(OLD, 2)] };
      const result = self.wait(29 * MINUTE);
      expect(result.blocked).toBeUndefined();
      expect(result.waitingOn).toContain('a pod of old comes before them, and the server refuses it');
      expect(self.memory[0]?.progress).toMatchObject({ phase: 'Running', clockMs: 0, idleMs: 0 });
      self.wait(MINUTE);
      expect(state(self)).toBe('Halted NoCapacity');
      expect(self.memory[0]?.progress.message).toContain(
        'waited for 30m for a pod of old that the server refuses',
      );
    },
  );

  test.each(['old', 'new'])(
    'while pods of the step are on their way its clock runs, though the server refuses others (%s)',
    (revision) => {
      const self = waiting({}, { context: { ...emptyContext, refusals: [{ ...refused, revision }] } });
      self.view = { ...self.view, pods: [...pods(NEW, 2, { available: false }), ...pods(OLD, 2)] };
      self.wait(10 * MINUTE);
      expect(state(self)).toBe('Halted Timeout');
    },
  );

  test('a pod that becomes available restarts the 30 minutes', () => {
    const self = waiting();
    self.wait(29 * MINUTE);
    self.view = { ...self.view, pods: [...pods(NEW, 2), ...homeless(1), ...pods(OLD, 2)] };
    self.wait(29 * MINUTE);
    expect(state(self)).toBe('Running');
    self.wait(MINUTE);
    expect(state(self)).toBe('Halted NoCapacity');
  });

  test('capacity for a moment does not restart them: only an available pod does', () => {
    const self = waiting();
    self.wait(29 * MINUTE);
    const { pods: before } = self.view;
    self.view = { ...self.view, pods: before.map((pod) => ({ ...pod, unschedulable: undefined })) };
    self.wait(MINUTE);
    self.view = { ...self.view, pods: before };
    self.wait(MINUTE - 1000);
    expect(state(self)).toBe('Running');
    self.wait(1000);
    expect(state(self)).toBe('Halted NoCapacity');
  });

  test('the clock of the step continues where it stopped', () => {
    const self = waiting({ timeout: '10m' });
    const { pods: before } = self.view;
    const placed = before.map((pod) => ({ ...pod, unschedulable: undefined }));
    self.view = { ...self.view, pods: placed };
    self.wait(6 * MINUTE);
    self.view = { ...self.view, pods: before };
    self.wait(20 * MINUTE);
    self.view = { ...self.view, pods: placed };
    self.wait(4 * MINUTE - 1000);
    expect(state(self)).toBe('Running');
    self.wait(1000);
    expect(state(self)).toBe('Halted Timeout');
  });

  test('a crash loses at most 30 seconds of it', () => {
    const self = waiting();
    self.wait(15 * MINUTE + 29_000);
    self.crash();
    self.wait(14 * MINUTE + 31_000 + 60_000);
    expect(state(self)).toBe('Halted NoCapacity');
  });

  test.each([
    [
      'a pod on the old revision',
      [...pods(NEW, 1), ...pods(OLD, 4, { unschedulable: crowded, available: false })],
    ],
    ['nobody', [...pods(NEW, 1), ...pods(OLD, 4)]],
  ])('%s: the step fails at its own deadline', (_, there) => {
    const self = drive({ view: view({ pods: there }), plans: [planObject(spec())] });
    self.wait(10 * MINUTE);
    expect(state(self)).toBe('Halted Timeout');
  });

  test('a pod that fitted on no node before the plan does not count', () => {
    const lost = pods(NEW, 1, { name: 'lost', unschedulable: crowded, available: false });
    const self = drive({
      view: view({ pods: [...lost, ...pods(OLD, 4)] }),
      plans: [planObject(spec({ from: [NEW, OLD].map((hash) => ({ hash, mode: 'InPlace' as const })) }))],
    });
    expect(self.reconcile().blocked).toBeUndefined();
  });

  test('an approval waits for a user, whatever the capacity', () => {
    const self = drive({
      view: view({ pods: [...pods(NEW, 3), ...pods(OLD, 2)] }),
      plans: [planObject(spec())],
    });
    self.reconcile();
    self.view = { ...self.view, pods: [...pods(NEW, 2), ...homeless(1), ...pods(OLD, 2)] };
    self.context = quota;
    const result = self.wait(60 * MINUTE);
    expect([state(self), result.blocked]).toEqual(['AwaitingApproval', undefined]);
  });

  test('a revert waits without a limit', () => {
    const self = waiting({ onFailure: 'Revert' });
    self.wait(30 * MINUTE);
    self.context = quota;
    self.wait(60 * MINUTE);
    expect(state(self)).toBe('Reverting NoCapacity');
    self.view = { ...self.view, pods: pods(OLD, 5) };
    self.reconcile();
    expect(state(self)).toBe('Reverted NoCapacity');
  });
});
