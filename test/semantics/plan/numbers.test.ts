import { describe, expect, test } from 'vitest';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import { activePlanOf } from './drive.ts';
import { type Commit, commitOn, createFleet, type Fleet } from './fleet.ts';
import { MINUTE, ok } from './rollout.ts';

const base: Commit = { manifest: { template: 0, partition: 0 }, plan: undefined };
const batches = (...sizes: string[]): Step[] =>
  sizes.flatMap((to, i) => [
    { id: `batch-${i + 1}`, update: { to, atLeast: 1 } },
    ...(i + 1 < sizes.length ? [{ id: `ok-${i + 1}`, approve: {} }] : []),
  ]);

/** A fleet after a commit: template 1, with a bound. */
function changed(
  replicas: number,
  steps: Step[],
  partition = 0,
  own: Parameters<typeof createFleet>[1] = {},
) {
  const fleet = createFleet(replicas, own);
  const { manifest, plan } = commitOn(base, { template: 1, partition }, steps);
  fleet.apply(manifest);
  fleet.applyPlan(plan);
  return fleet;
}

/** Reconciles until nothing changes; returns the counts after each. */
function settle(fleet: Fleet): { most: number; lowest: number } {
  let most = 0;
  let lowest = Infinity;
  for (let quiet = 0; quiet < 4;) {
    quiet = fleet.reconcile() ? 0 : quiet + 1;
    const { pods, available } = fleet.counts();
    most = Math.max(
      most,
      pods.reduce((a, b) => a + b, 0),
    );
    lowest = Math.min(lowest, available);
    fleet.advanceClock(1_000);
  }
  return { most, lowest };
}

function where(fleet: Fleet): string {
  const { phase = 'Pending', step = 0 } = activePlanOf(fleet.drive)?.progress ?? {};
  const [old = 0, fresh = 0] = fleet.counts().pods;
  return `${phase} ${step}: ${old} old, ${fresh} new`;
}

describe('ten pods in batches of 5 %, 50 % and the rest', () => {
  test.each([
    [
      0,
      ['AwaitingApproval 1: 9 old, 1 new', 'AwaitingApproval 3: 5 old, 5 new', 'Succeeded 5: 0 old, 10 new'],
    ],
    [
      2,
      ['AwaitingApproval 1: 9 old, 1 new', 'AwaitingApproval 3: 5 old, 5 new', 'Succeeded 5: 2 old, 8 new'],
    ],
    [
      6,
      ['AwaitingApproval 1: 9 old, 1 new', 'AwaitingApproval 3: 6 old, 4 new', 'Succeeded 5: 6 old, 4 new'],
    ],
  ])('under a partition of %i', (partition, expected) => {
    const fleet = changed(10, batches('5%', '50%', '100%'), partition);
    const counts = expected.map(() => {
      settle(fleet);
      const at = where(fleet);
      fleet.approve();
      return at;
    });
    expect(counts).toEqual(expected);
    const held = { template: 0, n: partition };
    expect(fleet.ending()).toMatchObject({ stable: 1, held: partition === 0 ? undefined : held });
  });

  test('no more pods than the window are unavailable, and none is created beyond the replicas', () => {
    const fleet = changed(10, batches('100%'));
    expect(settle(fleet)).toEqual({ most: 10, lowest: 8 });
  });
});

describe('an autoscaler in the middle of a step of 50 %: on which revision pods are created', () => {
  // Surplus pods are deleted; new ones are created on the old revision, beyond the lowered N.
  test.each([
    ['10, 4, 12', [10, 4, 12], ['5 old, 5 new', '2 old, 2 new', '10 old, 2 new']],
    ['10, 2, 12', [10, 2, 12], ['5 old, 5 new', '1 old, 1 new', '11 old, 1 new']],
    ['10, 40', [10, 40], ['5 old, 5 new', '35 old, 5 new']],
    ['10, 0, 10', [10, 0, 10], ['5 old, 5 new', '0 old, 0 new', '5 old, 5 new']],
  ] as const)('%s', (_, sizes, expected) => {
    const fleet = changed(10, batches('50%', '100%'));
    const counts = sizes.map((replicas) => {
      fleet.scale(replicas);
      settle(fleet);
      return where(fleet).replace(/^.*: /, '');
    });
    expect(counts).toEqual(expected);
  });

  test('a lost pod is recreated on the revision that lacks it', () => {
    const fleet = changed(10, batches('50%', '100%'));
    settle(fleet);
    for (let i = 0; i < 10; i++) {
      fleet.lose(i);
      settle(fleet);
      expect(fleet.counts().pods.slice(0, 2)).toEqual([5, 5]);
    }
  });
});

describe('maxSurge 2 with nothing to spare', () => {
  const own = { maxUnavailable: 0, maxSurge: 2 };
  const surging = (window: NonNullable<NonNullable<Step['update']>['window']>): Step[] => [
    { id: 'half', update: { to: '50%', window } },
    ok,
    { id: 'rest', update: { to: '100%', window } },
  ];

  test.each([
    ['as in the target', {}, 2],
    ['as in the step, if that is less', { maxSurge: 1 }, 1],
    ['as in the target, if the step has more', { maxSurge: 5 }, 2],
  ])('in an update step: %s', (_, window, surge) => {
    const fleet = changed(10, surging(window), 0, own);
    expect(settle(fleet)).toEqual({ most: 10 + surge, lowest: 10 });
    expect(fleet.counts().pods.slice(0, 2)).toEqual([5, 5]);
    fleet.approve();
    expect(settle(fleet)).toEqual({ most: 10 + surge, lowest: 10 });
    expect(where(fleet)).toBe('Succeeded 3: 0 old, 10 new');
  });

  test('in a revert', () => {
    const fleet = changed(10, surging({}), 0, own);
    settle(fleet);
    fleet.apply(base.manifest);
    expect(settle(fleet)).toEqual({ most: 12, lowest: 10 });
    expect(where(fleet)).toBe('Reverted 1: 10 old, 0 new');
  });

  test('in a revert in the middle of a step', () => {
    const fleet = changed(10, surging({}), 0, own);
    for (let n = 0; n < 6; n++) {
      fleet.reconcile();
      fleet.advanceClock(1_000);
    }
    const [, fresh = 0] = fleet.counts().pods;
    expect(fresh).toBeGreaterThan(0);
    expect(fresh).toBeLessThan(5);
    fleet.apply(base.manifest);
    expect(settle(fleet)).toEqual({ most: 12, lowest: 10 });
    expect(where(fleet)).toBe('Reverted 0: 10 old, 0 new');
  });
});

test('a step that was done long ago does not fail at its deadline while the plan waits for an approval', () => {
  const fleet = changed(10, batches('50%', '100%'));
  settle(fleet);
  for (let n = 0; n < 60; n++) {
    fleet.advanceClock(MINUTE / 2);
    fleet.reconcile();
  }
  expect(where(fleet)).toBe('AwaitingApproval 1: 5 old, 5 new');
});
