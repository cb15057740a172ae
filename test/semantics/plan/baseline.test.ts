import { describe, expect, test } from 'vitest';
import { heldReason } from '../../../semantics/plan/held.ts';
import { drive, activePlanOf, sendCommand, state } from './drive.ts';
import { accepted, canary, NEW, NEWER, OLD, planObject, pods, rest, spec, view } from './rollout.ts';

const LIMIT = 2_000;
const broken = (hash: string, n: number) => pods(hash, n, { available: false });
/** The limit of the server for all annotations of one object. */
const ANNOTATIONS = 256 * 1024;

describe('the baseline records a limited number of units', () => {
  // An annotation of 273 kB was refused again and again.
  test('a plan waits while more are broken, and starts when fewer are', () => {
    const self = drive({
      view: view({ replicas: 7_000, pods: [...pods(OLD, 4_999, { name: 'ok' }), ...broken(OLD, LIMIT + 1)] }),
      plans: [planObject(spec())],
    });
    const result = self.reconcile();
    expect([state(self), result.blocked?.reason]).toEqual(['none', 'TooManyBroken']);
    expect(heldReason(self.view, result, self.plans)?.message).toBe(
      '2001 pods are not available, and a plan starts with at most 2000 of them. Fix or delete some first',
    );
    self.view = { ...self.view, pods: [...pods(OLD, 5_000, { name: 'ok' }), ...broken(OLD, LIMIT)] };
    self.reconcile();
    expect(activePlanOf(self)?.progress.baseline.unavailable).toHaveLength(LIMIT);
  });

  test('a plan that would take over waits, too', () => {
    const self = drive({
      view: view({ replicas: 2_001, liveHash: NEWER, pods: broken(OLD, LIMIT + 1) }),
      memory: [accepted(spec())],
      plans: [
        planObject(
          spec({
            digest: 'h1:bbbb',
            supersedes: ['h1:aaaa'],
            to: { hash: NEWER, bound: {} },
            from: [NEW, OLD].map((hash) => ({ hash, mode: 'InPlace' as const })),
          }),
        ),
      ],
    });
    const { blocked } = self.reconcile();
    expect([blocked?.reason, blocked?.message]).toEqual([
      'TooManyBroken',
      expect.stringContaining('cannot take over: 2001 pods are not available'),
    ]);
  });

  test('Resume is refused while more would have to be excused', () => {
    const halted = { phase: 'Halted', step: 2, cause: 'failure', reason: 'Timeout' } as const;
    const self = drive({
      view: view({ replicas: 3_000, pods: broken(NEW, 3_000) }),
      memory: [accepted(spec(), halted)],
      plans: [planObject(spec())],
    });
    expect(sendCommand(self, 'Resume')).toBe('Refused');
    expect(self.answers.at(-1)).toContain('3000 pods on it are not available');
    self.view = { ...self.view, pods: [...pods(NEW, 1_000, { name: 'ok' }), ...broken(NEW, LIMIT)] };
    expect(sendCommand(self, 'Resume')).toBe('Accepted');
    expect(activePlanOf(self)?.progress.excused).toHaveLength(LIMIT);
  });

  test('restarts are recorded for the units with most, and the highest number of the others', () => {
    const all = pods(NEW, 7_000).map((pod, i) => ({ ...pod, restarts: i < 3_000 ? 2 : i < 4_500 ? 5 : 0 }));
    const soaking = spec({ steps: [canary, { id: 'soak', soak: { for: '5m' } }, rest] });
    const self = drive({
      view: view({ replicas: 7_000, pods: all, stable: OLD }),
      plans: [planObject(soaking)],
    });
    self.reconcile();
    const { baseline } = activePlanOf(self)?.progress ?? {};
    expect(Object.keys(baseline?.restarts ?? {})).toHaveLength(LIMIT);
    expect(baseline?.otherRestarts).toBe(2);
    expect(JSON.stringify(activePlanOf(self)?.progress).length).toBeLessThan(ANNOTATIONS / 2);
    // Nothing has restarted since.
    expect(state(self)).toBe('Soaking soak');
    self.view = {
      ...self.view,
      pods: all.map((pod, i) => (i === 4_000 ? { ...pod, restarts: 6 } : pod)),
    };
    self.reconcile();
    expect(state(self)).toBe('Halted soak Breach');
  });
});
