import { describe, expect, test } from 'vitest';
import { ApiError, type JsonPatchOperation } from '../../schemas/wire/cluster.ts';
import { jsonPatch } from '../patch/json.ts';
import { readRows } from './rows.ts';
import { mergePatch } from '../patch/merge.ts';

describe('merge patch (RFC 7386, appendix A)', () => {
  const cases: [string, string, string][] = [
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ];
  test.each(cases)('%s with %s is %s', (target, patch, result) => {
    const frozen = Object.freeze(JSON.parse(target) as unknown);
    expect(JSON.stringify(mergePatch(frozen, JSON.parse(patch)))).toBe(result);
  });
});

describe('JSON patch (RFC 6902)', () => {
  const cases: [string, unknown, JsonPatchOperation[], unknown][] = readRows('json-patches');
  test('copies no more than 3 MiB in all, however little is asked for', () => {
    const doubling = Array.from({ length: 40 }, (_, index): JsonPatchOperation => {
      return { op: 'copy', from: '/a', path: `/a/${index}` };
    });
    expect(() => jsonPatch({ a: { b: 1 } }, doubling)).toThrow('the server rejected our request');
    expect(jsonPatch({ a: { b: 1 } }, doubling.slice(0, 2))).toEqual({
      a: { b: 1, 0: { b: 1 }, 1: { b: 1, 0: { b: 1 } } },
    });
  });

  test.each(cases)('%s', (_what, document, operations, result) => {
    expect(jsonPatch(document, operations)).toEqual(result);
  });

  const refused: [string, JsonPatchOperation, number][] = [
    ['a test that fails', { op: 'test', path: '/a', value: 2 }, 422],
    ['a test of nothing', { op: 'test', path: '/b', value: 0 }, 422],
    ['removing nothing', { op: 'remove', path: '/b' }, 422],
    ['replacing below nothing', { op: 'replace', path: '/b/c', value: 1 }, 422],
    ['replacing an item beyond the end', { op: 'replace', path: '/list/1', value: 1 }, 422],
    ['copying from below nothing', { op: 'copy', from: '/b/c', path: '/d' }, 422],
    ['an index beyond the end', { op: 'add', path: '/list/2', value: 1 }, 422],
    ['an inherited name', { op: 'replace', path: '/__proto__/x', value: 1 }, 422],
    ['adding to an inherited object', { op: 'add', path: '/__proto__/x', value: 1 }, 422],
    ['a pointer that is none', { op: 'add', path: 'a', value: 1 }, 422],
    ['a pointer that is no text', { op: 'add', path: null as unknown as string, value: 1 }, 422],
  ];
  test.each(refused)('refuses %s', (_what, operation, code) => {
    const document = { a: 1, list: [1] };
    let status: unknown;
    try {
      jsonPatch(document, [{ op: 'add', path: '/c', value: 1 }, operation]);
    } catch (error) {
      status = error instanceof ApiError ? error.status.code : error;
    }
    expect(status).toBe(code);
    expect(document).toEqual({ a: 1, list: [1] });
  });
});
