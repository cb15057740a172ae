import { expect, test } from 'vitest';
import { bodyText } from '../../../runtime/api/body.ts';

test('characters that Go escapes are escaped, so that the server encodes the same bytes again', () => {
  const body = { args: ['a < b && c > d'], 'key<': '\u2028\u2029', quote: '"\\' };
  const text = bodyText(body);
  expect(text).toBe(
    '{"args":["a \\u003c b \\u0026\\u0026 c \\u003e d"],"key\\u003c":"\\u2028\\u2029","quote":"\\"\\\\"}',
  );
  expect(JSON.parse(text)).toEqual(body);
});
