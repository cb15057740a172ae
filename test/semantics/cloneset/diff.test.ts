import { describe, expect, test } from 'vitest';
import { diffCloneSet, type SideCounts } from '../../../semantics/cloneset/diff.ts';
import { partitionValue } from '../../../semantics/values/int-or-percent.ts';
import { cases, podsOf } from './cases.ts';

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
    expect(diff).toEqual(row.diff);
  });

  test.each([
    ['too many on both sides', '5o 5n', 0],
    ['too few on both', '1o 1n', 0],
    ['more old ones missing than surplus new ones', '1o 5n', -1],
    ['more surplus new ones than old ones missing', '3o 7n', -1],
    ['more new ones missing than surplus old ones', '5o 1n', 1],
    ['more surplus old ones than new ones missing', '7o 3n', 1],
  ])('with rollback, %s: of %s %i are updated', (_, pods, moves) => {
    const input = {
      replicas: 8,
      partition: 4,
      maxUnavailable: 2,
      maxSurge: 0,
      scaleMaxUnavailable: undefined,
    };
    const sides = { old: side(pods, 'o'), new: side(pods, 'n') };
    const diff = diffCloneSet({ ...input, paused: false, moving: true, rollback: true, ...sides });
    expect(diff.update).toBe(moves);
  });

  test('a marked pod does not count as surplus', () => {
    const input = { replicas: 4, partition: 0, maxUnavailable: 1, maxSurge: 0, paused: false, moving: true };
    const sides = { old: side('', 'o'), new: side('6n 1nsd', 'n') };
    const diff = diffCloneSet({ ...input, scaleMaxUnavailable: undefined, ...sides });
    expect(diff).toMatchObject({ scaleDown: 2, deleteReadyLimit: 4 });
  });

  test('pods in PreparingDelete count as unavailable for the limit of creations', () => {
    const input = { replicas: 6, partition: 0, maxUnavailable: 1, maxSurge: 0, paused: false, moving: true };
    const sides = { old: side('', 'o'), new: side('2n 2npd', 'n') };
    const limitOf = (scaleMaxUnavailable: number): number =>
      diffCloneSet({ ...input, scaleMaxUnavailable, ...sides }).scaleUpLimit;
    expect([2, 3, 4, 5].map(limitOf)).toEqual([0, 1, 2, 2]);
  });

  test('as much surge for marked pods as for updates: it is used for the marked ones', () => {
    const input = { replicas: 6, partition: 4, maxUnavailable: 0, maxSurge: 2, paused: false, moving: true };
    const sides = { old: side('4o 1osd', 'o'), new: side('1n', 'n') };
    const diff = diffCloneSet({ ...input, scaleMaxUnavailable: undefined, ...sides });
    expect(diff).toMatchObject({ update: 1, useSurge: 1, useSurgeOld: 1 });
  });

  test('without moving nothing is updated, and no surge is used', () => {
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
  const fields = { '': 'available', '!': 'unavailable', sd: 'toDelete', pd: 'preparingDelete' } as const;
  for (const { count, side: at, is } of podsOf(pods)) if (at === which) counts[fields[is]] += count;
  return counts;
}
