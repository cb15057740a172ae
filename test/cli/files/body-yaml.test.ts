import { describe, expect, test } from 'vitest';
import { readBodyYaml } from '../../../cli/files/body-yaml.ts';

describe('the YAML body of a request', () => {
  test.each([
    ['a: 1\n---\nb: 2\n', { a: 1 }],
    ['', null],
    ['# nothing\n', null],
    ['---\n', null],
    ['{"a": [1, "x", null, true]}', { a: [1, 'x', null, true] }],
    ['a: yes\nb: on\nc: "yes"\nd: No\n', { a: true, b: true, c: 'yes', d: false }],
    ['a: 010\nb: 1_000\nc: 0x10\nd: "010"\n', { a: 8, b: 1000, c: 16, d: '010' }],
    ['a: 2020-01-01\nb: 12:30:45\nc: 1.5\n', { a: '2020-01-01', b: '12:30:45', c: 1.5 }],
    ['a: null\nb: ~\nc:\n', { a: null, b: null, c: null }],
    ['1: a\ntrue: b\n1.5: c\n', { 1: 'a', true: 'b', 1.5: 'c' }],
    ['a: !!binary aGVsbG8=\nb: !!str 12\n', { a: 'hello', b: '12' }],
    ['base: &x { a: 1, b: 2 }\nmore: { <<: *x, b: 3 }\n', { base: { a: 1, b: 2 }, more: { a: 1, b: 3 } }],
    ['a: { <<: [{ x: 1 }, { x: 2, z: 3 }] }\n', { a: { x: 1, z: 3 } }],
    ['a: &x [1]\nb: *x\nc: *x\n', { a: [1], b: [1], c: [1] }],
    ['a: &x 1\nb: &x 2\nc: *x\n', { a: 1, b: 2, c: 2 }],
  ])('%j is %j', (text, value) => {
    expect(readBodyYaml(text)).toEqual({ value, duplicates: [] });
  });

  test('has only own fields, whatever their names', () => {
    const { value } = readBodyYaml('__proto__: { polluted: yes }\n');
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('takes the last of repeated fields, and reports their positions', () => {
    expect(readBodyYaml('a: 1\nb:\n  c: 1\n  c: 2\na: 3\n')).toEqual({
      value: { a: 3, b: { c: 2 } },
      duplicates: ['line 4: key "c" already set in map', 'line 5: key "a" already set in map'],
    });
  });

  test.each([
    ['a:\n\t- b\n', 'line 2: found character that cannot start any token'],
    ['a: [\n', /^line \d+: /],
    ['a: &x { b: *x }\n', "anchor 'x' value contains itself"],
    ['a: *x\n', "unknown anchor 'x' referenced"],
    ['? null\n: x\n', 'unsupported map key of type: %!s(<nil>), key: <nil>'],
    ['? [a]\n: x\n', 'invalid map key: ["a"]'],
    ['a: { <<: x }\n', 'map merge requires map or sequence of maps as the value'],
    ['a: !!binary "%%%"\n', '!!binary value contains invalid base64 data'],
    [bomb(), 'document contains excessive aliasing'],
    [`a: ${'['.repeat(5_000)}`, /^line \d+: /],
    [nested(700), /^(exceeded max depth of 600|line \d+: )/],
  ])('%j is refused', (text, message) => {
    expect(() => readBodyYaml(text)).toThrow(message);
  });
});

/** Nine levels of nine aliases each. */
function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 9; level += 1) {
    const alias = `*a${level - 1}`;
    lines.push(`a${level}: &a${level} [${Array.from({ length: 9 }, () => alias).join(', ')}]`);
  }
  return `${lines.join('\n')}\n`;
}

function nested(depth: number): string {
  return Array.from({ length: depth }, (_, level) => `${' '.repeat(level)}a:\n`).join('');
}
