import { describe, expect, it } from 'vitest';
import * as fc from '../../property.ts';
import { partitionValue, scaleIntOrPercent } from '../../../semantics/values/int-or-percent.ts';

describe('cloneset 6.3: maxUnavailable and maxSurge', () => {
  it.each([
    // value, total, rounded up, rounded down
    [3, 10, 3, 3],
    ['20%', 7, 2, 1],
    ['20%', 10, 2, 2],
    ['25%', 10, 3, 2],
    ['30%', 6, 2, 1],
    ['40%', 6, 3, 2],
    ['20%', 3, 1, 0],
    ['0%', 9, 0, 0],
    ['100%', 9, 9, 9],
    ['200%', 3, 6, 6],
    ['5', 100, 5, 5],
    ['5', 10, 1, 0],
    ['33.3%', 2, 0, 0],
    ['abc', 10, 0, 0],
    ['', 10, 0, 0],
    ['%5%0', 10, 5, 5],
    ['-50%', 10, -5, -5],
    ['99999999999999999999%', 10, 0, 0],
    [-1, 10, -1, -1],
  ])('%j of %i is %i up and %i down', (value, total, up, down) => {
    expect(scaleIntOrPercent(value, total, 'up')).toBe(up);
    expect(scaleIntOrPercent(value, total, 'down')).toBe(down);
  });

  it('never gives a negative zero', () => {
    expect(Object.is(scaleIntOrPercent('-1%', 10, 'up'), 0)).toBe(true);
    expect(Object.is(scaleIntOrPercent('-0%', 10, 'down'), 0)).toBe(true);
  });
});

describe('cloneset 6.3: partition', () => {
  it.each([
    [10, '33.4%', 4],
    [10, '0.1%', 1],
    [1, '50%', 1],
    [2, '99%', 1],
    [200, '99.6%', 199],
    [5, 7, 5],
    [0, '50%', 0],
    [9, '45%', 5],
    [10, '50%', 5],
    [4, '99%', 3],
    [4, '100%', 4],
    [4, '100.0%', 3],
    [4, '0%', 0],
    [4, '150%', 4],
    [4, '-10%', 0],
    [4, -1, 0],
    [8, 12, 8],
    [6, '5', 0],
    [6, 'half', 0],
    [6, '%', 0],
    [6, '1e2%', 0],
    [6, undefined, 0],
  ])('of %i with %j retains %i', (replicas, value, kept) => {
    expect(partitionValue(value, replicas)).toBe(kept);
  });

  it('a percentage above 0 retains a pod, one below 100 updates a pod, and more never retains fewer', () => {
    const percent = fc.integer({ min: 1, max: 9999 }).map((hundredths) => hundredths / 100);
    fc.assert(
      fc.property(percent, percent, fc.integer({ min: 2, max: 5000 }), (a, b, replicas) => {
        const kept = partitionValue(`${a}%`, replicas);
        expect(kept).toBeGreaterThanOrEqual(1);
        expect(kept).toBeLessThanOrEqual(replicas - 1);
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(partitionValue(`${low}%`, replicas)).toBeLessThanOrEqual(partitionValue(`${high}%`, replicas));
      }),
    );
  });
});
