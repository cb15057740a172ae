import { describe, expect, test } from 'vitest';
import type { Status } from '../../schemas/wire/cluster.ts';
import { bodyLimit, parseBody, type BodySubject } from '../http/body.ts';
import { scanJson } from '../http/jsonText.ts';
import { readYaml } from '../http/yaml.ts';
import { readRows } from './rows.ts';
import { refusalOf } from './world.ts';

const json = 'application/json';
const yaml = 'application/yaml';
const merge = 'application/merge-patch+json';
const jsonPatch = 'application/json-patch+json';
const strategic = 'application/strategic-merge-patch+json';
const apply = 'application/apply-patch+yaml';
const configMap: BodySubject = { kind: 'ConfigMap', custom: false };

function read(body: string | Uint8Array, contentType: string, subject?: BodySubject) {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return parseBody(bytes, contentType, readYaml, subject);
}

/** The Status of a rejected body; any other error fails the test. */
function refused(body: string | Uint8Array, contentType: string, subject?: BodySubject): Status {
  return refusalOf(() => read(body, contentType, subject));
}

const unrecognized = (kind: string, why: string) =>
  `the object provided is unrecognized (must be of type ${kind}): ${why}`;
const object = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}';

describe('bodies of objects', () => {
  const malformed: [string, string, string][] = [
    ['', 'unexpected end of JSON input', '<empty>'],
    ['{', 'unexpected end of JSON input', '{'],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string", '{"a":1,}'],
    [`${object} x`, "invalid character 'x' after top-level value", '{"apiVersion":"v1","kind":"Con ...'],
    ['{"a" 1}', "invalid character '1' after object key", '{"a" 1}'],
    ['{"a":1 "b"}', `invalid character '"' after object key:value pair`, '{"a":1 "b"}'],
    ['[1 2]', "invalid character '2' after array element", '5b3120325d'],
    ['{"a":tru}', "invalid character '}' in literal true (expecting 'e')", '{"a":tru}'],
    ['{"a":01}', "invalid character '1' after object key:value pair", '{"a":01}'],
    ['{"a":-}', "invalid character '}' in numeric literal", '{"a":-}'],
    ['{"a":1.}', "invalid character '}' after decimal point in numeric literal", '{"a":1.}'],
    ['{"a":1e}', "invalid character '}' in exponent of numeric literal", '{"a":1e}'],
    ['{"a":"\n"}', String.raw`invalid character '\n' in string literal`, '{"a":"\n"}'],
    [String.raw`{"a":"\q"}`, "invalid character 'q' in string escape code", String.raw`{"a":"\q"}`],
    [
      String.raw`{"a":"\u00g0"}`,
      String.raw`invalid character 'g' in \u hexadecimal character escape`,
      String.raw`{"a":"\u00g0"}`,
    ],
    ['\u{feff}{}', "invalid character 'ï' looking for beginning of value", 'efbbbf7b7d'],
  ];
  test.each(malformed)('%j is not JSON', (body, why, shown) => {
    expect(refused(body, json, configMap)).toEqual({
      code: 400,
      reason: 'BadRequest',
      message: unrecognized('ConfigMap', `couldn't get version/kind; json parse error: ${why} (${shown})`),
    });
  });

  const unfit: [string, BodySubject, string][] = readRows('malformed-bodies');
  test.each(unfit)('%s is not an object of the kind', (body, subject, why) => {
    const { message, code } = refused(body, json, subject);
    expect(code).toBe(400);
    expect(message).toBe(unrecognized(subject.kind, why));
  });

  test('missing fields of a built-in kind default to the URL', () => {
    expect(read('{}', json, configMap).value).toEqual({});
    expect(read('null', json, configMap).value).toBeNull();
    expect(read('', yaml, configMap).value).toBeNull();
  });

  test.each(['text/plain', merge, apply, 'application/json;;', 'application/vnd.kubernetes.protobuf'])(
    'the media type %s is not known',
    (contentType) => {
      expect(refused(object, contentType, configMap)).toEqual({
        code: 415,
        reason: 'UnsupportedMediaType',
        message:
          'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      });
    },
  );

  test.each(['', 'application/json; charset=utf-8', 'Application/JSON'])(
    'the media type %j is JSON',
    (type) => {
      expect(read(object, type, configMap).value).toEqual(JSON.parse(object));
    },
  );

  test('more than 3 MiB are too much', () => {
    expect(refused(new Uint8Array(bodyLimit + 1), json, configMap)).toEqual({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: limit is 3145728',
    });
  });

  test('deep nesting is refused before traversal, in JSON and in YAML', () => {
    const deep = (levels: number) => `{"x":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(refused(deep(100_000), json, configMap).message).toContain(
      "invalid character '[' exceeded max depth",
    );
    expect(refused(deep(100_000), yaml, configMap).code).toBe(400);
    expect(read(deep(400), json, configMap).duplicates).toEqual([]);
  });

  test('invalid UTF-8 becomes U+FFFD', () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    expect(read(bytes, json, configMap).value).toEqual({ a: '\u{fffd}\u{fffd}' });
  });

  test('__proto__ is an ordinary key', () => {
    const { value } = read('{"data":{"__proto__":"x"},"__proto__":{"polluted":1}}', json, configMap);
    expect(Object.keys(value as object)).toEqual(['data', '__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect((value as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test.each([json, yaml])('a number out of range is refused (%s)', (type) => {
    expect(refused(type === json ? '{"a":1e999}' : 'a: .inf', type, configMap).code).toBe(400);
  });

  test('a view into a larger buffer is read within its bounds', () => {
    const whole = Buffer.from(`xx${object}yy`);
    expect(
      read(new Uint8Array(whole.buffer, whole.byteOffset + 2, object.length), json, configMap).value,
    ).toEqual(JSON.parse(object));
  });
});

describe('repeated fields', () => {
  const repeated: [string, string[]][] = [
    ['{"a":1,"b":2}', []],
    ['{"a":1,"a":2,"a":3}', ['a']],
    [String.raw`{"data":{"a":"1","\u0061":"2"}}`, ['data.a']],
    ['{"x":[{"y":1,"y":2},{"y":1},{"z":{"q":1,"q":2}}]}', ['x[0].y', 'x[2].z.q']],
    ['{"m":{"l":{"a.b/c":"1","a.b/c":"2"},"l":{}},"m":1}', ['m.l.a.b/c', 'm.l', 'm']],
    ['{"a":"{\\"b\\":1,\\"b\\":2}"}', []],
  ];
  test.each(repeated)('of %s', (body, duplicates) => {
    expect(read(body, json, configMap).duplicates).toEqual(duplicates);
  });

  test('of YAML are reported with their line', () => {
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b, a: c}\n';
    expect(read(body, yaml, configMap)).toEqual({
      value: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'c' } },
      duplicates: ['line 4: key "a" already set in map'],
    });
  });
});

describe('YAML bodies', () => {
  const values: [string, unknown][] = [
    ['a: yes', { a: true }],
    ['a: 010', { a: 8 }],
    ['a: 2001-01-01', { a: '2001-01-01' }],
    ['1: b', { 1: 'b' }],
    ['a: &x b\nb: *x', { a: 'b', b: 'b' }],
    ['<<: {q: r}\na: "1"', { q: 'r', a: '1' }],
    ['a: 1\n---\nb: 2', { a: 1 }],
    ['# nothing', null],
  ];
  test.each(values)('%j reads as a server reads it', (body, value) => {
    expect(read(body, yaml, configMap).value).toEqual(value);
  });

  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
    .split('')
    .map((name, index) => `${name}: &${name} [${`*${'abcdefgh'.charAt(index)},`.repeat(9)}]`)
    .join('\n')}`;
  test.each(['a: [', 'a: *x', 'a:\n\tb: c', bomb])('%j is refused with 400', (body) => {
    const { code, message } = refused(body, yaml, configMap);
    expect(code).toBe(400);
    expect(message).toContain('the object provided is unrecognized (must be of type ConfigMap): yaml: ');
  });
});

describe('bodies of patches', () => {
  const patches: [string, string, number, string][] = [
    [merge, '', 400, 'error decoding patch: unexpected end of JSON input'],
    [
      merge,
      '[]',
      400,
      'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    [merge, 'null', 400, 'Invalid JSON Patch'],
    [
      jsonPatch,
      '{}',
      400,
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ],
    [
      jsonPatch,
      `[${'{"op":"remove","path":"/a"},'.repeat(10_000)}{"op":"remove","path":"/a"}]`,
      413,
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    ],
    [strategic, '[', 400, 'unexpected end of JSON input'],
    [
      apply,
      'abc',
      400,
      'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go value of type map[string]interface {}',
    ],
  ];
  test.each(patches)('%s', (contentType, body, code, message) => {
    expect(refused(body, contentType)).toMatchObject({ code, message });
  });

  test('an apply may be JSON, which is YAML', () => {
    expect(read('{"apiVersion":"v1","kind":"ConfigMap"}', apply).value).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
    });
  });
});

test('the scanner agrees with JSON.parse', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"',
    '1',
    '-0.5e+3 ',
    'true',
    'null',
    ' ',
    '\\',
    '"\\u00e9"',
    '01',
    '\n',
  ];
  let state = 7;
  const next = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
  let valid = 0;
  for (let round = 0; round < 20_000; round += 1) {
    const length = 1 + Math.floor(next() * 7);
    const text = Array.from({ length }, () => pieces[Math.floor(next() * pieces.length)] ?? '').join('');
    let parses = true;
    try {
      JSON.parse(text);
    } catch {
      parses = false;
    }
    if (parses) valid += 1;
    expect([text, scanJson(text, 500).error === undefined]).toEqual([text, parses]);
  }
  expect(valid).toBeGreaterThan(500);
});
