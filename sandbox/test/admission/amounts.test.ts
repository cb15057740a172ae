import { expect, test } from 'vitest';
import { amountOf, amountText, plus } from '../../../schemas/pods/amount.ts';

const text = (quantity: string | number) => {
  const amount = amountOf(quantity);
  return amount === undefined ? undefined : amountText(amount);
};

test.each([
  ['0.7Gi', '751619276800m'],
  ['1024Mi', '1Gi'],
  ['1e3', '1e3'],
  ['1.5e3', '1500'],
  ['-1024Ki', '-1Mi'],
  ['0.1Ki', '102400m'],
  ['512Ki', '512Ki'],
  ['1000m', '1'],
  ['2000', '2k'],
  ['1E', '1E'],
  ['1Ei', '1Ei'],
  ['0Gi', '0'],
  [1.5, '1500m'],
])('%s is written %s', (quantity, written) => {
  expect(text(quantity)).toBe(written);
});

test.each(['', 'abc', '1e', '1KB', '.', '1 Gi'])('%j is not a quantity', (quantity) => {
  expect(text(quantity)).toBeUndefined();
});

test('a sum has the format of the first operand, unless that is zero', () => {
  const sum = (a: string, b: string) => {
    const [left, right] = [amountOf(a), amountOf(b)];
    return left === undefined || right === undefined ? undefined : amountText(plus(left, right));
  };
  expect([sum('1Gi', '1024'), sum('1024', '1Gi'), sum('0', '1Gi')]).toEqual([
    '1048577Ki',
    '1073742848',
    '1Gi',
  ]);
});
