import { describe, expect, test } from 'vitest';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { consumedPatch, strategicPatch } from '../patch/strategic.ts';
import { items, order, podShape, written } from './strategic-notation.ts';

describe('a malformed strategic merge patch', () => {
  const target = written({ containers: 'a=1 b=1', finalizers: 'x y' });
  const rows: [patch: unknown, code: number, message: string][] = [
    [[1], 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['a', 400, 'json: cannot unmarshal string into Go value of type map[string]interface {}'],
    [{ $retainKeys: 'metadata' }, 400, 'invalid patch format of retainKeys'],
    [{ $retainKeys: ['spec'], metadata: {} }, 400, 'invalid patch format of retainKeys'],
    [{ $patch: 'frob' }, 500, 'unknown patch type: frob in map: map[$patch:frob]'],
    [{ spec: { $patch: 'merge' } }, 500, 'unknown patch type: merge in map: map[$patch:merge]'],
    [
      { spec: { containers: [{ $patch: 'delete' }] } },
      500,
      'map: map[$patch:delete] does not contain declared merge key: name',
    ],
    [
      { spec: { containers: [{ image: 'b' }] } },
      500,
      'map: map[image:b] does not contain declared merge key: name',
    ],
    [
      { spec: { containers: [{ $patch: 'merge', name: 'b' }] } },
      500,
      'merging lists cannot yet be specified in the patch',
    ],
    [
      { spec: { containers: [{ $patch: 'frob', name: 'b' }] } },
      500,
      'unknown patch type: frob in map: map[$patch:frob name:b]',
    ],
    [
      { spec: { containers: ['b'] } },
      500,
      'list element types are not identical: [[map[image:1 name:a] map[image:1 name:b]] [b]]',
    ],
    [{ metadata: { finalizers: [['x']] } }, 500, 'list element types are not identical: [[x y] [[x]]]'],
    [
      { spec: { ...order('a b'), containers: items('b a') } },
      500,
      "The order in patch list:\n[map[name:b] map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:a] map[name:b]]\n",
    ],
    [
      { spec: { '$setElementOrder/containers': 'a' } },
      500,
      'expected a []interface {}, but received a string',
    ],
    [
      { spec: { '$setElementOrder/containers': [{ image: 'a' }] } },
      500,
      'map: map[image:a] does not contain declared merge key: name',
    ],
    [
      { spec: { '$setElementOrder/frob': ['a'] } },
      500,
      'unable to find api field in struct PodSpec for the json field "frob"',
    ],
    [
      { spec: { '$setElementOrder/initContainers': [], initContainers: [] } },
      500,
      'no elements in any of the given slices',
    ],
  ];
  test.each(rows)('%j', (patch, code, message) => {
    let status: unknown;
    try {
      status = strategicPatch(podShape, target, patch);
    } catch (error) {
      status = error instanceof ApiError ? error.status : error;
    }
    expect(status).toMatchObject({ code, message, reason: code === 400 ? 'BadRequest' : '' });
  });
});

test('what a server shows of a patch that it has used up', () => {
  const patch = {
    metadata: { labels: { a: '1' } },
    spec: {
      ...order('b a'),
      containers: items('a=2'),
      bogus: 1,
      strategy: { $retainKeys: ['type'], type: 'x' },
    },
  };
  expect(consumedPatch(patch)).toEqual({
    metadata: { labels: { a: '1' } },
    spec: { bogus: 1, strategy: { type: 'x' } },
  });
});
