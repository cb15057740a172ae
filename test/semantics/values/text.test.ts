import { expect, it } from 'vitest';
import * as fc from '../../property.ts';
import { truncateUtf8 } from '../../../semantics/values/text.ts';

it.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc'],
  ['aé', 2, 'a'],
  ['aé', 3, 'aé'],
  ['\u{1f600}', 3, ''],
  ['\u{1f600}b', 4, '\u{1f600}'],
  ['\u20ac\u20ac', 5, '\u20ac'],
])('%j in %i bytes is %j', (text, bytes, cut) => {
  expect(truncateUtf8(text, bytes)).toBe(cut);
});

it('is the longest prefix that fits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, bytes) => {
      const cut = truncateUtf8(text, bytes);
      expect(text.startsWith(cut)).toBe(true);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(bytes);
      const next = Array.from(text.slice(cut.length))[0];
      if (next !== undefined) expect(Buffer.byteLength(cut + next)).toBeGreaterThan(bytes);
    }),
  );
});
