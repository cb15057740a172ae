import { describe, expect, test } from 'vitest';
import { counterAfter, readCounter } from '../../../semantics/values/counter.ts';

describe('a counter in an annotation', () => {
  test.each([
    ['0', 0],
    ['7', 7],
    ['999999999999999', 999_999_999_999_999],
  ])('%s is read', (text, value) => {
    expect(readCounter(text)).toBe(value);
  });

  test.each([
    undefined,
    '',
    ' 1',
    '1 ',
    '+1',
    '-1',
    '01',
    '1.0',
    '1e3',
    '1e300',
    '0x10',
    '1\n',
    'NaN',
    '1'.repeat(16),
  ])('%j is none', (text) => {
    expect(readCounter(text)).toBeUndefined();
  });

  test('the next one can be read again, and the last one is followed by itself', () => {
    expect(counterAfter(7)).toBe(8);
    for (const counter of [0, 999_999_999_999_998, 999_999_999_999_999])
      expect(readCounter(String(counterAfter(counter)))).toBe(counterAfter(counter));
  });
});
