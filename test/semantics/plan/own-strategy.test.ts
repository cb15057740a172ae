import { describe, expect, test } from 'vitest';
import { drive } from './drive.ts';
import { limits, MINUTE, NEW, OLD, OLDER, pods, UNEXPECTED, view } from './rollout.ts';

type Situation = [what: string, parts: Parameters<typeof view>[0]];

/** What `docs/differences.md` says of plans: in Auto, and without a plan, each is left to the own strategy of the target. */
const situations: Situation[] = [
  ['a changed template', { pods: pods(OLD, 5) }],
  [
    'a loosened limit',
    { pods: [...pods(NEW, 1), ...pods(OLD, 4)], limits: limits(5, { maxUnavailable: 4 }) },
  ],
  ['a loosened partition', { pods: [...pods(NEW, 1), ...pods(OLD, 4)], partition: 2 }],
  ['lost pods in a rollout', { pods: [...pods(NEW, 1), ...pods(OLD, 2)] }],
  ['going back in git', { pods: [...pods(NEW, 3), ...pods(OLD, 2)], liveHash: OLD, stable: NEW }],
  ['a broken change', { pods: [...pods(NEW, 1, { available: false, restarts: 9 }), ...pods(OLD, 4)] }],
  [
    'pods that fit on no node',
    {
      pods: [
        ...pods(NEW, 1, { available: false, conditions: { PodScheduled: 'Unschedulable' } }),
        ...pods(OLD, 4),
      ],
    },
  ],
  ['OnDelete', { pods: [...pods(NEW, 1), ...pods(OLD, 4)], onDelete: true }],
  ['a quota that is used up', { pods: pods(OLD, 3) }],
  ['order among workloads', { pods: pods(OLD, 5) }],
  ['order of updates', { pods: [...pods(OLDER, 2), ...pods(OLD, 2), ...pods(UNEXPECTED, 1)] }],
];

describe('Auto without a plan leaves to the own strategy of a target', () => {
  test.each(situations)('%s', (_what, parts) => {
    const self = drive({ policy: 'Auto', view: view(parts) });
    // Hours later, too: no step waits, and none fails.
    for (const wait of [0, 11, 31, 240]) {
      self.now += wait * MINUTE;
      const { envelope, accepted, blocked } = self.reconcile();
      expect(envelope).toMatchObject({
        goal: parts?.liveHash ?? NEW,
        allowed: 'unbounded',
        moving: true,
        obeyPartition: true,
        ownStrategy: true,
      });
      expect([accepted, blocked]).toEqual([undefined, undefined]);
    }
  });

  test.each(situations)('in Required it does not: %s', (_what, parts) => {
    const { envelope } = drive({ policy: 'Required', view: view(parts) }).reconcile();
    expect(envelope.ownStrategy).not.toBe(true);
  });
});
