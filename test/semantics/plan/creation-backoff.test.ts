import { expect, test } from 'vitest';
import { type CreationBackoff, backoffHeld, backoffMs } from '../../../semantics/plan/creation-backoff.ts';

test.each([
  [0, 0],
  [1, 0],
  [2, 1_000],
  [3, 2_000],
  [10, 256_000],
  [11, 300_000],
  [5_000, 300_000],
])('after %i losses in a row the delay is %i ms', (lostInARow, ms) => {
  expect(backoffMs(lostInARow)).toBe(ms);
});

const losses: CreationBackoff = {
  kind: 'Pod',
  deferred: new Map([['web-77b5', 2]]),
  nextAt: Date.UTC(2026, 0, 1, 0, 5),
  requeueAt: Date.UTC(2026, 0, 1, 0, 5),
  lost: 12,
  withinMs: 31_000,
};

test.each([
  [
    losses,
    'PodsLost: 12 pods were lost within 31 s, each less than a minute after its creation; the next one is created at 2026-01-01T00:05:00Z. Find out what deletes them, such as another controller, an admission webhook or a node: kubectl get events -n shop',
  ],
  [
    { ...losses, kind: 'ControllerRevision', nextAt: undefined, lost: 3, withinMs: 20 } as const,
    'RevisionsLost: 3 ControllerRevisions were lost within 1 s, each less than a minute after its creation; the present ones have not lived for a minute yet. Find out what deletes them, such as another controller or a cleanup job',
  ],
])('the Held condition has the reason', (of, text) => {
  const { reason, message } = backoffHeld(of, 'shop');
  expect(`${reason}: ${message}`).toBe(text);
});

test('the message for a cluster-scoped target has the command for all namespaces', () => {
  expect(backoffHeld(losses, '').message).toMatch(/ kubectl get events -A$/);
});
