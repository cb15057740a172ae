import { describe, expect, test } from 'vitest';
import type { RolloutPlanStatus } from '../../../schemas/generated/types/rolloutplan.ts';
import { planStatus } from '../../../semantics/plan/plan-status.ts';
import { staleAt } from '../../../semantics/plan/stale.ts';
import { type Drive, drive } from './drive.ts';
import { MINUTE, NEW, NEWER, NOW, OLD, OLDER, planObject, spec, UNEXPECTED, view } from './rollout.ts';

/** The status of the only plan object; the runtime reads it in its next reconcile. */
function status(self: Drive, before?: RolloutPlanStatus) {
  const result = self.reconcile();
  const [plan] = self.plans;
  if (plan === undefined) throw new Error('there is a plan object');
  const shown = planStatus({
    view: self.view,
    result,
    plan,
    before,
    generation: 1,
    memory: self.memory,
    now: self.now,
  });
  self.plans = [{ ...plan, wasStale: shown.phase === 'Stale' }];
  return {
    phase: shown.phase,
    conditions: shown.conditions?.map((c) => `${c.type}=${c.status}`),
    at: result.requeueAt,
  };
}

function lost(parts: Partial<Drive> = {}): Drive {
  return drive({
    view: view({ liveHash: UNEXPECTED, liveSince: NOW }),
    plans: [{ ...planObject(spec()), since: NOW }],
    ...parts,
  });
}

describe('a plan and a manifest that do not match', () => {
  test('Stale after two minutes, and not before: one of them may still be synced', () => {
    const self = lost();
    expect(status(self)).toEqual({
      phase: 'Pending',
      conditions: ['Ready=False', 'Reconciling=True'],
      at: NOW + 2 * MINUTE,
    });
    self.now += 2 * MINUTE - 1;
    expect(status(self).phase).toBe('Pending');
    self.now += 1;
    expect(status(self)).toEqual({
      phase: 'Stale',
      conditions: ['Ready=False', 'Stalled=True'],
      at: undefined,
    });
  });

  test.each([
    ['the manifest', { liveSince: NOW - 60 * MINUTE }, NOW],
    ['the plan', { liveSince: NOW }, NOW - 60 * MINUTE],
  ])('the two minutes start with the later of the two, here not %s', (_, parts, since) => {
    const plan = { ...planObject(spec()), since };
    expect(staleAt(plan, view({ liveHash: UNEXPECTED, ...parts }))).toBe(NOW + 2 * MINUTE);
  });

  test('it stays Stale when the runtime restarts, whatever its clock', () => {
    const self = lost();
    self.now += 3 * MINUTE;
    expect(status(self).phase).toBe('Stale');
    self.crash();
    const [plan] = self.plans;
    if (plan !== undefined) self.plans = [{ ...plan, since: self.now }];
    self.view = { ...self.view, liveSince: self.now };
    expect(status(self).phase).toBe('Stale');
  });

  test('the manifest arrives after all: accepted, and executed', () => {
    const self = lost();
    self.now += 3 * MINUTE;
    status(self);
    self.view = { ...self.view, liveHash: NEW, liveSince: self.now };
    expect(status(self).phase).toBe('Running');
  });

  test('the manifest goes to the plan’s from: it waits again', () => {
    const self = lost();
    self.now += 3 * MINUTE;
    status(self);
    self.view = { ...self.view, liveHash: OLDER, liveSince: self.now };
    expect(status(self).phase).toBe('Pending');
  });

  test('the manifest does not come: Stalled after ten minutes, and accepted when it comes', () => {
    const self = lost({ view: view({ liveHash: OLD, liveSince: NOW - 60 * MINUTE }) });
    expect(status(self)).toEqual({
      phase: 'Pending',
      conditions: ['Ready=False', 'Reconciling=True'],
      at: NOW + 10 * MINUTE,
    });
    self.now += 10 * MINUTE;
    const stalled = { phase: 'Pending', conditions: ['Ready=False', 'Stalled=True'], at: undefined };
    expect(status(self)).toEqual(stalled);
    self.view = { ...self.view, liveHash: NEW, liveSince: self.now };
    expect(status(self)).toMatchObject({ phase: 'Running', conditions: ['Ready=False', 'Reconciling=True'] });
  });

  test('it stays Stalled when the runtime restarts, and not with another spec', () => {
    const self = lost({ view: view({ liveHash: OLD, liveSince: NOW }) });
    const before = (observedGeneration: number): RolloutPlanStatus => ({
      phase: 'Pending',
      observedGeneration,
      conditions: [
        {
          type: 'Stalled',
          status: 'True',
          reason: 'ManifestChanged',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    });
    expect(status(self, before(1)).conditions).toContain('Stalled=True');
    expect(status(self, before(0)).conditions).not.toContain('Stalled=True');
  });

  test.each([
    ['the manifest is at its `to`', NEW, {}],
    ['the manifest is at its `from`', OLD, {}],
    [
      'it is invalid, which is worse',
      UNEXPECTED,
      { refused: { reason: 'Unverified' as const, message: '' } },
    ],
  ])('never, if %s', (_, liveHash, parts) => {
    expect(staleAt({ ...planObject(spec()), ...parts }, view({ liveHash }))).toBeUndefined();
  });

  test('an active plan is never Stale: its rollout is blocked, and Stalled after two minutes', () => {
    const self = drive({ plans: [planObject(spec())] });
    self.reconcile();
    self.view = { ...self.view, liveHash: NEWER, liveSince: self.now };
    expect(status(self)).toMatchObject({ phase: 'Running', conditions: ['Ready=False', 'Reconciling=True'] });
    self.now += 2 * MINUTE;
    expect(status(self)).toMatchObject({ phase: 'Running', conditions: ['Ready=False', 'Stalled=True'] });
  });
});
