import { expect, test } from 'vitest';
import * as fc from '../../property.ts';
import { createLineReader } from '../../../runtime/api/lines.ts';

test('lines are complete, wherever the bytes are split', () => {
  const text = fc.string({ unit: 'binary' }).map((each) => each.replaceAll('\n', ''));
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 8 }),
      text,
      fc.array(fc.nat(40), { maxLength: 30 }),
      (lines, rest, cuts) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join('') + rest);
        const reader = createLineReader(1_000_000);
        const read: string[] = [];
        let from = 0;
        for (const size of [...cuts, bytes.length]) {
          read.push(...reader.push(bytes.subarray(from, from + size)));
          from += size;
        }
        expect([...read, reader.rest()]).toEqual([...lines, rest]);
      },
    ),
  );
});

test('a line longer than the limit is refused, in one chunk or in many', () => {
  expect(createLineReader(4).push(Buffer.from('abcd\nef\n'))).toEqual(['abcd', 'ef']);
  expect(() => createLineReader(4).push(Buffer.from('abcde\n'))).toThrow('more than 4 bytes');
  const reader = createLineReader(4);
  reader.push(Buffer.from('abc'));
  expect(() => reader.push(Buffer.from('de'))).toThrow(RangeError);
});
