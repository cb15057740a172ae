import { describe, expect, test } from 'vitest';
import { type Diff, diffCloneSet, type SideCounts } from '../../../semantics/cloneset/diff.ts';
import { type IntOrPercent, partitionValue } from '../../../semantics/values/int-or-percent.ts';

/**
 * The worked cases of OpenKruise cloneset, rule 6.3, by their number. Pods are written as there: `9o` nine old ones,
 * `2n!` two new ones that are not available, `pd` preparing delete, `sd` marked for deletion.
 */
interface Case {
  n: number;
  replicas: number;
  partition: IntOrPercent;
  maxUnavailable: IntOrPercent;
  maxSurge: IntOrPercent;
  pods: string;
  scaleMaxUnavailable?: IntOrPercent;
  paused?: boolean;
  rollback?: boolean;
  expected: Partial<Diff>;
}

function c(
  n: number,
  replicas: number,
  partition: IntOrPercent,
  maxUnavailable: IntOrPercent,
  maxSurge: IntOrPercent,
  pods: string,
  expected: Partial<Diff>,
  more: Partial<Case> = {},
): Case {
  return { n, replicas, partition, maxUnavailable, maxSurge, pods, expected, ...more };
}

const up = (scaleUp: number, scaleUpOld: number, scaleUpLimit: number): Partial<Diff> => ({
  scaleUp,
  scaleUpOld,
  scaleUpLimit,
});
const down = (scaleDown: number, scaleDownOld: number, deleteReadyLimit: number): Partial<Diff> => ({
  scaleDown,
  scaleDownOld,
  deleteReadyLimit,
});
const upd = (update: number, updateMaxUnavailable: number): Partial<Diff> => ({
  update,
  updateMaxUnavailable,
});
const surge = (useSurge: number, useSurgeOld = 0): Partial<Diff> => ({ useSurge, useSurgeOld });
const still = { scaleUp: 0, scaleDown: 0, update: 0 };

const cases: Case[] = [
  c(1, 7, 0, '20%', 0, '', { ...up(7, 0, 7), scaleDown: 0, update: 0 }),
  c(2, 10, 0, 2, 0, '6n 1n!', { ...up(3, 0, 1), update: 0 }, { scaleMaxUnavailable: 2 }),
  c(3, 10, 0, 2, 0, '6n 3n!', { ...up(1, 0, 0), update: 0 }, { scaleMaxUnavailable: '20%' }),
  c(4, 6, 4, 2, 0, '2o 2n', { ...up(2, 2, 2), update: 0 }),
  c(5, 10, '50%', 2, 0, '3o 3n', { ...up(4, 2, 4), update: 0 }),
  c(6, 9, 0, 2, 0, '9o', { ...upd(9, 2), scaleUp: 0 }),
  c(7, 9, '45%', 2, 0, '9o', upd(4, 2)),
  c(8, 9, 0, 2, 0, '7o 2n!', upd(7, 2)),
  c(9, 9, 0, 2, 0, '6o 3o!', upd(9, 2)),
  c(10, 9, 0, 2, 0, '6o 1o! 2n!', upd(7, 2)),
  c(11, 10, 2, 3, 0, '4o 4n 2n!', upd(2, 3)),
  c(12, 6, 0, 0, 2, '6o', { ...surge(2), ...up(2, 0, 2), ...upd(6, 0) }),
  c(13, 6, 0, 0, 2, '6o 2n!', { ...surge(2), scaleUp: 0, ...upd(4, 2) }),
  c(14, 6, 0, 0, 2, '6o 2n', { ...surge(2), scaleUp: 0, ...upd(4, 2) }),
  c(15, 6, 0, 0, 2, '4o 2osd 2n', { ...surge(2), scaleUp: 0, deleteReadyLimit: 2, ...upd(4, 2) }),
  c(16, 6, 0, 0, 2, '2o 6n', { ...surge(0), ...down(2, 2, 2), update: 0 }),
  c(17, 6, 5, '30%', '40%', '6o', { ...surge(1), ...up(1, 0, 1), ...upd(1, 1) }),
  c(18, 10, 0, '25%', '25%', '10o', { ...surge(3), ...up(3, 0, 3), ...upd(10, 2) }),
  c(19, 3, 0, '20%', 1, '3o', { ...surge(1), ...up(1, 0, 1), ...upd(3, 0) }),
  c(20, 6, 0, 1, 3, '6o', { ...surge(0), scaleUp: 0, ...upd(6, 1) }, { paused: true }),
  c(21, 6, 0, 1, 1, '5n 1nsd', { ...surge(0), scaleUp: 0, deleteReadyLimit: 1, update: 0 }),
  c(22, 6, 0, 1, 1, '4n 1n! 1nsd', { ...surge(1), ...up(1, 0, 1), deleteReadyLimit: 0 }),
  c(23, 6, 0, 1, 1, '5n 1n! 1nsd', { ...surge(1), scaleUp: 0, deleteReadyLimit: 1 }),
  c(24, 8, 6, 2, 0, '3o 5n', { ...still, ...upd(-3, 2) }, { rollback: true }),
  c(25, 8, 6, 2, 0, '3o 5n', still),
  c(26, 8, 6, 0, 2, '3o 5n', { ...surge(2, 2), ...up(2, 5, 2), ...upd(-3, 0) }, { rollback: true }),
  c(27, 5, 0, 1, 0, '8o', { ...down(3, 8, 4), ...upd(5, 4) }),
  c(28, 5, 2, 1, 0, '4o 4n', { ...down(3, 2, 4), update: 0 }),
  c(29, 8, 6, 2, 0, '6o 4n', { ...down(2, 0, 4), update: 0 }),
  c(30, 3, 0, 1, 0, '5n!', { ...down(2, 0, 0), update: 0 }),
  c(31, 5, 0, 1, 0, '3n 2npd', still),
  c(33, 3, 0, 0, 0, '2n 1nsd', { ...still, deleteReadyLimit: 0 }),
  c(34, 4, '99%', 2, 0, '4o', upd(1, 2)),
  c(35, 4, '100%', 2, 0, '4o', still),
  c(36, 2, 0, '33.3%', 0, '2o', upd(2, 0)),
  c(37, 8, 12, 1, 2, '8o', { ...surge(0), ...still }),
  c(38, 0, 0, 0, 0, '3n', { ...down(3, 0, 3), update: 0 }),
];

describe('diff calculation (OpenKruise cloneset, rule 6.3)', () => {
  test.each(cases)('case $n: $replicas replicas, $pods', (row) => {
    const diff = diffCloneSet({
      replicas: row.replicas,
      partition: partitionValue(row.partition, row.replicas),
      maxUnavailable: row.maxUnavailable,
      maxSurge: row.maxSurge,
      scaleMaxUnavailable: row.scaleMaxUnavailable,
      paused: row.paused ?? false,
      moving: true,
      ...(row.rollback === undefined ? {} : { rollback: row.rollback }),
      old: side(row.pods, 'o'),
      new: side(row.pods, 'n'),
    });
    expect(diff).toMatchObject(row.expected);
  });

  test.each([
    ['too many on both sides', '5o 5n'],
    ['too few on both', '1o 1n'],
  ])('with rollback, %s: nothing moves', (_, pods) => {
    const input = {
      replicas: 8,
      partition: 4,
      maxUnavailable: 2,
      maxSurge: 0,
      scaleMaxUnavailable: undefined,
    };
    const sides = { old: side(pods, 'o'), new: side(pods, 'n') };
    const diff = diffCloneSet({ ...input, paused: false, moving: true, rollback: true, ...sides });
    expect(diff.update).toBe(0);
  });

  test('without moving nothing is updated and no surge is spent on it', () => {
    const old: SideCounts = { preparingDelete: 0, toDelete: 0, unavailable: 0, available: 6 };
    const none: SideCounts = { preparingDelete: 0, toDelete: 0, unavailable: 0, available: 0 };
    const input = {
      replicas: 6,
      partition: 0,
      maxUnavailable: 0,
      maxSurge: 2,
      scaleMaxUnavailable: undefined,
    };
    const diff = diffCloneSet({ ...input, paused: false, moving: false, old, new: none });
    expect(diff).toMatchObject({ useSurge: 0, scaleUp: 0, update: 0 });
  });
});

function side(pods: string, which: 'o' | 'n'): SideCounts {
  const counts: SideCounts = { preparingDelete: 0, toDelete: 0, unavailable: 0, available: 0 };
  for (const [, n, at, kind] of pods.matchAll(/(\d+)([on])(!|sd|pd)?/g)) {
    if (at !== which) continue;
    const field = ({ '!': 'unavailable', sd: 'toDelete', pd: 'preparingDelete' } as const)[kind ?? ''];
    counts[field ?? 'available'] += Number(n);
  }
  return counts;
}
