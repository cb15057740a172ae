import { describe, expect, test } from 'vitest';
import { ApiError, type JsonPatchOperation } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { jsonPatch } from '../../sandbox/patch/json.ts';
import { mergePatch } from '../../sandbox/patch/merge.ts';
import { strategicPatch } from '../../sandbox/patch/strategic.ts';
import { pod, refusal, stage, widget, widgets } from './world.ts';

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
  const cases: [string, unknown, JsonPatchOperation[], unknown][] = [
    ['adds a field', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    ['inserts into a list', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    ['appends to a list', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    [
      'removes',
      { a: [1, 2], b: 1 },
      [
        { op: 'remove', path: '/a/0' },
        { op: 'remove', path: '/b' },
      ],
      { a: [2] },
    ],
    ['replaces', { a: { b: 1 } }, [{ op: 'replace', path: '/a/b', value: 2 }], { a: { b: 2 } }],
    ['moves', { a: 1 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
    ['copies', { a: [1] }, [{ op: 'copy', from: '/a', path: '/b' }], { a: [1], b: [1] }],
    [
      'reads escapes',
      { 'a/b': { 'c~d': 1 } },
      [{ op: 'replace', path: '/a~1b/c~0d', value: 2 }],
      { 'a/b': { 'c~d': 2 } },
    ],
    [
      'passes a test that holds',
      { a: { b: [1] } },
      [{ op: 'test', path: '/a', value: { b: [1] } }],
      { a: { b: [1] } },
    ],
  ];
  test.each(cases)('%s', (_what, document, operations, result) => {
    expect(jsonPatch(document, operations)).toEqual(result);
  });

  const refused: [string, JsonPatchOperation, number][] = [
    ['a test that fails', { op: 'test', path: '/a', value: 2 }, 422],
    ['a test of nothing', { op: 'test', path: '/b', value: null }, 422],
    ['removing nothing', { op: 'remove', path: '/b' }, 422],
    ['replacing nothing', { op: 'replace', path: '/b', value: 1 }, 422],
    ['an index beyond the end', { op: 'add', path: '/list/2', value: 1 }, 422],
    ['an inherited name', { op: 'replace', path: '/__proto__/x', value: 1 }, 422],
    ['adding to an inherited object', { op: 'add', path: '/__proto__/x', value: 1 }, 422],
    ['a pointer that is none', { op: 'add', path: 'a', value: 1 }, 400],
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

describe('strategic merge patch', () => {
  const containers = (...images: string[]) => images.map((image, index) => ({ name: `c${index}`, image }));
  const cases: [string, unknown, unknown, unknown][] = [
    [
      'merges containers by name',
      { containers: containers('a', 'b') },
      { containers: [{ name: 'c1', image: 'x' }] },
      { containers: containers('a', 'x') },
    ],
    [
      'adds a container',
      { containers: containers('a') },
      { containers: [{ name: 'c1', image: 'b' }] },
      { containers: containers('a', 'b') },
    ],
    [
      'deletes a container',
      { containers: containers('a', 'b') },
      { containers: [{ name: 'c0', $patch: 'delete' }] },
      { containers: [{ name: 'c1', image: 'b' }] },
    ],
    [
      'replaces a list',
      { containers: containers('a', 'b') },
      { containers: [{ name: 'z', image: 'z' }, { $patch: 'replace' }] },
      { containers: [{ name: 'z', image: 'z' }] },
    ],
    ['replaces a map', { m: { a: 1 } }, { m: { $patch: 'replace', b: 2 } }, { m: { b: 2 } }],
    ['null deletes', { a: { b: 1, c: 2 } }, { a: { b: null } }, { a: { c: 2 } }],
    [
      'conditions by type',
      {
        conditions: [
          { type: 'A', status: 'False' },
          { type: 'B', status: 'True' },
        ],
      },
      { conditions: [{ type: 'A', status: 'True' }] },
      {
        conditions: [
          { type: 'A', status: 'True' },
          { type: 'B', status: 'True' },
        ],
      },
    ],
    [
      'tolerations are atomic',
      { tolerations: [{ key: 'a' }] },
      { tolerations: [{ key: 'b' }] },
      { tolerations: [{ key: 'b' }] },
    ],
    [
      'ports by containerPort',
      { ports: [{ containerPort: 80, name: 'a' }] },
      { ports: [{ containerPort: 80, name: 'b' }] },
      { ports: [{ containerPort: 80, name: 'b' }] },
    ],
    [
      'owners by uid',
      { ownerReferences: [{ uid: '1', name: 'a' }] },
      { ownerReferences: [{ uid: '2', name: 'b' }] },
      {
        ownerReferences: [
          { uid: '1', name: 'a' },
          { uid: '2', name: 'b' },
        ],
      },
    ],
    [
      'an owner is removed',
      { ownerReferences: [{ uid: '1', name: 'a' }] },
      { ownerReferences: [{ $patch: 'delete', uid: '1' }] },
      { ownerReferences: [] },
    ],
    [
      'finalizers are a set',
      { finalizers: ['a', 'b'] },
      { finalizers: ['b', 'c'] },
      { finalizers: ['a', 'b', 'c'] },
    ],
    [
      'a finalizer is removed',
      { finalizers: ['a', 'b'] },
      { '$deleteFromPrimitiveList/finalizers': ['a'] },
      { finalizers: ['b'] },
    ],
    [
      'an order is set',
      { containers: containers('a', 'b') },
      { '$setElementOrder/containers': [{ name: 'c1' }, { name: 'c0' }] },
      {
        containers: [
          { name: 'c1', image: 'b' },
          { name: 'c0', image: 'a' },
        ],
      },
    ],
    ['keys are retained', { a: 1, b: 2 }, { $retainKeys: ['a'], a: 3 }, { a: 3 }],
    ['args are atomic', { args: ['a', 'b'] }, { args: ['c'] }, { args: ['c'] }],
    [
      'directives do not stay',
      {},
      { containers: [{ name: 'a', env: [{ name: 'x', $patch: 'delete' }, { name: 'y' }] }] },
      { containers: [{ name: 'a', env: [{ name: 'y' }] }] },
    ],
  ];
  test.each(cases)('%s', (_what, target, patch, result) => {
    expect(strategicPatch('Pod', target, patch)).toEqual(result);
  });

  test('is for built-in kinds only', async () => {
    const { alice } = stage({ nodes: 0 });
    await alice.create(widgets, widget('a'));
    const key = { namespace: 'default', name: 'a' };
    expect((await refusal(alice.patch(widgets, key, { type: 'strategic', body: {} }))).code).toBe(415);
    await alice.create(resources.Pod, pod('a'));
    expect(await alice.patch(resources.Pod, key, { type: 'strategic', body: {} })).toBeDefined();
  });

  test('an item without its merge key is refused', () => {
    expect(() => strategicPatch('Pod', {}, { containers: [{ image: 'x' }] })).toThrow(
      'does not contain declared merge key: name',
    );
  });
});
