import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import * as fc from '../../property.ts';
import { canonicalJson, compareCodePoints, contentHash } from '../../../semantics/values/canonical-json.ts';

describe('text', () => {
  it.each([
    [{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
    [{ a: undefined, b: {} }, '{"b":{}}'],
    [JSON.parse('{"__proto__":{"a":1},"a":2}'), '{"__proto__":{"a":1},"a":2}'],
    [{ 10: 'a', 9: 'b' }, '{"10":"a","9":"b"}'],
    ['\u2028\u0000"', '"\u2028\\u0000\\""'],
    ['\ud800', '"\\ud800"'],
    [-0, '0'],
    [1e21, '1e+21'],
    [[], '[]'],
  ])('of %j', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('sorts by code point, not by UTF-16 unit', () => {
    expect(canonicalJson({ '\u{1f600}': 1, '\uffee': 2, a: 3 })).toBe('{"a":3,"\uffee":2,"\u{1f600}":1}');
  });

  it('is read back as the same value, and does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(value))).toBe(text);
      }),
    );
  });
});

it('is the text of sorted members, whatever their order was', () => {
  const key = fc.string({ unit: fc.constantFrom('a', 'B', '1', '_', '\ue000', '\u{1f600}', '\ud800') });
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, undefined, -0, 1.5, 'x', '\ud83d', '\\ud', true),
      fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
      fc.array(tie('tree'), { maxLength: 3 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      expect(canonicalJson(value)).toBe(bySorting(value));
    }),
  );
});

it('compares like arrays of code points', () => {
  const bySpread = (a: string, b: string): number => {
    const [x, y] = [a, b].map((text) => Array.from(text, (char) => char.codePointAt(0) ?? 0));
    for (const [i, point] of (x ?? []).entries()) {
      const other = y?.[i];
      if (other === undefined) return 1;
      if (other !== point) return point - other;
    }
    return (x?.length ?? 0) - (y?.length ?? 0);
  };
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\ue000', '\uffff', '\u{10000}', '\u{1f600}') });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareCodePoints(a, b))).toBe(Math.sign(bySpread(a, b)));
    }),
  );
});

it('hashes the UTF-8 bytes with SHA-256, 128 bits of it', () => {
  const sha = createHash('sha256').update(Buffer.from('{"a":"\u00e9"}', 'utf8')).digest('hex');
  expect(contentHash({ a: '\u00e9' })).toBe(`h1:${sha.slice(0, 32)}`);
});

function bySorting(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(bySorting).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => compareCodePoints(a, b));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${bySorting(member)}`).join(',')}}`;
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}
