import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { type Drive, drive, swap } from './drive.ts';
import { canary, command, MINUTE, NEW, OLD, planObject, pods, rest, spec, view } from './rollout.ts';

const soak: Step = { id: 'soak', soak: { for: '10m' } };
const three = [...pods(NEW, 3), ...pods(OLD, 2)];
const two = [...pods(NEW, 2), ...pods(OLD, 3)];

/** A plan whose first step is done: three pods on NEW, and the next step has started. */
function at(step: Step, parts: Partial<Drive> = {}, planParts: Parameters<typeof spec>[0] = {}): Drive {
  const self = drive({
    view: view({ pods: three }),
    plans: [planObject(spec({ steps: [canary, step, rest], ...planParts }))],
    ...parts,
  });
  self.reconcile();
  return self;
}

function phase(self: Drive): string {
  const progress = self.memory[0]?.progress;
  const step = self.memory[0]?.spec.steps[progress?.step ?? 0];
  return `${progress?.phase ?? 'Pending'} ${step?.id ?? ''}`.trim();
}

describe('a soak counts observed time', () => {
  test('ten minutes of reconciles are ten minutes, to the second', () => {
    const self = at(soak);
    self.wait(10 * MINUTE - 1000);
    expect(phase(self)).toBe('Soaking soak');
    self.wait(1000);
    expect(phase(self)).toBe('Running rest');
  });

  test('the target is reconciled when it ends, and every 30 seconds before', () => {
    const self = at(soak);
    expect(self.reconcile().requeueAt).toBe(self.now + 30_000);
    self.wait(10 * MINUTE - 7000);
    expect(self.reconcile().requeueAt).toBe(self.now + 7000);
  });

  test.each([
    ['a minute between two reconciles counts', MINUTE, 9],
    ['more than a minute does not count', MINUTE + 1, 10],
    ['an hour without a runtime does not count', 60 * MINUTE, 10],
  ])('%s', (_, ms, leftMinutes) => {
    const self = at(soak);
    self.absent(ms);
    self.wait(leftMinutes * MINUTE - 1000);
    expect(phase(self)).toBe('Soaking soak');
    self.wait(1000);
    expect(phase(self)).toBe('Running rest');
  });

  test('a crash loses what was not written, at most 30 seconds', () => {
    const self = at(soak);
    self.wait(5 * MINUTE + 29_000);
    self.crash();
    self.wait(4 * MINUTE + 31_000 - 1000);
    expect(phase(self)).toBe('Soaking soak');
    self.wait(30_000);
    expect(phase(self)).toBe('Running rest');
  });

  test('a long clock is written less often: a twentieth of it at a time', () => {
    const self = at({ id: 'soak', soak: { for: '100h' } });
    self.wait(60 * MINUTE);
    const before = self.memory[0]?.progress.clockMs ?? 0;
    expect(before).toBeGreaterThanOrEqual(57 * MINUTE - 30_000);
    let writes = 0;
    let last = before;
    for (let i = 0; i < 120; i++) {
      self.wait(30_000);
      const clock = self.memory[0]?.progress.clockMs ?? 0;
      if (clock !== last) writes++;
      last = clock;
    }
    expect(writes).toBeGreaterThan(10);
    expect(writes).toBeLessThan(25);
  });

  test.each([
    ['the target is paused', (self: Drive) => void (self.view = { ...self.view, paused: true })],
    ['the plan object is gone', (self: Drive) => void (self.plans = [])],
    [
      'the manifest is at another revision',
      (self: Drive) => void (self.view = { ...self.view, liveHash: 'h1:stray' }),
    ],
  ])('time does not count while %s', (_, obstruct) => {
    const self = at(soak);
    self.wait(4 * MINUTE);
    const { view: before, plans } = self;
    obstruct(self);
    expect(self.wait(60 * MINUTE).blocked).toBeDefined();
    self.view = before;
    self.plans = plans;
    self.wait(6 * MINUTE - 1000);
    expect(phase(self)).toBe('Soaking soak');
    self.wait(2000);
    expect(phase(self)).toBe('Running rest');
  });
});

describe('where no clock leads to an end', () => {
  const days = 3 * 24 * 60;
  test('an approval is neither observed again nor written, however long it waits', () => {
    const self = at({ id: 'approve-1', approve: {} });
    const before = structuredClone(self.memory);
    for (let minute = 0; minute < days; minute += 10) {
      self.absent(10 * MINUTE);
      const { requeueAt, writes, waitingLabel } = self.reconcile();
      expect({ requeueAt, writes, waitingLabel }).toEqual({
        requeueAt: undefined,
        writes: [],
        waitingLabel: 'Approval',
      });
    }
    expect(self.memory).toEqual(before);
  });

  test('an approval with a timeout counts its time', () => {
    const self = at({ id: 'approve-1', approve: {}, timeout: '10m' });
    self.wait(10 * MINUTE - 1000);
    expect(phase(self)).toBe('AwaitingApproval approve-1');
    self.wait(1000);
    expect(phase(self)).toBe('Halted approve-1');
  });
});

describe('a soak fails', () => {
  const breaches: [string, (self: Drive) => void, string][] = [
    ['a pod at `to` restarts', (self) => swap(self, 'new-1', { restarts: 1 }), 'restarted after its update'],
    [
      'a pod at `to` becomes unavailable',
      (self) => swap(self, 'new-1', { available: false }),
      'became unavailable during soak',
    ],
  ];
  test.each(breaches)('%s', (_, breach, message) => {
    const self = at(soak);
    self.wait(MINUTE);
    breach(self);
    self.wait(1000);
    expect(self.memory[0]?.progress).toMatchObject({ phase: 'Halted', reason: 'Breach', cause: 'failure' });
    expect(self.memory[0]?.progress.message).toContain(message);
  });

  const calm: [string, (self: Drive) => void][] = [
    ['a pod at the old revision restarts', (self) => swap(self, 'old-1', { restarts: 1 })],
    ['a pod at the old revision becomes unavailable', (self) => swap(self, 'old-1', { available: false })],
  ];
  test.each(calm)('not when %s', (_, change) => {
    const self = at(soak);
    self.wait(MINUTE);
    change(self);
    self.wait(9 * MINUTE);
    expect(phase(self)).toBe('Running rest');
  });

  test('a target that is scaled to zero waits for a pod', () => {
    const self = at({ id: 'soak', soak: { for: '30m' } });
    self.view = { ...self.view, pods: [], replicas: 0 };
    expect(self.wait(MINUTE).waitingOn).toBe('a pod: replicas is 0');
  });

  test('a deleted pod only stops the clock until its replacement is available, however long the soak has lasted', () => {
    const self = at({ id: 'soak', soak: { for: '30m' } });
    self.wait(15 * MINUTE);
    const { pods: all } = self.view;
    self.view = { ...self.view, pods: all.filter((pod) => pod.name !== 'new-1') };
    expect(self.wait(12 * MINUTE).waitingOn).toBe('1 of 3 to become available again');
    const successor = pods(NEW, 1, { name: 'new-9', available: false, createdAt: self.now });
    self.view = { ...self.view, pods: [...self.view.pods, ...successor] };
    self.wait(12 * MINUTE);
    expect(phase(self)).toBe('Soaking soak');
    swap(self, 'new-9', { available: true });
    self.wait(15 * MINUTE - 1000);
    expect(phase(self)).toBe('Soaking soak');
    self.wait(2000);
    expect(phase(self)).toBe('Running rest');
  });

  test('the replacement must not break', () => {
    const self = at(soak);
    swap(self, 'new-1', { uid: 'uid-next', name: 'new-9', createdAt: self.now, restarts: 1 });
    self.wait(1000);
    expect(phase(self)).toBe('Halted soak');
  });
});

describe('what was broken when the plan was accepted does not count against it (baseline)', () => {
  test('a pod that was broken before, and still is after its update, neither fails the step nor stops the soak', () => {
    const broken = pods(OLD, 5).map((pod, i) => (i === 0 ? { ...pod, available: false, restarts: 4 } : pod));
    const self = drive({
      view: view({ pods: broken }),
      plans: [planObject(spec({ steps: [canary, soak, rest] }))],
    });
    self.reconcile();
    self.view = { ...self.view, pods: broken.map((pod, i) => (i < 3 ? { ...pod, hash: NEW } : pod)) };
    self.wait(10 * MINUTE - 1000);
    expect(phase(self)).toBe('Soaking soak');
    self.wait(2000);
    expect(phase(self)).toBe('Running rest');
  });

  test('a pod that was broken before and is repaired by its update does not stop the soak', () => {
    const broken = pods(OLD, 5).map((pod, i) => (i === 0 ? { ...pod, available: false } : pod));
    const self = drive({
      view: view({ pods: broken }),
      plans: [planObject(spec({ steps: [{ id: 'one', update: { to: 1 } }, soak, rest] }))],
    });
    self.reconcile();
    self.view = {
      ...self.view,
      pods: broken.map((pod, i) => (i === 0 ? { ...pod, hash: NEW, available: true } : pod)),
    };
    self.wait(10 * MINUTE + 1000);
    expect(phase(self)).toBe('Running rest');
  });

  test('only restarts beyond those that a pod at `to` had at the start fail it', () => {
    const there = pods(NEW, 1, { name: 'there', restarts: 2 });
    const old = pods(OLD, 4).map((pod) => ({ ...pod, restarts: 5 }));
    const self = drive({
      view: view({ pods: [...there, ...old] }),
      plans: [planObject(spec({ steps: [canary, soak, rest] }))],
    });
    self.reconcile();
    const updated = old.map((pod, i) => (i < 2 ? { ...pod, hash: NEW, restarts: 0 } : pod));
    self.view = { ...self.view, pods: [...there, ...updated] };
    self.wait(MINUTE);
    expect(phase(self)).toBe('Soaking soak');
    // Restarts before its own update excuse none now.
    swap(self, updated[0]?.name ?? '', { restarts: 1 });
    self.wait(1000);
    expect(phase(self)).toBe('Halted soak');
  });
});

describe('a step that does not end fails', () => {
  const limits: [string, Partial<Step>, number | undefined, number][] = [
    ['ten minutes without a pod becoming available', {}, undefined, 10],
    ["the target's own progress deadline", {}, 180, 3],
    ["the step's own timeout before the deadline", { timeout: '4m' }, undefined, 4],
    ["the step's own timeout after the deadline", { timeout: '14m' }, 180, 14],
  ];
  test.each(limits)('after %s', (_, parts, progressDeadlineSeconds, minutes) => {
    const self = drive({
      view: view({ pods: two, progressDeadlineSeconds }),
      plans: [planObject(spec({ steps: [{ ...canary, ...parts }, rest] }))],
    });
    self.wait(minutes * MINUTE - 1000);
    expect(phase(self)).toBe('Running canary');
    self.wait(1000);
    expect(self.memory[0]?.progress).toMatchObject({ phase: 'Halted', reason: 'Timeout', step: 0 });
  });

  test('each pod that becomes available restarts the deadline, but none that was available before', () => {
    const self = drive({
      view: view({ pods: [...pods(NEW, 2, { available: false }), ...pods(OLD, 3)] }),
      plans: [planObject(spec({ steps: [rest] }))],
    });
    self.wait(9 * MINUTE);
    swap(self, 'new-0', { available: true });
    self.wait(9 * MINUTE);
    expect(phase(self)).toBe('Running rest');
    swap(self, 'new-0', { available: false });
    self.wait(30_000);
    swap(self, 'new-0', { available: true });
    self.wait(MINUTE);
    expect(phase(self)).toBe('Halted rest');
  });

  test('an approval has no deadline, unless it has a timeout', () => {
    const patient = at({ id: 'ok', approve: {} });
    patient.wait(60 * MINUTE);
    expect(phase(patient)).toBe('AwaitingApproval ok');
    const hasty = at({ id: 'ok', approve: {}, timeout: '5m' });
    hasty.wait(5 * MINUTE);
    expect(phase(hasty)).toBe('Halted ok');
  });

  test('an approval before its gate is recorded for it; then the gate is done at once', () => {
    const self = drive({
      view: view({ pods: two }),
      plans: [planObject(spec({ steps: [canary, { id: 'ok', approve: {} }, rest] }))],
    });
    self.reconcile();
    self.commands = [command('Approve', { step: 'ok', digest: 'h1:aaaa' })];
    self.reconcile();
    expect(self.commands[0]?.result).toBe('Accepted');
    self.view = { ...self.view, pods: three };
    self.reconcile();
    expect(phase(self)).toBe('Running rest');
  });

  const answers: [string, Step[], number, string][] = [
    ['the step has onFailure Revert', [{ ...canary, onFailure: 'Revert' }, rest], 0, 'Reverting'],
    ['the step has no onFailure', [canary, rest], 0, 'Halted'],
    [
      'a gate uses that of the update before it',
      [{ ...canary, onFailure: 'Revert' }, soak, rest],
      1,
      'Reverting',
    ],
    [
      'a gate with its own onFailure uses that',
      [{ ...canary, onFailure: 'Revert' }, { ...soak, onFailure: 'Halt' }, rest],
      1,
      'Halted',
    ],
  ];
  test.each(answers)('%s', (_, steps, failing, expected) => {
    const self = drive({
      view: view({ pods: failing === 0 ? two : three }),
      plans: [planObject(spec({ steps }))],
    });
    self.wait(MINUTE);
    if (failing === 1) swap(self, 'new-0', { available: false });
    self.wait(10 * MINUTE);
    expect(self.memory[0]?.progress).toMatchObject({ phase: expected, cause: 'failure', step: failing });
    if (expected === 'Reverting') expect(self.memory[0]?.progress.goal).toBe(OLD);
  });

  test('an irreversible plan halts even with onFailure Revert', () => {
    const self = drive({
      view: view({ pods: two }),
      plans: [
        planObject(
          spec({ irreversible: 'its data moved on', steps: [{ ...canary, onFailure: 'Revert' }, rest] }),
        ),
      ],
    });
    self.wait(10 * MINUTE);
    expect(phase(self)).toBe('Halted canary');
  });
});
