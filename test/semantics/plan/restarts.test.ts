import { describe, expect, test } from 'vitest';
import type { PodRow } from '../../../semantics/plan/pod-row.ts';
import { drive, activePlanOf, sendCommand, state, swap } from './drive.ts';
import { canary, MINUTE, NEW, NOW, OLD, planObject, pods, rest, spec, view } from './rollout.ts';

const updated = (n: number, at: number, parts: Partial<PodRow> = {}) =>
  pods(NEW, n, { updatedAt: at, ...parts }).map((pod, i) => ({
    ...pod,
    uid: `${at}-${i}`,
    unit: `${at}-${i}`,
  }));

/** The first step of three pods is done, and the rest is next. */
function afterTheCanary() {
  const self = drive({
    view: view({ stable: OLD }),
    plans: [planObject(spec({ steps: [canary, rest] }))],
  });
  self.reconcile();
  self.now += MINUTE;
  const [one, two] = pods(OLD, 5);
  self.view = { ...self.view, pods: [one, two, ...updated(3, NOW + 1)].flatMap((pod) => pod ?? []) };
  self.reconcile();
  expect(state(self)).toBe('Running rest');
  return self;
}

describe('restarts of pods while others are updated', () => {
  test('a pod of an earlier batch that restarts fails the step', () => {
    const self = afterTheCanary();
    swap(self, 'new-1', { restarts: 1, available: false });
    self.reconcile();
    expect(state(self)).toBe('Halted rest Breach');
    expect(activePlanOf(self)?.progress.message).toBe(
      'pod new-1 restarted after its update, which fails step rest',
    );
  });

  // Without a probe it is available again before it is observed.
  test('even if the pod is available again, and the step could end', () => {
    const self = afterTheCanary();
    self.view = { ...self.view, pods: [...updated(3, NOW + 1), ...updated(2, NOW + 2 * MINUTE)] };
    swap(self, 'new-2', { restarts: 1 });
    self.reconcile();
    expect(state(self)).toBe('Halted rest Breach');
  });

  test('restarts of a pod in the step that updates it do not fail the step', () => {
    const self = afterTheCanary();
    const up = updated(1, NOW + 2 * MINUTE, { name: 'late', restarts: 2, available: false });
    self.view = { ...self.view, pods: [...pods(OLD, 1), ...updated(3, NOW + 1), ...up] };
    self.reconcile();
    expect(state(self)).toBe('Running rest');
    self.wait(11 * MINUTE);
    expect(state(self)).toBe('Halted rest Timeout');
  });

  test('a restart of a pod that the step has updated fails it once the pod had been available', () => {
    const self = afterTheCanary();
    const up = updated(1, NOW + 2 * MINUTE, { name: 'late' });
    self.view = { ...self.view, pods: [...pods(OLD, 1), ...updated(3, NOW + 1), ...up] };
    self.reconcile();
    swap(self, 'late', { restarts: 1 });
    self.reconcile();
    expect(state(self)).toBe('Running rest');
    swap(self, 'late', { restarts: 2, restartedWhenAvailable: true });
    self.reconcile();
    expect(state(self)).toBe('Halted rest Breach');
    expect(activePlanOf(self)?.progress.message).toBe(
      'pod late restarted after its update, which fails step rest',
    );
    expect(sendCommand(self, 'Resume')).toBe('Accepted');
    self.reconcile();
    expect(state(self)).toBe('Running rest');
  });

  test('what restarted before the plan, or before Resume, does not count', () => {
    const self = afterTheCanary();
    swap(self, 'new-1', { restarts: 1, available: false });
    self.reconcile();
    expect(sendCommand(self, 'Resume')).toBe('Accepted');
    expect(state(self)).toBe('Running rest');
    swap(self, 'new-1', { restarts: 2 });
    self.reconcile();
    expect(state(self)).toBe('Running rest');
    swap(self, 'new-0', { restarts: 1 });
    self.reconcile();
    expect(state(self)).toBe('Halted rest Breach');
  });

  test('a step that waits for nothing but the partition of the target does not fail', () => {
    const self = afterTheCanary();
    self.view = { ...self.view, partition: 2 };
    swap(self, 'new-1', { restarts: 1 });
    self.reconcile();
    expect(state(self)).toBe('Running rest');
  });
});
