import { describe, expect, it } from 'vitest';
import * as fc from '../../property.ts';
import { firstSorted } from '../../../semantics/values/first-sorted.ts';

const byNumber = (a: number, b: number): number => (a < b ? -1 : 1);

describe('the first of an order', () => {
  it('is the same as sorting all of it and truncating', () => {
    const distinct = fc.uniqueArray(fc.integer({ min: 0, max: 500 }), { maxLength: 200 });
    fc.assert(
      fc.property(distinct, fc.nat({ max: 220 }), (numbers, count) => {
        const sorted = [...numbers].sort(byNumber);
        expect(firstSorted([...numbers], count, byNumber)).toEqual(sorted.slice(0, count));
      }),
    );
  });

  it.each([
    ['in order', (n: number) => n],
    ['in reverse', (n: number) => -n],
    ['like an organ pipe', (n: number) => (n < 5_000 ? 2 * n : 2 * (10_000 - n) - 1)],
    ['in a row that repeats', (n: number) => (n * 7_919) % 10_007],
  ])('needs a few comparisons per item for an input %s', (_, of) => {
    let comparisons = 0;
    const numbers = Array.from({ length: 10_000 }, (_unused, n) => of(n));
    const first = firstSorted(numbers, 10, (a, b) => {
      comparisons += 1;
      return byNumber(a, b);
    });
    expect(first).toHaveLength(10);
    expect(comparisons).toBeLessThan(8 * 10_000);
  });
});
