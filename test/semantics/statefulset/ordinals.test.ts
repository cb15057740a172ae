import { describe, expect, test } from 'vitest';
import { ordinalOf, ordinalsIn, rangeOf, reservedRanges } from '../../../semantics/statefulset/ordinals.ts';

describe('the ordinals of a StatefulSet (OpenKruise advanced-statefulset, 6.4)', () => {
  test.each<
    [what: string, replicas: number, start: number, reserve: (number | string)[], ordinals: number[]]
  >([
    ['none', 0, 0, [], []],
    ['from zero', 3, 0, [], [0, 1, 2]],
    ['from the first ordinal (AS-9)', 5, 3, [], [3, 4, 5, 6, 7]],
    ['one reserved (AS-5)', 4, 0, [1], [0, 2, 3, 4]],
    ['a range and a number (AS-6)', 4, 0, ['2-5', 7], [0, 1, 6, 8]],
    ['with a first ordinal', 4, 2, [1, 3], [2, 4, 5, 6]],
    ['the first one is reserved', 2, 0, ['0-2'], [3, 4]],
    ['reserved beyond the end', 2, 0, [7], [0, 1]],
    ['reserved twice, in any order', 3, 0, [1, '0-1', 1], [2, 3, 4]],
    ['a huge range is not expanded', 2, 0, ['1-2000000000'], [0, 2_000_000_001]],
  ])('%s', (_what, replicas, start, reserve, ordinals) => {
    expect(ordinalsIn({ replicas, start, reserved: reservedRanges(reserve) })).toEqual(ordinals);
  });

  test.each<[entry: unknown, range: object | undefined]>([
    [3, { from: 3, to: 3 }],
    ['5-5', { from: 5, to: 5 }],
    ['2-5', { from: 2, to: 5 }],
    ['5-2', undefined],
    ['3', undefined],
    [-1, undefined],
    [1.5, undefined],
    ['2 - 5', undefined],
    ['0-99999999999', undefined],
    [undefined, undefined],
  ])('the entry %j', (entry, range) => {
    expect(rangeOf(entry)).toEqual(range);
  });

  test.each<[name: string, ordinal: number | undefined]>([
    ['web-0', 0],
    ['web-12', 12],
    ['web-01', undefined],
    ['web--1', undefined],
    ['web-', undefined],
    ['web', undefined],
    ['web-a', undefined],
    ['other-1', undefined],
    ['web-1-1', undefined],
    ['web-99999999999', undefined],
  ])('the name %s', (name, ordinal) => {
    expect(ordinalOf(name, 'web')).toBe(ordinal);
  });
});
