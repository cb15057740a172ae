import { expect, test } from 'vitest';
import { desiredAvailable, unavailableAllowed } from '../../../semantics/podunavailablebudget/counts.ts';
import type { Limit } from '../../../semantics/podunavailablebudget/normalize.ts';

test.each<[Limit['field'], number | string, number, number]>([
  ['maxUnavailable', 1, 2, 1],
  ['maxUnavailable', '25%', 10, 7],
  ['maxUnavailable', '25%', 5, 3],
  ['maxUnavailable', '100%', 8, 0],
  ['maxUnavailable', 0, 3, 3],
  ['maxUnavailable', 5, 3, 0],
  ['minAvailable', '80%', 7, 6],
  ['minAvailable', 4, 3, 4],
  ['minAvailable', 0, 3, 0],
  // Nobody knows how many pods there are to be.
  ['maxUnavailable', 1, -1, 0],
  ['maxUnavailable', '50%', -1, 0],
  ['minAvailable', '80%', -1, 0],
  ['minAvailable', 2, -1, 2],
])('%s %s of %d: %d must stay available', (field, value, total, expected) => {
  expect(desiredAvailable({ field, value }, total)).toBe(expected);
});

test('a budget without a limit protects nothing', () => {
  expect(desiredAvailable(undefined, 3)).toBe(0);
});

test.each([
  [3, 2, 1],
  [2, 2, 0],
  [1, 2, 0],
  // Surplus pods count, too: the limit is no bound of what is allowed.
  [5, 2, 3],
])('%d available and %d wanted allow %d', (current, desired, allowed) => {
  expect(unavailableAllowed(current, desired)).toBe(allowed);
});
