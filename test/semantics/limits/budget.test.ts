import { expect, test } from 'vitest';
import { withinBudget } from '../../../semantics/limits/budget.ts';

/** Upper case: available. */
function taken(inOrder: string, unavailable: number, maxUnavailable: number): string {
  const isAvailable = (unit: string): boolean => unit !== unit.toLowerCase();
  return withinBudget([...inOrder], isAvailable, { unavailable, maxUnavailable }).join('');
}

test.each([
  ['as many available ones as may be unavailable', 'ABCD', 0, 2, 'AB'],
  ['those that are unavailable count already', 'abCD', 2, 3, 'abC'],
  ['broken ones are updated even if nothing is left', 'abcD', 5, 2, 'abc'],
  ['it stops at the first that may not be updated, and skips none', 'aBcd', 3, 3, 'a'],
  ['there are none', '', 0, 3, ''],
])('what may be updated at once: %s', (_, inOrder, unavailable, most, expected) => {
  expect(taken(inOrder, unavailable, most)).toBe(expected);
});
