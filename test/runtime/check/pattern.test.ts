import { expect, it } from 'vitest';
import { readWholePattern } from '../../../runtime/check/pattern.ts';

function matches(pattern: string, value: string): boolean {
  const read = readWholePattern(pattern);
  return 'test' in read && read.test(value);
}

it('a pattern holds for the whole value, also when it has alternatives', () => {
  expect(['web', 'api', 'web1', 'api\n'].map((value) => matches('^(web)|(api)$', value))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it('a pattern that would try every division of a value matches in linear time', () => {
  expect(matches('^(a+)+$', `${'a'.repeat(200)}!`)).toBe(false);
  expect(matches('^(a+)+$', 'a'.repeat(200))).toBe(true);
});

it.each(['^a)|(b$', '^(?=a)b$', '^(a)\\1$', '^[$'])('%s is refused', (pattern) => {
  expect(readWholePattern(pattern)).toHaveProperty('problem');
});
