import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { type Drive, drive, activePlanOf, sendCommand, state } from './drive.ts';
import { canary, MINUTE, NEW, NEWER, OLD, ok, planObject, pods, rest, spec, view } from './rollout.ts';

const two = [...pods(NEW, 2), ...pods(OLD, 3)];
const three = [...pods(NEW, 3), ...pods(OLD, 2)];

function running(steps: Step[], parts: Partial<Drive> = {}): Drive {
  const self = drive({ view: view({ pods: three }), plans: [planObject(spec({ steps }))], ...parts });
  self.reconcile();
  return self;
}

describe('BreakGlass: the target’s own strategy applies until it expires', () => {
  const inAnHour = '2026-01-01T13:00:00Z';

  test('before completion: nothing is bounded, and afterwards the plan continues where it was', () => {
    const self = running([canary, ok, rest], { view: view({ pods: two }) });
    expect(sendCommand(self, 'BreakGlass', { expires: inAnHour })).toBe('Accepted');
    const result = self.reconcile();
    expect(result.blocked?.reason).toBe('BreakGlass');
    expect(result.envelope).toMatchObject({
      goal: NEW,
      allowed: 'unbounded',
      moving: true,
      obeyPartition: true,
    });
    self.view = { ...self.view, pods: [...pods(NEW, 4), ...pods(OLD, 1)] };
    self.wait(59 * MINUTE);
    expect(state(self)).toBe('Running canary');
    expect(self.reconcile().blocked?.reason).toBe('BreakGlass');
    const after = self.wait(2 * MINUTE);
    expect(state(self)).toBe('AwaitingApproval ok');
    // Pods beyond the step are not reverted, and no further pod is updated.
    expect(after.envelope).toMatchObject({ goal: NEW, allowed: 3, moving: false });
    expect(self.view.stable).toBe(OLD);
  });

  test('the target is reconciled when it expires', () => {
    const self = running([canary, ok, rest]);
    sendCommand(self, 'BreakGlass', { expires: inAnHour });
    expect(self.reconcile().requeueAt).toBe(Date.parse(inAnHour) + 1);
  });

  test('completed meanwhile: it is stable, and its plan finishes the remaining steps', () => {
    const self = running([canary, ok, rest], { view: view({ pods: two }) });
    sendCommand(self, 'BreakGlass', { expires: inAnHour });
    self.view = { ...self.view, pods: pods(NEW, 5) };
    self.reconcile();
    expect([self.view.stable, state(self)]).toEqual([NEW, 'Running canary']);
    self.wait(61 * MINUTE);
    expect(state(self)).toBe('AwaitingApproval ok');
    sendCommand(self, 'Approve', { step: 'ok', digest: 'h1:aaaa' });
    expect(activePlanOf(self)?.progress.phase).toBe('Succeeded');
  });

  test('completed on another revision than that of the plan: the plan has ended, and nothing is undone', () => {
    const self = running([canary, ok, rest], { view: view({ pods: two }) });
    self.view = { ...self.view, liveHash: NEWER };
    sendCommand(self, 'BreakGlass', { expires: inAnHour });
    expect(self.reconcile().envelope).toMatchObject({ goal: NEWER, moving: true });
    self.view = { ...self.view, pods: pods(NEWER, 5) };
    self.reconcile();
    expect(self.view.stable).toBe(NEWER);
    expect(state(self)).toContain('Aborted');
    const after = self.wait(61 * MINUTE);
    expect(after.envelope).toMatchObject({ goal: NEWER, stable: NEWER, moving: false });
  });

  test('completed during a revert after a failure: the revert does not continue', () => {
    const self = running([canary, ok, rest]);
    sendCommand(self, 'Revert');
    sendCommand(self, 'BreakGlass', { expires: inAnHour });
    self.view = { ...self.view, pods: pods(NEW, 5) };
    self.reconcile();
    expect(self.view.stable).toBe(NEW);
    expect(self.wait(61 * MINUTE).envelope).toMatchObject({ goal: NEW, stable: NEW, moving: false });
  });

  test('without any plan, in Required: the changed template is rolled out', () => {
    const self = drive();
    expect(self.reconcile().envelope.moving).toBe(false);
    expect(sendCommand(self, 'BreakGlass', { expires: inAnHour })).toBe('Accepted');
    expect(self.reconcile().envelope).toMatchObject({ goal: NEW, allowed: 'unbounded', moving: true });
    self.view = { ...self.view, pods: pods(NEW, 5) };
    self.reconcile();
    expect(self.view.stable).toBe(NEW);
  });

  test('it has no effect if it has expired, or never expires', () => {
    for (const expires of ['2026-01-01T11:59:59Z', 'tomorrow', undefined]) {
      const self = drive();
      expect(sendCommand(self, 'BreakGlass', expires === undefined ? {} : { expires })).not.toBe('Accepted');
      expect(self.reconcile().envelope.moving).toBe(false);
    }
  });
});
