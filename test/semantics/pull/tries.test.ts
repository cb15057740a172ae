import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../semantics/pod/types.ts';
import { attemptOf } from '../../../semantics/pull/tries.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { NOW, podOf, PULLING, SECOND } from './fleet.ts';

const MINUTE = 60 * SECOND;
const LIMIT = 10 * MINUTE;

/** A pod that a kubelet has taken up, as its own clock says, and that was placed so long after it was created. */
function taken(skewMs: number, placedMs = 0): Pod {
  const pod = podOf('a', [PULLING]);
  const at = timestamp(NOW + placedMs);
  return {
    ...pod,
    status: {
      ...pod.status,
      startTime: timestamp(NOW + placedMs + skewMs),
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: at }],
    },
  };
}

const attempt = (pod: Pod, now = NOW) => attemptOf({ countsTries: true, attemptMs: LIMIT }, pod, now);

describe('an attempt begins when a kubelet has taken the pod up', () => {
  test.each([
    ['a clock that is right', 5 * SECOND, 5 * SECOND],
    ['one that is behind: when the pod was placed at the earliest', -12 * MINUTE, 0],
    ['one that is ahead: before the kubelet has failed to respond', 365 * 24 * 60 * MINUTE, 10 * MINUTE],
  ])('%s', (_what, skewMs, beginsMs) => {
    for (const placedMs of [0, 60 * MINUTE]) {
      const { endsAt, verdict } = attempt(taken(skewMs, placedMs), NOW + placedMs + beginsMs);
      expect([endsAt - NOW - placedMs, verdict.is]).toEqual([beginsMs + LIMIT, 'pulling']);
    }
  });

  test('a node that is named in the spec of a pod counts from its creation', () => {
    const pod = taken(-12 * MINUTE);
    const bare = { ...pod, spec: { ...pod.spec, nodeName: 'a' }, status: { ...pod.status, conditions: [] } };
    expect(attempt(bare).endsAt).toBe(NOW + LIMIT);
  });
});

test('a kubelet has ten minutes to take up a pod that was placed late', () => {
  const { status: _status, ...pod } = taken(0);
  const placed = timestamp(NOW + 60 * MINUTE);
  const conditions = [{ type: 'PodScheduled', status: 'True' as const, lastTransitionTime: placed }];
  const unseen: Pod = { ...pod, status: { phase: 'Pending', conditions } };
  expect(attempt(unseen, NOW + 60 * MINUTE)).toEqual({
    verdict: { is: 'pulling' },
    endsAt: NOW + 70 * MINUTE,
  });
  expect(attempt(unseen, NOW + 70 * MINUTE).verdict).toMatchObject({ is: 'failed', isFinal: true });
});
