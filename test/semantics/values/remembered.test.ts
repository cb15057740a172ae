import { expect, test } from 'vitest';
import { remembered } from '../../../semantics/values/remembered.ts';

test('a result is computed once for each object, undefined as well', () => {
  const asked: string[] = [];
  const nameOf = remembered(({ name }: { name: string }) => {
    asked.push(name);
    return name === '' ? undefined : name.toUpperCase();
  });
  const [a, like, empty] = [{ name: 'a' }, { name: 'a' }, { name: '' }];
  expect([a, like, empty, a, like, empty].map(nameOf)).toEqual(['A', 'A', undefined, 'A', 'A', undefined]);
  expect(asked).toEqual(['a', 'a', '']);
});
