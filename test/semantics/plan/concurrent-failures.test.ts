import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { heldReason } from '../../../semantics/plan/held.ts';
import { type Drive, drive, activePlanOf, state, swap } from './drive.ts';
import { accepted, MINUTE, NEW, NOW, OLD, planObject, pods, rest, spec, view } from './rollout.ts';

const HOUR = 60 * MINUTE;
const canary: Step = { id: 'canary', update: { to: 3 } };
const soak: Step = { id: 'soak', soak: { for: '5m' } };

/** A target under a plan of these steps that is at the second one, a gate. */
function inGate(steps: Step[], parts: Parameters<typeof accepted>[1], target: Drive['view']): Drive {
  const plan = spec({ steps });
  return drive({ view: target, plans: [planObject(plan)], memory: [accepted(plan, { step: 1, ...parts })] });
}

describe('a gate without a pod at `to` proves nothing and fails nothing', () => {
  // The check `pods` had no pod to judge at 0 replicas, and failed without a result.
  test.each(['pods', 'nodes', 'error-rate'])(
    'the check %s waits for a night at 0 replicas, and continues',
    (use) => {
      const check: Step = { id: 'check', check: { use, for: '5m' }, onFailure: 'Revert' };
      const self = inGate(
        [canary, check, rest],
        { phase: 'Checking' },
        view({ pods: [...pods(NEW, 3), ...pods(OLD, 2)] }),
      );
      self.reconcile();
      self.view = { ...self.view, replicas: 0, pods: [] };
      self.wait(8 * HOUR);
      expect(state(self)).toBe('Checking check');
      self.view = { ...self.view, replicas: 5, pods: [...pods(NEW, 3), ...pods(OLD, 2)] };
      self.wait(MINUTE);
      expect(state(self)).toBe('Checking check');
    },
  );

  // The number of pods was right, so the updated pod was not recreated, and the soak waited forever.
  test('an updated pod that a scale-in by one deleted: another old pod may be updated', () => {
    const self = inGate(
      [{ id: 'canary', update: { to: '5%', atLeast: 1 } }, soak, rest],
      { phase: 'Soaking', frozenN: 10, stepSince: NOW },
      view({ replicas: 10, pods: [...pods(NEW, 1), ...pods(OLD, 9)] }),
    );
    expect(self.reconcile().envelope).toMatchObject({ goal: NEW, moving: false, allowed: 1 });
    self.view = { ...self.view, replicas: 9, pods: pods(OLD, 9) };
    expect(self.reconcile().envelope).toMatchObject({ goal: NEW, moving: true, allowed: 1 });
    self.view = { ...self.view, pods: [...pods(NEW, 1), ...pods(OLD, 8)] };
    expect(self.reconcile().envelope).toMatchObject({ goal: NEW, moving: false, allowed: 1 });
  });

  // 50 % of one pod is none: the batch that had updated five allowed none any more, and the soak waited for one.
  test.each([1, 2, 3])('scaled in to %i and out again, a batch that allowed pods still allows one', (dip) => {
    const self = inGate(
      [{ id: 'half', update: { to: '50%' } }, soak, rest],
      { phase: 'Soaking', frozenN: 10, stepSince: NOW },
      view({ replicas: 10, pods: [...pods(NEW, 5), ...pods(OLD, 5)] }),
    );
    self.reconcile();
    self.view = { ...self.view, replicas: dip, pods: pods(OLD, dip) };
    self.wait(MINUTE);
    self.view = { ...self.view, replicas: 10, pods: pods(OLD, 10) };
    expect(self.reconcile().envelope).toMatchObject({ goal: NEW, moving: true, allowed: 1 });
    self.view = { ...self.view, pods: [...pods(NEW, 1), ...pods(OLD, 9)] };
    self.wait(6 * MINUTE);
    expect(state(self)).toBe('Running rest');
  });
});

describe('replacements are recognized by the times of pods alone', () => {
  // The server's clock was compared with the runtime's: with 30 seconds between them updated pods counted as
  // replacements, or replacements as updated pods.
  const cases = [-MINUTE, -30_000, 0, 30_000, MINUTE].flatMap((skew) =>
    ['made anew', 'updated in place'].map((how) => [skew, how] as const),
  );

  /** A soak that has just started, with pods created 20 s ago; the server's clock is ahead by `skew`. */
  function soaking(skew: number, how: string): Drive {
    const taken =
      how === 'made anew'
        ? { createdAt: NOW - 20_000 + skew }
        : { createdAt: NOW - HOUR + skew, updatedAt: NOW - 20_000 };
    const plan = spec({ steps: [canary, soak, rest] });
    const self = drive({
      view: view({ pods: [...pods(NEW, 3, {}).map((pod) => ({ ...pod, ...taken })), ...pods(OLD, 2)] }),
      plans: [planObject(plan)],
      memory: [accepted(plan)],
    });
    self.reconcile();
    expect(state(self)).toBe('Soaking soak');
    return self;
  }

  test.each(cases)('server %i ms ahead, first pod %s: it breaks, and the soak fails', (skew, how) => {
    const self = soaking(skew, how);
    swap(self, 'new-0', { available: false });
    self.reconcile();
    expect(state(self)).toBe('Halted soak Breach');
  });

  test.each(cases)(
    'server %i ms ahead, first pod %s: drained, and its replacement has time to start',
    (skew, how) => {
      const self = soaking(skew, how);
      self.wait(10_000);
      const others = self.view.pods.filter((pod) => pod.name !== 'new-0');
      const successor = pods(NEW, 1, { name: 'next', available: false, createdAt: NOW + 10_000 + skew });
      self.view = { ...self.view, pods: [...others, ...successor] };
      self.wait(MINUTE);
      expect(state(self)).toBe('Soaking soak');
    },
  );
});

describe('messages that name the pod', () => {
  // "no pod became available for 10m in canary", and nothing else.
  test('a batch of one pod that was broken before: the message names it, and what to do', () => {
    const plan = spec({ steps: [{ id: 'one', update: { to: 1 } }, soak, rest] });
    const dead = pods(OLD, 1, { name: 'dead', available: false, problem: 'node lost' });
    const self = drive({
      view: view({ pods: [...pods(OLD, 4), ...dead] }),
      plans: [planObject(plan)],
    });
    self.reconcile();
    swap(self, 'dead', { hash: NEW });
    expect(self.reconcile().waitingOn).toBe('dead, which was broken before, to become available');
    self.wait(11 * MINUTE);
    expect(state(self)).toBe('Halted one Timeout');
    expect(activePlanOf(self)?.progress.message).toBe(
      'no pod became available for 10m in one: dead was not available (node lost), as before the plan. Fix or delete it',
    );
  });

  // The request for an approval did not mention three broken pods.
  test('a request for an approval names the pods that are not available', () => {
    const self = inGate(
      [canary, { id: 'ok', approve: {} }, rest],
      { phase: 'AwaitingApproval' },
      view({
        pods: [...pods(NEW, 3, { available: false, problem: 'CrashLoopBackOff' }), ...pods(OLD, 2)],
      }),
    );
    const held = (): string | undefined => heldReason(self.view, self.reconcile(), self.plans)?.message;
    expect(held()).toMatch(
      /^waits for approval, and 3 of 3 on it are not available, new-0 \(CrashLoopBackOff\) among them: kruise approve /,
    );
    for (const name of ['new-0', 'new-1', 'new-2']) swap(self, name, { available: true });
    expect(held()).toMatch(/^waits for approval: kruise approve /);
  });
});
