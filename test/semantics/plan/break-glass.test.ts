import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { type Drive, drive, inForce, say, state } from './drive.ts';
import { canary, MINUTE, NEW, NEWER, OLD, ok, planObject, pods, rest, spec, view } from './rollout.ts';

const two = [...pods(NEW, 2), ...pods(OLD, 3)];
const three = [...pods(NEW, 3), ...pods(OLD, 2)];

function running(steps: Step[], parts: Partial<Drive> = {}): Drive {
  const self = drive({ view: view({ pods: three }), plans: [planObject(spec({ steps }))], ...parts });
  self.look();
  return self;
}

describe('BreakGlass: the target’s own strategy governs until it expires', () => {
  const inAnHour = '2026-01-01T13:00:00Z';

  test('before completion: everything is open, and afterwards the plan goes on where it was', () => {
    const self = running([canary, ok, rest], { view: view({ pods: two }) });
    expect(say(self, 'BreakGlass', { expires: inAnHour })).toBe('Accepted');
    const result = self.look();
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
    expect(self.look().blocked?.reason).toBe('BreakGlass');
    const after = self.wait(2 * MINUTE);
    expect(state(self)).toBe('AwaitingApproval ok');
    // Those beyond the step are not taken back; nothing more goes.
    expect(after.envelope).toMatchObject({ goal: NEW, allowed: 3, moving: false });
    expect(self.view.stable).toBe(OLD);
  });

  test('it asks to be looked at when it expires', () => {
    const self = running([canary, ok, rest]);
    say(self, 'BreakGlass', { expires: inAnHour });
    expect(self.look().lookAgainAt).toBe(Date.parse(inAnHour) + 1);
  });

  test('completed meanwhile: it is stable, and its plan walks through what is left to be done', () => {
    const self = running([canary, ok, rest], { view: view({ pods: two }) });
    say(self, 'BreakGlass', { expires: inAnHour });
    self.view = { ...self.view, pods: pods(NEW, 5) };
    self.look();
    expect([self.view.stable, state(self)]).toEqual([NEW, 'Running canary']);
    self.wait(61 * MINUTE);
    expect(state(self)).toBe('AwaitingApproval ok');
    say(self, 'Approve', { step: 'ok', digest: 'h1:aaaa' });
    expect(inForce(self)?.progress.phase).toBe('Succeeded');
  });

  test('completed elsewhere than the plan leads: the plan has ended, and what was done is not undone', () => {
    const self = running([canary, ok, rest], { view: view({ pods: two }) });
    self.view = { ...self.view, liveHash: NEWER };
    say(self, 'BreakGlass', { expires: inAnHour });
    expect(self.look().envelope).toMatchObject({ goal: NEWER, moving: true });
    self.view = { ...self.view, pods: pods(NEWER, 5) };
    self.look();
    expect(self.view.stable).toBe(NEWER);
    expect(state(self)).toContain('Aborted');
    const after = self.wait(61 * MINUTE);
    expect(after.envelope).toMatchObject({ goal: NEWER, stable: NEWER, moving: false });
  });

  test('completed against a way back that a failure had begun: it is not gone back after all', () => {
    const self = running([canary, ok, rest]);
    say(self, 'Revert');
    say(self, 'BreakGlass', { expires: inAnHour });
    self.view = { ...self.view, pods: pods(NEW, 5) };
    self.look();
    expect(self.view.stable).toBe(NEW);
    expect(self.wait(61 * MINUTE).envelope).toMatchObject({ goal: NEW, stable: NEW, moving: false });
  });

  test('without any plan, in Required: the changed template goes out', () => {
    const self = drive();
    expect(self.look().envelope.moving).toBe(false);
    expect(say(self, 'BreakGlass', { expires: inAnHour })).toBe('Accepted');
    expect(self.look().envelope).toMatchObject({ goal: NEW, allowed: 'unbounded', moving: true });
    self.view = { ...self.view, pods: pods(NEW, 5) };
    self.look();
    expect(self.view.stable).toBe(NEW);
  });

  test('nothing of it where it has expired, and where it never does', () => {
    for (const expires of ['2026-01-01T11:59:59Z', 'tomorrow', undefined]) {
      const self = drive();
      expect(say(self, 'BreakGlass', expires === undefined ? {} : { expires })).not.toBe('Accepted');
      expect(self.look().envelope.moving).toBe(false);
    }
  });
});
