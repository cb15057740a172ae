import { describe, expect, test } from 'vitest';
import { faultsOf, rowsOf } from './mutated.ts';

describe.each(['jobs', 'pods', 'storage', 'workloads'])('the API server refuses of %s', (subject) => {
  test.each(rowsOf(subject))('%s with %s: %j', async (kind, at, value, expected) => {
    expect(await faultsOf(kind, at, value)).toBe(expected);
  });
});
