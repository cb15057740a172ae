import { describe, expect, test } from 'vitest';
import { leftInAll, leftText, parseLeft } from '../../../semantics/children/left-records.ts';

const A = 'h1:aa';
const B = 'h1:bb';

describe('the record of pods that bounds have left in subsets', () => {
  test('is read as it was written', () => {
    const left = new Map([
      ['zone-a', { n: 2, hash: A }],
      ['1', { n: 0, hash: B }],
    ]);
    expect(leftText(left)).toBe('zone-a: 2 at h1:aa, 1: 0 at h1:bb');
    expect(parseLeft(leftText(left))).toEqual(left);
  });

  test('of 200 subsets with the longest names is read, and one beyond any is none', () => {
    const named = (count: number): Map<string, { n: number; hash: string }> =>
      new Map(
        Array.from({ length: count }, (_, index) => [
          `z${index}-`.padEnd(63, 'a'),
          { n: 2_000_000_000, hash: `h1:${'f'.repeat(64)}` },
        ]),
      );
    expect(parseLeft(leftText(named(200))).size).toBe(200);
    expect(parseLeft(leftText(named(1_000))).size).toBe(0);
  });

  test.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['a number for all units', '2 at h1:aa'],
    ['no number', 'zone-a: x at h1:aa'],
    ['one that is too large', `zone-a: ${'9'.repeat(20)} at h1:aa`],
    ['a list that goes on in another way', 'zone-a: 2 at h1:aa, and more'],
  ])('is empty where it is %s', (_what, text) => {
    expect(parseLeft(text).size).toBe(0);
  });

  test('amounts to one number, at the revision of most', () => {
    const of = (...left: [number, string][]): unknown =>
      leftInAll(new Map(left.map(([n, hash], index) => [String(index), { n, hash }])));
    expect(of()).toBe(undefined);
    expect(of([0, A])).toBe(undefined);
    expect(of([1, B], [2, A], [2, B])).toEqual({ n: 5, hash: B });
    expect(of([1, B], [1, A])).toEqual({ n: 2, hash: A });
  });
});
