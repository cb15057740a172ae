import { describe, expect, test } from 'vitest';
import { followRoot } from '../../../semantics/plan/follow-root.ts';
import { heldReason } from '../../../semantics/plan/held.ts';
import type { PodRow } from '../../../semantics/plan/pod-row.ts';
import type { Share } from '../../../semantics/plan/share.ts';
import { input, NEW, OLD, pods, view } from './rollout.ts';

const forward: Share = {
  ...{ goal: NEW, stable: OLD, allowed: 2, moving: true },
  ...{ window: { maxUnavailable: 1 }, mode: 'Recreate' },
};
const crashed: Partial<PodRow> = {
  ...{ name: 'web-x', available: false, restarts: 3, restartedWhenAvailable: true },
  problem: 'main: CrashLoopBackOff',
};

/** What a child of four pods says, of which one is as given. */
function saidOf(pod: Partial<PodRow>, { hash = NEW, share = forward } = {}): string | undefined {
  const origin = { by: 'root', root: 'UnitedDeployment shop', share } as const;
  const rows = [...pods(hash, 1, pod), ...pods(NEW, 1), ...pods(OLD, 2)];
  const seen = view({ origin, pods: rows, replicas: 4, liveHash: share.goal });
  const held = heldReason(seen, followRoot(input({ view: seen }), origin), []);
  return held?.reason === 'PodsFailing' ? held.message : undefined;
}

describe('what a child says of its pods, for its root', () => {
  test('a pod that crashes after its update', () => {
    expect(saidOf(crashed)).toBe('pod web-x restarted after its update (main: CrashLoopBackOff)');
  });

  test.each<[string, Parameters<typeof saidOf>]>([
    [
      'a pod that has restarted and is available again: another one may be lost later',
      [{ ...crashed, available: true }],
    ],
    ['a pod that has yet to come up', [{ ...crashed, restartedWhenAvailable: false }]],
    ['a pod that is not available for the sake of others', [{ ...crashed, foreignCause: true }]],
    ['a pod on another revision', [crashed, { hash: OLD }]],
    ['a pod of a child that is where it stays', [crashed, { share: { ...forward, stable: NEW } }]],
  ])('nothing of %s', (_what, args) => {
    expect(saidOf(...args)).toBe(undefined);
  });
});
