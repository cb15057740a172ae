import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { type Drive, drive, activePlanOf, sendCommand, state, swap } from './drive.ts';
import {
  canary,
  command,
  MINUTE,
  NEW,
  OLD,
  ok,
  planObject,
  pods,
  rest,
  spec,
  UNEXPECTED,
  view,
} from './rollout.ts';

const soak: Step = { id: 'soak', soak: { for: '10m' } };
const two = [...pods(NEW, 2), ...pods(OLD, 3)];
const three = [...pods(NEW, 3), ...pods(OLD, 2)];

function running(steps: Step[], parts: Partial<Drive> = {}): Drive {
  const self = drive({ view: view({ pods: three }), plans: [planObject(spec({ steps }))], ...parts });
  self.reconcile();
  return self;
}

describe('Pause', () => {
  test('stops the clocks; Resume starts them again', () => {
    const self = running([canary, soak, rest]);
    self.wait(4 * MINUTE);
    sendCommand(self, 'Pause', { reason: 'lunch' });
    const result = self.wait(60 * MINUTE);
    expect(result.blocked).toMatchObject({
      reason: 'Paused',
      message: expect.stringContaining('lunch') as string,
    });
    sendCommand(self, 'Resume');
    self.wait(6 * MINUTE - 1000);
    expect(state(self)).toBe('Soaking soak');
    self.wait(2000);
    expect(state(self)).toBe('Running rest');
  });

  test('stops the deadline of an update, and the pods', () => {
    const self = running([canary, rest], { view: view({ pods: two }) });
    self.wait(9 * MINUTE);
    sendCommand(self, 'Pause');
    expect(self.wait(60 * MINUTE).envelope).toMatchObject({ goal: NEW, allowed: 2, moving: false });
    sendCommand(self, 'Resume');
    expect(self.reconcile().envelope).toMatchObject({ goal: NEW, allowed: 3, moving: true });
    self.wait(MINUTE - 1000);
    expect(state(self)).toBe('Running canary');
    self.wait(2000);
    expect(state(self)).toBe('Halted canary Timeout');
  });

  test('a failure meanwhile is found afterwards', () => {
    const self = running([canary, soak, rest]);
    sendCommand(self, 'Pause');
    swap(self, 'new-0', { restarts: 1 });
    self.wait(MINUTE);
    expect(state(self)).toBe('Soaking soak');
    sendCommand(self, 'Resume');
    expect(state(self)).toBe('Halted soak Breach');
  });

  test('also stops a revert, and continues when the manifest changes again', () => {
    const self = running([canary, rest]);
    sendCommand(self, 'Pause');
    self.view = { ...self.view, liveHash: OLD };
    const result = self.reconcile();
    expect(state(self)).toContain('Reverting');
    expect([result.blocked?.reason, result.envelope.goal, result.envelope.moving]).toEqual([
      'Paused',
      OLD,
      false,
    ]);
    sendCommand(self, 'Resume');
    expect(self.reconcile().envelope).toMatchObject({ goal: OLD, moving: true });
  });

  test('Resume of a rollout that is not paused is refused', () => {
    const self = running([canary, rest]);
    sendCommand(self, 'Resume', { by: 'kim' });
    expect(self.answers.at(-1)).toBe(
      'Resume by kim: CloneSet/web is Running, not paused: there is nothing to resume',
    );
  });

  test('the message has the command that resumes it, also in the answer to an approval', () => {
    const resume = 'kruise resume CloneSet/web -n shop --digest h1:aaaa';
    const approving = (self: Drive): unknown => {
      sendCommand(self, 'Approve', { step: 'ok', digest: 'h1:aaaa', by: 'mona' });
      return self.answers.at(-1);
    };
    const self = running([canary, ok, rest]);
    sendCommand(self, 'Pause', { by: 'kim' });
    expect(self.reconcile().blocked?.message).toBe(`kim paused it. Resume continues it: ${resume}`);
    expect(approving(self)).toBe(`mona approved ok; it is still paused: ${resume}`);
    const waiting = drive({
      view: view({ liveHash: OLD }),
      plans: [planObject(spec({ steps: [canary, ok, rest] }))],
    });
    sendCommand(waiting, 'Pause');
    expect(approving(waiting)).toBe(
      `mona approved ok; it takes effect when the plan is accepted and canary is done; it is still paused: ${resume}`,
    );
    expect(approving(running([canary, ok, rest]))).toBe('mona approved ok');
  });

  test('ends with the rollout: a rollout that was halted meanwhile is not paused any more after Resume', () => {
    const self = running([canary, rest]);
    sendCommand(self, 'Pause');
    self.view = { ...self.view, pods: [...three.slice(0, 4), ...pods(UNEXPECTED, 1)] };
    self.reconcile();
    expect(state(self)).toBe('Halted rest UnplannedRevision');
    self.view = { ...self.view, pods: three };
    expect(sendCommand(self, 'Resume')).toBe('Accepted');
    expect([state(self), self.reconcile().blocked]).toEqual(['Running rest', undefined]);
  });

  test('before the plan is active: it is recorded, and the plan waits for Resume', () => {
    const self = drive({ view: view({ liveHash: OLD }), plans: [planObject(spec())] });
    expect(sendCommand(self, 'Pause')).toBe('Accepted');
    self.view = { ...self.view, liveHash: NEW };
    expect(self.reconcile().blocked?.reason).toBe('Paused');
    sendCommand(self, 'Resume');
    expect(state(self)).toBe('Running canary');
  });
});

describe('Abort and Revert', () => {
  test('Abort freezes the pods; the change is not started again by another plan with the same attempt', () => {
    const self = running([canary, ok, rest]);
    sendCommand(self, 'Abort');
    expect(self.reconcile().envelope).toMatchObject({ goal: NEW, stable: OLD, allowed: 3, moving: false });
    self.plans = [planObject(spec({ digest: 'h1:bbbb', supersedes: ['h1:aaaa'], steps: [rest] }))];
    expect(self.reconcile().envelope.moving).toBe(false);
    expect(state(self)).toContain('Aborted');
    self.plans = [
      planObject(spec({ digest: 'h1:bbbb', supersedes: ['h1:aaaa'], steps: [rest], attempt: 2 })),
    ];
    self.reconcile();
    expect(activePlanOf(self)).toMatchObject({
      spec: { digest: 'h1:bbbb' },
      progress: { phase: 'Running', step: 0 },
    });
  });

  test('Abort before the plan is active: no pod is created on `to`, not even in Auto', () => {
    const self = drive({ view: view({ liveHash: OLD }), plans: [planObject(spec())] });
    sendCommand(self, 'Abort');
    self.view = { ...self.view, liveHash: NEW };
    self.policy = 'Auto';
    expect(self.reconcile().envelope).toMatchObject({ goal: OLD, stable: OLD, moving: false });
    expect(state(self)).toContain('Aborted');
  });

  test('Abort freezes a revert; Revert continues it', () => {
    const self = running([canary, ok, rest]);
    sendCommand(self, 'Revert');
    sendCommand(self, 'Abort');
    expect(self.reconcile().envelope).toMatchObject({ goal: OLD, moving: false });
    sendCommand(self, 'Revert');
    expect(self.reconcile().envelope).toMatchObject({ goal: OLD, moving: true });
    self.view = { ...self.view, pods: pods(OLD, 5) };
    self.reconcile();
    expect(state(self)).toContain('Reverted');
    expect(self.view.stable).toBe(OLD);
  });

  test('Revert goes to stable at once, whatever the plan waits for, and its verdict applies', () => {
    const self = running([canary, ok, rest]);
    expect(state(self)).toBe('AwaitingApproval ok');
    sendCommand(self, 'Revert');
    expect(self.reconcile().envelope).toMatchObject({ goal: OLD, allowed: 'unbounded', moving: true });
    self.view = { ...self.view, pods: pods(OLD, 5) };
    self.wait(60 * MINUTE);
    expect(activePlanOf(self)?.progress).toMatchObject({ phase: 'Reverted', cause: 'person' });
    expect(self.reconcile().envelope).toMatchObject({ goal: OLD, moving: false });
  });

  test('the manifest goes back after Abort: so do the pods, and the verdict ends when the manifest returns', () => {
    const self = running([canary, ok, rest]);
    sendCommand(self, 'Abort');
    self.view = { ...self.view, liveHash: OLD };
    expect(self.reconcile().envelope).toMatchObject({ goal: OLD, moving: true });
    self.view = { ...self.view, pods: pods(OLD, 5) };
    self.reconcile();
    self.view = { ...self.view, liveHash: NEW };
    self.reconcile();
    expect(state(self)).toBe('Running canary');
  });
});

describe('a command is answered once', () => {
  test('even if the process ends between the execution and the answer', () => {
    const self = running([canary, ok, rest]);
    const approve = { ...command('Approve', { step: 'ok', digest: 'h1:aaaa' }), uid: 'once' };
    self.commands = [approve];
    self.reconcile();
    expect(state(self)).toBe('Running rest');
    self.commands = [approve];
    const { transitions } = self;
    const before = transitions.length;
    self.reconcile();
    expect([self.commands[0]?.result, transitions.length]).toEqual(['Accepted', before]);
  });

  test('of several the oldest is executed first, so that the last one applies', () => {
    const self = running([canary, rest], { view: view({ pods: two }) });
    self.commands = (['Pause', 'Resume', 'Pause'] as const).map((action, i) => ({
      ...command(action),
      uid: `${action}-${i}`,
      createdAt: self.now + i,
    }));
    expect(self.reconcile().blocked?.reason).toBe('Paused');
    expect(self.commands.map((c) => c.result)).toEqual(['Accepted', 'Accepted', 'Accepted']);
  });

  test('about a plan that may still arrive: it waits ten seconds, and is then refused', () => {
    const self = drive({ view: view({ liveHash: OLD }) });
    expect(sendCommand(self, 'Pause', { digest: 'h1:aaaa' })).toBeUndefined();
    self.wait(9_999);
    expect(self.commands[0]?.result).toBeUndefined();
    self.wait(1);
    expect(self.commands[0]?.result).toBe('Refused');
  });

  test('and it is recorded if the plan arrives in time', () => {
    const self = drive({ view: view({ liveHash: OLD }) });
    sendCommand(self, 'Approve', { digest: 'h1:aaaa', step: 'ok' });
    self.plans = [planObject(spec())];
    self.wait(5_000);
    expect(self.commands[0]?.result).toBe('Accepted');
    self.view = { ...self.view, liveHash: NEW, pods: three };
    self.reconcile();
    expect(state(self)).toBe('Running rest');
  });
});
