import { describe, expect, test } from 'vitest';
import * as fc from '../../property.ts';
import { allowedPods } from '../../../semantics/plan/allowed.ts';

describe('how many pods a step allows on the new revision', () => {
  test.each([
    ['5%', undefined, 10, 1],
    ['5%', 1, 10, 1],
    ['50%', undefined, 10, 5],
    ['100%', undefined, 10, 10],
    ['50%', undefined, 5, 2],
    ['33.4%', undefined, 10, 3],
    ['99%', undefined, 10, 9],
    ['0%', undefined, 10, 0],
    ['5%', undefined, 1, 0],
    ['5%', 1, 1, 1],
    ['5%', 3, 2, 2],
    ['5%', 1, 0, 0],
    [3, undefined, 10, 3],
    [30, undefined, 10, 10],
  ] as const)('to %s, at least %s, of %i: %i', (to, atLeast, replicas, expected) => {
    expect(allowedPods({ to, ...(atLeast === undefined ? {} : { atLeast }) }, replicas)).toBe(expected);
  });

  test('more percent never allows fewer pods, and the result stays within the replicas', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1000 }),
        fc.integer({ min: 0, max: 1000 }),
        fc.integer({ min: 0, max: 500 }),
        (a, b, replicas) => {
          const [low, high] = [Math.min(a, b) / 10, Math.max(a, b) / 10];
          const [less, more] = [low, high].map((p) => allowedPods({ to: `${p}%` }, replicas));
          expect(less).toBeLessThanOrEqual(more ?? -1);
          expect(more).toBeLessThanOrEqual(replicas);
          expect(less).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});
