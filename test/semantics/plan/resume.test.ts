import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { type Drive, drive, activePlanOf, sendCommand, state, swap } from './drive.ts';
import { canary, MINUTE, NEW, OLD, ok, planObject, pods, rest, spec, UNEXPECTED, view } from './rollout.ts';

const soak: Step = { id: 'soak', soak: { for: '10m' } };
const two = [...pods(NEW, 2), ...pods(OLD, 3)];
const three = [...pods(NEW, 3), ...pods(OLD, 2)];

function running(steps: Step[], parts: Partial<Drive> = {}): Drive {
  const self = drive({ view: view({ pods: three }), plans: [planObject(spec({ steps }))], ...parts });
  self.reconcile();
  return self;
}

describe('Resume after a failure continues at the failed step, with new clocks and baseline', () => {
  function breached(parts: Partial<Drive['view']['pods'][number]>): Drive {
    const self = running([canary, soak, rest]);
    self.wait(9 * MINUTE);
    swap(self, 'new-1', parts);
    self.wait(1000);
    expect(state(self)).toBe('Halted soak Breach');
    expect(sendCommand(self, 'Resume')).toBe('Accepted');
    return self;
  }

  test('a soak that failed for an unavailable pod waits for it, and its time starts again', () => {
    const self = breached({ available: false });
    expect(self.wait(60 * MINUTE).waitingOn).toBe('1 of 3 to become available again');
    expect(state(self)).toBe('Soaking soak');
    swap(self, 'new-1', { available: true });
    self.wait(10 * MINUTE - 1000);
    expect(state(self)).toBe('Soaking soak');
    self.wait(1000);
    expect(state(self)).toBe('Running rest');
  });

  test('a pod that has recovered is watched again', () => {
    const self = breached({ available: false });
    self.wait(MINUTE);
    swap(self, 'new-1', { available: true });
    self.wait(MINUTE);
    swap(self, 'new-1', { available: false });
    self.wait(1000);
    expect(state(self)).toBe('Halted soak Breach');
  });

  test('it excuses that pod only', () => {
    const self = breached({ available: false });
    swap(self, 'new-0', { available: false });
    self.reconcile();
    expect(state(self)).toBe('Halted soak Breach');
  });

  test('a soak that failed for a restart: that restart is excused, and the next one is not', () => {
    const self = breached({ restarts: 1 });
    self.wait(5 * MINUTE);
    expect(state(self)).toBe('Soaking soak');
    swap(self, 'new-1', { restarts: 2 });
    self.wait(1000);
    expect(state(self)).toBe('Halted soak Breach');
  });

  test('what is excused in one step is not in the next', () => {
    const self = running([canary, soak, rest], { view: view({ pods: [...pods(NEW, 4), ...pods(OLD, 1)] }) });
    // One more than the step wants: the soak continues even if it does not recover.
    swap(self, 'new-3', { available: false });
    self.wait(1000);
    expect(state(self)).toBe('Halted soak Breach');
    sendCommand(self, 'Resume');
    expect(activePlanOf(self)?.progress.excused).toEqual(['uid-new-3']);
    self.wait(10 * MINUTE);
    expect(state(self)).toBe('Running rest');
    expect(activePlanOf(self)?.progress.excused).toBeUndefined();
  });

  test('an update that timed out has ten minutes again', () => {
    const self = running([canary, rest], { view: view({ pods: two }) });
    self.wait(10 * MINUTE);
    expect(state(self)).toBe('Halted canary Timeout');
    sendCommand(self, 'Resume');
    expect(self.reconcile().envelope).toMatchObject({ goal: NEW, allowed: 3, moving: true });
    self.wait(10 * MINUTE - 1000);
    expect(state(self)).toBe('Running canary');
    self.wait(1000);
    expect(state(self)).toBe('Halted canary Timeout');
  });

  test('a step that waited for cluster capacity has 30 minutes again', () => {
    const self = running([canary, rest], { view: view({ pods: two }) });
    self.view = {
      ...self.view,
      pods: [...two, ...pods(NEW, 1, { name: 'lone', available: false, unschedulable: 'no node' })],
    };
    self.wait(30 * MINUTE);
    expect(state(self)).toBe('Halted canary NoCapacity');
    sendCommand(self, 'Resume');
    self.wait(29 * MINUTE);
    expect(state(self)).toBe('Running canary');
    self.wait(MINUTE);
    expect(state(self)).toBe('Halted canary NoCapacity');
  });

  test('a plan is halted again while the reason still exists', () => {
    const self = running([canary, rest]);
    self.view = { ...self.view, pods: [...three.slice(0, 4), ...pods(UNEXPECTED, 1)] };
    self.reconcile();
    expect(sendCommand(self, 'Resume')).toBe('Accepted');
    expect(state(self)).toBe('Halted rest UnplannedRevision');
  });

  test('after a revert for a failure it starts at step 1', () => {
    const self = running([{ ...canary, onFailure: 'Revert' }, ok, rest], { view: view({ pods: two }) });
    self.wait(10 * MINUTE);
    self.view = { ...self.view, pods: pods(OLD, 5) };
    self.reconcile();
    expect(state(self)).toBe('Reverted canary Timeout');
    expect(sendCommand(self, 'Resume')).toBe('Accepted');
    expect(self.reconcile().envelope).toMatchObject({ goal: NEW, allowed: 3, moving: true });
    expect(activePlanOf(self)?.progress).toMatchObject({
      phase: 'Running',
      step: 0,
      approved: [],
    });
    expect(activePlanOf(self)?.progress.cause).toBeUndefined();
  });
});
