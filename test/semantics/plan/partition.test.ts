import { describe, expect, test } from 'vitest';
import { effectivePartition, oldSideRevisions } from '../../../semantics/plan/partition.ts';
import { wholeEnvelope } from '../cloneset/model.ts';

const envelope = wholeEnvelope({ goal: 'new', stable: 'old' });

describe('how many stay on old revisions', () => {
  test.each([
    ['nothing bounds it', 0, {}, 0],
    ['its own partition', '30%', {}, 3],
    ['the step', 0, { allowed: 4 }, 6],
    ['the bound of the plan', 0, { bound: 5 }, 5],
    ['the highest of all', 2, { allowed: 9, bound: '40%' }, 4],
    ['in a revert only the step counts', 8, { allowed: 9, bound: 5, obeyPartition: false }, 1],
    ['more are allowed than there are', 0, { allowed: 12 }, 0],
  ] as const)('%s', (_, partition, parts, kept) => {
    expect(effectivePartition({ replicas: 10, partition }, { ...envelope, ...parts })).toBe(kept);
  });

  test.each([
    ['no pod is retained: all on stable', undefined, 9, ['old', 'old', 'old']],
    ['stable lacks one of its share', 2, 5, ['old', 'held', 'held']],
    ['stable has its share', 2, 6, ['held', 'held', 'held']],
    ['retained pods are updated first', 5, 4, ['old', 'held', 'held']],
  ] as const)('recreated: %s', (_, n, atStable, wanted) => {
    const held = n === undefined ? {} : { retained: { hash: 'held', n } };
    const bounded = { ...envelope, allowed: 4, ...held };
    expect(oldSideRevisions({ replicas: 10, partition: 0 }, bounded, 3, () => atStable)).toEqual(wanted);
  });
});
