import { describe, expect, test } from 'vitest';
import type { CreationBackoff } from '../../../semantics/plan/creation-backoff.ts';
import { readFailing } from '../../../semantics/plan/failing-pods.ts';
import { followRoot } from '../../../semantics/plan/follow-root.ts';
import { heldReason } from '../../../semantics/plan/held.ts';
import type { PodRow } from '../../../semantics/plan/pod-row.ts';
import type { RefusedPod, RolloutContext } from '../../../semantics/plan/rollout-context.ts';
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

const refused: RefusedPod = { reason: 'FailedCreate', message: 'exceeded quota', revision: NEW };
const deferred: CreationBackoff = {
  ...{ kind: 'Pod', deferred: new Map([[NEW, 1]]), nextAt: undefined },
  ...{ requeueAt: 0, lost: 3, withinMs: 60_000 },
};

interface Parts {
  hash?: string;
  share?: Share;
  others?: Partial<PodRow>;
  context?: Partial<RolloutContext>;
}

/** What a child of five pods says, of which one is as given, and two as the others. */
function saidOf(
  pod: Partial<PodRow>,
  { hash = NEW, share = forward, others, context }: Parts = {},
): string | undefined {
  const origin = { by: 'root', root: 'UnitedDeployment shop', share } as const;
  const rows = [...pods(hash, 1, pod), ...pods(NEW, 1), ...pods(OLD, 2, others)];
  const seen = view({ origin, pods: rows, replicas: 5, liveHash: share.goal });
  const given = input({ view: seen });
  const result = followRoot({ ...given, context: { ...given.context, ...context } }, origin);
  const held = heldReason(seen, result, []);
  return held?.reason === 'PodsFailing' ? held.message : undefined;
}

describe('what a child says of its pods, for its root', () => {
  test('a pod that crashes after its update', () => {
    expect(saidOf(crashed)).toBe('pod web-x restarted after its update (main: CrashLoopBackOff)');
  });

  test.each<[string, Parameters<typeof saidOf>[1]]>([
    ['a write that is refused', { context: { refusals: [refused] } }],
    ['creations that are deferred', { context: { creationBackoff: deferred } }],
    ['another pod whose update cannot finish', { others: { stuck: 'its state cannot be read' } }],
  ])('whatever else holds it: %s', (_what, more) => {
    expect(saidOf(crashed, more)).toBe('pod web-x restarted after its update (main: CrashLoopBackOff)');
    expect(saidOf({ ...crashed, available: true }, more)).toBe(undefined);
  });

  test('how many, where several crash', () => {
    const more = { others: { ...crashed, name: 'web-a', hash: NEW } };
    const said = saidOf(crashed, more) ?? '';
    expect(said).toBe('3 pods restarted after their update, web-a (main: CrashLoopBackOff) among them');
    expect(readFailing(said).pods).toBe(3);
    expect(readFailing(saidOf(crashed) ?? '').pods).toBe(1);
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
