import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as fc from '../property.ts';
import { inSequence, longest } from '../sequence.ts';

const name = fc.stringMatching(/^[a-z]{1,4}$/);
const path = fc.oneof(
  name.map((each) => `test/e2e/${each}.test.ts`),
  name.map((each) => `test/house/${each}.test.ts`),
  fc.constantFrom(...longest),
);

test('every file begins once, and the longest first', () => {
  fc.assert(
    fc.property(fc.uniqueArray(path, { maxLength: 60 }), (files) => {
      const order = inSequence(files);
      expect(order.toSorted()).toEqual(files.toSorted());
      const first = longest.filter((file) => files.includes(file));
      expect(order.slice(0, first.length)).toEqual(first);
    }),
  );
});

test('files that wait begin among the first two thirds of the others, in turn with them', () => {
  const busy = Array.from({ length: 12 }, (_, at) => `test/house/${at}.test.ts`);
  const waiting = ['test/e2e/a.test.ts', 'test/e2e/b.test.ts'];
  const order = inSequence([...busy, ...waiting]);
  expect(order.map((file) => (waiting.includes(file) ? 'w' : '.')).join('')).toBe('w....w........');
  expect(inSequence([...busy.slice(0, 1), ...waiting])).toEqual([waiting[0], busy[0], waiting[1]]);
});

test('the longest exist', () => {
  expect(longest.filter((file) => !existsSync(new URL(`../../${file}`, import.meta.url)))).toEqual([]);
});
