import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { emptyContext } from '../../../semantics/plan/rollout-view.ts';
import { type Drive, drive } from './drive.ts';
import { canary, MINUTE, NEW, OLD, ok, planObject, pods, rest, spec, view } from './rollout.ts';

const crowded = '0/9 nodes are available: 9 Insufficient cpu';
const refused = { revision: 'new', message: 'exceeded quota: team-shop, limited: pods=40' };
const quota = { ...emptyContext, quota: refused };
const homeless = (n: number, name = 'lone') =>
  Array.from({ length: n }, (_, i) =>
    pods(NEW, 1, { name: `${name}-${i}`, available: false, unschedulable: crowded }),
  ).flat();

/** A canary of three: one is there, two find no node. */
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

describe('waiting for room in the cluster (plan, section 5)', () => {
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
    expect(self.memory[0]?.progress.message).toContain('has waited for cluster capacity for 30 min');
  });

  test('goes back where the step says so', () => {
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
    ['a pod that fits nowhere', waiting(), false],
    ['a quota, for what is freed is used at once', waiting({}, { context: quota }), true],
  ])('whether pods are taken meanwhile, under %s', (_, self, moving) => {
    const { pods: before } = self.view;
    if (moving)
      self.view = { ...self.view, pods: before.map((pod) => ({ ...pod, unschedulable: undefined })) };
    const result = self.reconcile();
    expect([result.blocked?.reason, result.envelope.moving]).toEqual(['NoCapacity', moving]);
  });

  test('a quota that refused a pod of another revision says nothing about it', () => {
    const around = { ...emptyContext, quota: { ...refused, revision: 'old' } };
    const self = drive({
      view: view({ pods: [...pods(NEW, 1), ...pods(OLD, 4)] }),
      plans: [planObject(spec())],
      context: around,
    });
    self.reconcile();
    expect(self.reconcile().blocked).toBeUndefined();
  });

  test('a pod that becomes available begins the half hour again', () => {
    const self = waiting();
    self.wait(29 * MINUTE);
    self.view = { ...self.view, pods: [...pods(NEW, 2), ...homeless(1), ...pods(OLD, 2)] };
    self.wait(29 * MINUTE);
    expect(state(self)).toBe('Running');
    self.wait(MINUTE);
    expect(state(self)).toBe('Halted NoCapacity');
  });

  test('room for a moment does not begin it again: only a pod does', () => {
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

  test('the time of the step goes on where it stood', () => {
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

  test('a crash loses no more than half a minute of it', () => {
    const self = waiting();
    self.wait(15 * MINUTE + 29_000);
    self.crash();
    self.wait(14 * MINUTE + 31_000 + 60_000);
    expect(state(self)).toBe('Halted NoCapacity');
  });

  test.each([
    [
      'a pod of the old side',
      [...pods(NEW, 1), ...pods(OLD, 4, { unschedulable: crowded, available: false })],
    ],
    ['nobody', [...pods(NEW, 1), ...pods(OLD, 4)]],
  ])('%s: the step runs into its own deadline', (_, there) => {
    const self = drive({ view: view({ pods: there }), plans: [planObject(spec())] });
    self.wait(10 * MINUTE);
    expect(state(self)).toBe('Halted Timeout');
  });

  test('a pod that fitted nowhere before the plan says nothing about it', () => {
    const lost = pods(NEW, 1, { name: 'lost', unschedulable: crowded, available: false });
    const self = drive({
      view: view({ pods: [...lost, ...pods(OLD, 4)] }),
      plans: [planObject(spec({ from: [NEW, OLD].map((hash) => ({ hash, mode: 'InPlace' as const })) }))],
    });
    expect(self.reconcile().blocked).toBeUndefined();
  });

  test('an approval waits for a person, whatever the cluster lacks', () => {
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

  test('a rollout that goes back waits without an end', () => {
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
