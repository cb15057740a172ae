import { describe, expect, test } from 'vitest';
import type { JsonPatchOperation } from '../../schemas/wire/cluster.ts';
import { jsonPatch } from '../patch/json.ts';
import { refusalOf } from './world.ts';

const document = { a: 1, list: [1] };
const patched = (operations: unknown) => jsonPatch(document, operations as JsonPatchOperation[]);

describe('a JSON patch', () => {
  test.each([
    [[{ op: 'test', path: '/a', value: 2 }]],
    [[{ op: 'remove', path: '/nothing' }]],
    [[{ op: 'nosuch', path: '/a' }]],
    [[{ op: 'add', value: 1 }]],
    [[{ op: 'add', path: 'a', value: 1 }]],
    [[{ op: 'remove', path: '' }]],
    [[{}]],
    [[null]],
  ])('that does not apply is refused in the same words: %j', (operations) => {
    expect(refusalOf(() => patched(operations))).toEqual({
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
      details: {},
    });
  });

  test.each([
    [{ a: 1 }, 'object into Go value of type []handlers.jsonPatchOp'],
    ['x', 'string into Go value of type []handlers.jsonPatchOp'],
    [true, 'bool into Go value of type []handlers.jsonPatchOp'],
    [[1], 'number into Go value of type handlers.jsonPatchOp'],
    [[{ op: 5 }], 'number into Go struct field jsonPatchOp.op of type string'],
    [[{ op: 'move', path: '/b', from: ['x'] }], 'array into Go struct field jsonPatchOp.from of type string'],
  ])('of another form is not decoded: %j', (body, into) => {
    expect(refusalOf(() => patched(body))).toEqual({
      code: 400,
      reason: 'BadRequest',
      message: `error decoding patch: json: cannot unmarshal ${into}`,
    });
  });

  test.each([[{ value: null }], [{}]])('treats an absent field as null: test %j', (value) => {
    expect(patched([{ op: 'test', path: '/nothing', ...value }])).toBe(document);
  });
});
