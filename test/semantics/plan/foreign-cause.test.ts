import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { PodRow } from '../../../semantics/plan/pod-row.ts';
import { activePlanOf, drive, state, swap } from './drive.ts';
import {
  canary,
  MINUTE,
  NEW,
  NOW,
  OLD,
  planObject,
  pods,
  rest,
  spec,
  view,
  owned,
  selected,
} from './rollout.ts';

const updated = (n: number, parts: Partial<PodRow> = {}): PodRow[] =>
  pods(NEW, n, { updatedAt: NOW + 1, ...parts });
const away: Partial<PodRow> = { available: false, foreignCause: true };

/** The canary is done, and this step is next. */
function afterTheCanary(step: Step) {
  const self = drive({
    view: view({ stable: OLD }),
    plans: [planObject(spec({ steps: [canary, step, rest] }))],
  });
  self.reconcile();
  self.now += MINUTE;
  self.view = { ...self.view, pods: [...pods(OLD, 2), ...updated(3)] };
  self.reconcile();
  return self;
}

const soak: Step = { id: 'soak', soak: { for: '5m' } };

describe('a pod that only other updaters keep from being available', () => {
  test('fails no soak, whose clock stands meanwhile', () => {
    const self = afterTheCanary(soak);
    expect(state(self)).toBe('Soaking soak');
    swap(self, 'new-1', away);
    self.wait(30 * MINUTE);
    expect(state(self)).toBe('Soaking soak');
    swap(self, 'new-1', { available: true, foreignCause: false });
    self.wait(6 * MINUTE);
    expect(state(self)).toBe('Running rest');
  });

  test('fails the soak once it has a cause of its own, too', () => {
    const self = afterTheCanary(soak);
    swap(self, 'new-1', { available: false, foreignCause: false });
    self.reconcile();
    expect(state(self)).toBe('Halted soak Breach');
  });

  test('fails no check of pods', () => {
    const self = afterTheCanary({ id: 'check', check: { use: 'pods', for: '5m' } });
    swap(self, 'new-1', away);
    self.reconcile();
    expect(state(self)).toBe('Checking check');
    swap(self, 'new-1', { available: false, foreignCause: false });
    self.reconcile();
    expect(state(self)).toBe('Halted check CheckFailed');
  });

  test('is waited for by an update step, without a deadline', () => {
    const self = drive({ view: view({ stable: OLD }), plans: [planObject(spec({ steps: [canary, rest] }))] });
    self.reconcile();
    self.view = {
      ...self.view,
      pods: [...pods(OLD, 2), ...updated(2), ...updated(1, { name: 'last', ...away })],
    };
    self.wait(30 * MINUTE);
    expect(state(self)).toBe('Running canary');
    swap(self, 'last', { foreignCause: false });
    self.wait(11 * MINUTE);
    expect(state(self)).toBe('Halted canary Timeout');
  });
});

describe('the clock of a soak, where pods are of other owners (nine tenths of those that are wanted are enough)', () => {
  const steps: Step[] = [rest, soak];

  /** All pods are updated, some of them are away, and the soak has lasted longer than it has to. */
  function afterTheSoak(wanted: number, missing: number, missed: number | undefined) {
    const replicas = wanted;
    const before = pods(OLD, replicas);
    const self = drive({
      view: view({
        stable: OLD,
        replicas,
        pods: before,
        units: missed === undefined ? owned() : selected({ missed }),
      }),
      plans: [planObject(spec({ steps }))],
    });
    self.reconcile();
    self.now += MINUTE;
    self.view = { ...self.view, pods: updated(wanted) };
    self.reconcile();
    expect(state(self)).toBe('Soaking soak');
    for (let n = 0; n < missing; n++) swap(self, `new-${n}`, away);
    self.wait(6 * MINUTE);
    return state(self);
  }

  test.each([
    ['a tenth of 9 is none', 9, 1, 0, 'Soaking soak'],
    ['a tenth of 10 is 1', 10, 1, 0, 'Succeeded'],
    ['and not 2', 10, 2, 0, 'Soaking soak'],
    ['a tenth of 19 is 1', 19, 1, 0, 'Succeeded'],
    ['and not 2', 19, 2, 0, 'Soaking soak'],
    ['a tenth of 20 is 2', 20, 2, 0, 'Succeeded'],
    ['of its own pods none may be missing', 20, 1, undefined, 'Soaking soak'],
  ])('%s: of %i wanted pods %i are missing', (_, wanted, missing, missed, expected) => {
    expect(afterTheSoak(wanted, missing, missed)).toMatch(expected);
  });
});

describe('pods that limits of others keep from being updated', () => {
  test('are waited for without a deadline, and the step names the limit', () => {
    const self = drive({
      view: view({
        stable: OLD,
        units: selected({ limitedBy: () => 'CloneSet shop/web allows 0 unavailable pods' }),
      }),
      plans: [planObject(spec({ steps: [canary, rest] }))],
    });
    const result = self.wait(30 * MINUTE);
    expect(state(self)).toBe('Running canary');
    expect(result.waitingOn).toBe(
      'pods: 0 of 3 are updated and available (CloneSet shop/web allows 0 unavailable pods)',
    );
    self.view = { ...self.view, units: selected() };
    self.wait(11 * MINUTE);
    expect(state(self)).toBe('Halted canary Timeout');
    expect(activePlanOf(self)?.progress.reason).toBe('Timeout');
  });
});
