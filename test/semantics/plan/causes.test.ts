import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { judgePods } from '../../../semantics/plan/checks.ts';
import { verdictOn } from '../../../semantics/plan/verdict.ts';
import { activePlanOf, type Drive, drive, state } from './drive.ts';
import { canary, MINUTE, NEW, OLD, planObject, pods, rest, spec, view } from './rollout.ts';

const failure = 'main exited with code 1: "no route to db"';
const problem = 'main: CrashLoopBackOff, 4 restarts';
const down = { available: false, problem, failure };

/** A plan whose pods on the new revision are broken, when its steps have failed. */
function failed(steps: Step[], parts: object, waitMs = 0): Drive {
  const self = drive({ view: view(), plans: [planObject(spec({ steps: [...steps, rest] }))] });
  self.reconcile();
  self.view = { ...self.view, pods: [...pods(NEW, 3), ...pods(OLD, 2)] };
  self.reconcile();
  self.now += MINUTE;
  self.view = { ...self.view, pods: [...pods(NEW, 1, parts), ...pods(NEW, 3).slice(1), ...pods(OLD, 2)] };
  self.reconcile();
  if (waitMs > 0) self.wait(waitMs);
  return self;
}

describe('a verdict names a pod, and how its containers have failed', () => {
  const soak: Step = { id: 'soak', soak: { for: '5m' } };
  const note = `(${problem}; ${failure})`;

  test.each([
    ['a pod that breaks in a soak', [canary, soak], down, `pod new-0 became unavailable during soak ${note}`],
    [
      'one that restarts in a soak',
      [canary, soak],
      { restarts: 1, failure },
      `pod new-0 restarted after its update, which fails step soak (${failure})`,
    ],
  ] as const)('%s', (_, steps, parts, message) => {
    const self = failed([...steps], parts);
    expect(state(self)).toContain('Halted');
    expect(activePlanOf(self)?.progress.message).toBe(message);
  });

  test.each([
    [
      'its own time',
      { ...canary, timeout: '3m' },
      `canary was not done within 3m: new-0 was not available ${note}`,
    ],
    ['the deadline', canary, `no pod became available for 10m in canary: new-0 was not available ${note}`],
  ])('a step that takes longer than %s', (_, step, message) => {
    const self = drive({ view: view(), plans: [planObject(spec({ steps: [step, rest] }))] });
    self.reconcile();
    self.view = { ...self.view, pods: [...pods(NEW, 1, down), ...pods(OLD, 4)] };
    self.reconcile();
    self.wait(11 * MINUTE);
    expect(activePlanOf(self)?.progress.message).toBe(message);
  });

  test.each([
    [{ restarts: 2, failure }, `pod new-0 restarted 2 times, at most 0 allowed (${failure})`],
    [down, `2 of 3 pods are available, required are 100%; new-0 is not ${note}`],
  ])('a check of pods', (parts, message) => {
    const three = [...pods(NEW, 1, parts), ...pods(NEW, 3).slice(1)];
    expect(
      judgePods(
        {},
        three,
        () => false,
        ({ restarts }) => restarts,
      ),
    ).toEqual({ is: 'fail', message });
  });

  test('and so does the reason why another plan to the same revision does not start', () => {
    const self = failed([canary, soak], down);
    expect(verdictOn(self.memory, self.view, { hash: NEW })).toContain(
      `leads to a revision whose rollout ended Halted (Breach): pod new-0 became unavailable during soak ${note}. Choose one`,
    );
  });
});
