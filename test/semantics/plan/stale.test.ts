import { describe, expect, test } from 'vitest';
import { planStatus } from '../../../semantics/plan/plan-status.ts';
import { staleAt } from '../../../semantics/plan/stale.ts';
import { type Drive, drive } from './drive.ts';
import { MINUTE, NEW, NEWER, NOW, OLD, OLDER, planObject, spec, UNEXPECTED, view } from './rollout.ts';

/** What the status of the one plan object says; the runtime reads it again in its next look. */
function status(self: Drive) {
  const result = self.reconcile();
  const [plan] = self.plans;
  if (plan === undefined) throw new Error('there is a plan object');
  const shown = planStatus({
    view: self.view,
    result,
    plan,
    before: undefined,
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

describe('a plan and a manifest that do not belong together (plan states)', () => {
  test('Stale after two minutes, and not before: one of them may be on its way', () => {
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
  ])('the two minutes begin with whichever came last, here not %s', (_, parts, since) => {
    const plan = { ...planObject(spec()), since };
    expect(staleAt(plan, view({ liveHash: UNEXPECTED, ...parts }))).toBe(NOW + 2 * MINUTE);
  });

  test('it stays so when the runtime begins anew, whatever clock that has', () => {
    const self = lost();
    self.now += 3 * MINUTE;
    expect(status(self).phase).toBe('Stale');
    self.crash();
    const [plan] = self.plans;
    if (plan !== undefined) self.plans = [{ ...plan, since: self.now }];
    self.view = { ...self.view, liveSince: self.now };
    expect(status(self).phase).toBe('Stale');
  });

  test('the manifest comes after all: accepted, and it runs', () => {
    const self = lost();
    self.now += 3 * MINUTE;
    status(self);
    self.view = { ...self.view, liveHash: NEW, liveSince: self.now };
    expect(status(self).phase).toBe('Running');
  });

  test('the manifest goes to where the plan starts: it waits again', () => {
    const self = lost();
    self.now += 3 * MINUTE;
    status(self);
    self.view = { ...self.view, liveHash: OLDER, liveSince: self.now };
    expect(status(self).phase).toBe('Pending');
  });

  test.each([
    ['the manifest is where it leads', NEW, {}],
    ['the manifest is where it starts', OLD, {}],
    [
      'it cannot be believed, which is worse',
      UNEXPECTED,
      { refused: { reason: 'Unverified' as const, message: '' } },
    ],
  ])('never, where %s', (_, liveHash, parts) => {
    expect(staleAt({ ...planObject(spec()), ...parts }, view({ liveHash }))).toBeUndefined();
  });

  test('a plan in force is never Stale: its rollout is blocked, and Stalled after two minutes', () => {
    const self = drive({ plans: [planObject(spec())] });
    self.reconcile();
    self.view = { ...self.view, liveHash: NEWER, liveSince: self.now };
    expect(status(self)).toMatchObject({ phase: 'Running', conditions: ['Ready=False', 'Reconciling=True'] });
    self.now += 2 * MINUTE;
    expect(status(self)).toMatchObject({ phase: 'Running', conditions: ['Ready=False', 'Stalled=True'] });
  });
});
