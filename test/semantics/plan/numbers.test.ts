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

/** A fleet that has been given a commit: template 1, under a bound. */
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

/** Looks until nothing moves; the counts of every moment. */
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

describe('ten pods in batches of 5 %, 50 % and the rest (plan, section 4)', () => {
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
    const seen = expected.map(() => {
      settle(fleet);
      const at = where(fleet);
      fleet.approve();
      return at;
    });
    expect(seen).toEqual(expected);
    const held = { template: 0, n: partition };
    expect(fleet.ending()).toMatchObject({ stable: 1, held: partition === 0 ? undefined : held });
  });

  test('no more than the window is ever down, and none is made beyond the replicas', () => {
    const fleet = changed(10, batches('100%'));
    expect(settle(fleet)).toEqual({ most: 10, lowest: 8 });
  });
});

describe('an autoscaler in the middle of a step of 50 %: what is made where (plan, section 4)', () => {
  // Those that are too many go; what comes is made on the old side, beyond what N has shrunk to.
  test.each([
    ['10, 4, 12', [10, 4, 12], ['5 old, 5 new', '2 old, 2 new', '10 old, 2 new']],
    ['10, 2, 12', [10, 2, 12], ['5 old, 5 new', '1 old, 1 new', '11 old, 1 new']],
    ['10, 40', [10, 40], ['5 old, 5 new', '35 old, 5 new']],
    ['10, 0, 10', [10, 0, 10], ['5 old, 5 new', '0 old, 0 new', '5 old, 5 new']],
  ] as const)('%s', (_, sizes, expected) => {
    const fleet = changed(10, batches('50%', '100%'));
    const seen = sizes.map((replicas) => {
      fleet.scale(replicas);
      settle(fleet);
      return where(fleet).replace(/^.*: /, '');
    });
    expect(seen).toEqual(expected);
  });

  test('a lost pod is made again on the side that lacks it', () => {
    const fleet = changed(10, batches('50%', '100%'));
    settle(fleet);
    for (let i = 0; i < 10; i++) {
      fleet.lose(i);
      settle(fleet);
      expect(fleet.counts().pods.slice(0, 2)).toEqual([5, 5]);
    }
  });
});

describe('maxSurge 2 with nothing to spare (plan, sections 4 and 6)', () => {
  const own = { maxUnavailable: 0, maxSurge: 2 };
  const surging = (window: NonNullable<NonNullable<Step['update']>['window']>): Step[] => [
    { id: 'half', update: { to: '50%', window } },
    ok,
    { id: 'rest', update: { to: '100%', window } },
  ];

  test.each([
    ['as the target says', {}, 2],
    ['as the step says, where that is less', { maxSurge: 1 }, 1],
    ['as the target says, where the step says more', { maxSurge: 5 }, 2],
  ])('in an update step: %s', (_, window, surge) => {
    const fleet = changed(10, surging(window), 0, own);
    expect(settle(fleet)).toEqual({ most: 10 + surge, lowest: 10 });
    expect(fleet.counts().pods.slice(0, 2)).toEqual([5, 5]);
    fleet.approve();
    expect(settle(fleet)).toEqual({ most: 10 + surge, lowest: 10 });
    expect(where(fleet)).toBe('Succeeded 3: 0 old, 10 new');
  });

  test('on the way back', () => {
    const fleet = changed(10, surging({}), 0, own);
    settle(fleet);
    fleet.apply(base.manifest);
    expect(settle(fleet)).toEqual({ most: 12, lowest: 10 });
    expect(where(fleet)).toBe('Reverted 1: 10 old, 0 new');
  });

  test('on the way back in the middle of a step', () => {
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

test('a step that was done long ago does not run into its deadline while a person is waited for', () => {
  const fleet = changed(10, batches('50%', '100%'));
  settle(fleet);
  for (let n = 0; n < 60; n++) {
    fleet.advanceClock(MINUTE / 2);
    fleet.reconcile();
  }
  expect(where(fleet)).toBe('AwaitingApproval 1: 5 old, 5 new');
});
