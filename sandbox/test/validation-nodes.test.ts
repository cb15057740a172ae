import { expect, test } from 'vitest';
import { faultsOf, rowsOf } from './mutated.ts';

test.each(rowsOf('nodes'))('%s with %s: %j', async (kind, at, value, expected) => {
  expect(await faultsOf(kind, at, value)).toBe(expected);
});
