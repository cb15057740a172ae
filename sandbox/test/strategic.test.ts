import { describe, expect, test } from 'vitest';
import { strategicPatch } from '../patch/strategic.ts';
import { abc, order, podShape, written, type Short } from './strategic-notation.ts';

const xyz = { finalizers: 'x y z' };

const cases: [what: string, target: Short, patch: Short, result: Short][] = [
  [
    'an item is merged by its key and stays in its place',
    abc,
    { containers: 'b=2' },
    { containers: 'a=1 b=2 c=1' },
  ],
  ['a new item comes first', abc, { containers: 'd=1' }, { containers: 'd=1 a=1 b=1 c=1' }],
  [
    'patched items stand in the order of the patch',
    abc,
    { containers: 'c=2 a' },
    { containers: 'b=1 c=2 a=1' },
  ],
  [
    'new items stand where the patch has them',
    abc,
    { containers: 'c=2 d=1' },
    { containers: 'a=1 b=1 c=2 d=1' },
  ],
  ['an item is deleted', abc, { containers: 'b=delete' }, { containers: 'a=1 c=1' }],
  ['an item that is not there is not deleted', abc, { containers: 'z=delete' }, abc],
  ['one deleted, one new', abc, { containers: 'b=delete d=1' }, { containers: 'd=1 a=1 c=1' }],
  ['an item given twice is merged twice', abc, { containers: 'b=2 b=3' }, { containers: 'a=1 b=3 c=1' }],
  ['an empty list changes nothing', abc, { containers: '' }, abc],
  [
    'a list is replaced, wherever the directive stands',
    abc,
    { spec: { containers: [{ name: 'q', image: '1' }, { $patch: 'replace' }] } },
    { containers: 'q=1' },
  ],
  [
    'an item with the directive to replace is no item itself',
    abc,
    { spec: { containers: [{ name: 'a', $patch: 'replace' }, { name: 'r' }] } },
    { containers: 'r' },
  ],
  ['null takes a list away', abc, { spec: { containers: null } }, {}],
  ['another type takes the place', abc, { spec: { containers: 'a' } }, { spec: { containers: 'a' } }],
  ['an order alone orders', abc, { spec: order('c a') }, { containers: 'b=1 c=1 a=1' }],
  ['an order of all', abc, { spec: order('c b a') }, { containers: 'c=1 b=1 a=1' }],
  [
    'what an order names and nobody has is left out',
    abc,
    { spec: order('c q a') },
    { containers: 'b=1 c=1 a=1' },
  ],
  [
    'an order together with changes',
    abc,
    { containers: 'a=2', spec: order('c a') },
    { containers: 'b=1 c=1 a=2' },
  ],
  [
    'a new item after one that was there',
    abc,
    { containers: 'd=1', spec: order('c d') },
    { containers: 'a=1 b=1 c=1 d=1' },
  ],
  [
    'a new item between two',
    abc,
    { containers: 'd=1', spec: order('c d b') },
    { containers: 'a=1 c=1 d=1 b=1' },
  ],
  [
    'a new item alone in its order',
    abc,
    { containers: 'd=1', spec: order('d') },
    { containers: 'd=1 a=1 b=1 c=1' },
  ],
  [
    'a new item takes the room of a deleted one',
    abc,
    { containers: 'c=delete d=1', spec: order('d') },
    { containers: 'a=1 b=1 d=1' },
  ],
  [
    'a deleted item may stand in the order',
    abc,
    { containers: 'b=delete', spec: order('c b a') },
    { containers: 'c=1 a=1' },
  ],
  ['an order with an empty list', abc, { containers: '', spec: order('c a') }, { containers: 'b=1 c=1 a=1' }],
  [
    'a list with an empty order',
    abc,
    { containers: 'z=1', spec: order('') },
    { containers: 'a=1 b=1 c=1 z=1' },
  ],
  ['an order where there is no list', {}, { spec: order('a') }, {}],
  [
    'a list with an order where there is none',
    {},
    { containers: 'c=1 b=delete a=1', spec: order('c a') },
    { containers: 'c=1 a=1' },
  ],
  ['finalizers are a set', xyz, { finalizers: 'z w' }, { finalizers: 'x y z w' }],
  ['a set forgets what is double', { finalizers: 'x x y' }, { finalizers: 'w' }, { finalizers: 'w x y' }],
  [
    'values are deleted from a set',
    xyz,
    { metadata: { '$deleteFromPrimitiveList/finalizers': ['y', 'q'] } },
    { finalizers: 'x z' },
  ],
  [
    'values come, go and are ordered at once',
    xyz,
    {
      finalizers: 'w',
      metadata: {
        '$deleteFromPrimitiveList/finalizers': ['y'],
        '$setElementOrder/finalizers': ['w', 'z'],
      },
    },
    { finalizers: 'w x z' },
  ],
  [
    'values to delete that are no list are none',
    xyz,
    { metadata: { '$deleteFromPrimitiveList/finalizers': 'y' } },
    xyz,
  ],
  [
    'null for the values to delete is null',
    xyz,
    { metadata: { '$deleteFromPrimitiveList/finalizers': null } },
    {},
  ],
  [
    'a map is merged, null takes a key away',
    { metadata: { labels: { a: '1', b: '1' } } },
    { metadata: { labels: { b: null, c: '1', d: null } } },
    { metadata: { labels: { a: '1', c: '1' } } },
  ],
  [
    'a map is replaced, nulls and all',
    { metadata: { labels: { a: '1' } } },
    { metadata: { labels: { $patch: 'replace', b: '1', c: null } } },
    { metadata: { labels: { b: '1', c: null } } },
  ],
  [
    'a map is emptied',
    { metadata: { labels: { a: '1' } } },
    { metadata: { labels: { $patch: 'delete', b: '1' } } },
    { metadata: { labels: {} } },
  ],
  [
    'a new map has no nulls and nothing with a directive',
    {},
    {
      spec: {
        affinity: { a: null, b: { $patch: 'replace', c: 1 }, d: [{ $patch: 'x' }, { e: null }, null] },
      },
    },
    { spec: { affinity: { d: [{}, null] } } },
  ],
  ['a new map with a directive does not come', {}, { spec: { affinity: { $patch: 'replace', a: 1 } } }, {}],
  [
    'a new list has no nulls and no items with a directive',
    {},
    {
      spec: {
        containers: [{ name: 'a', image: null, env: [{ name: 'x', $patch: 'delete' }] }, { $patch: 'x' }],
      },
    },
    { spec: { containers: [{ name: 'a', env: [] }] } },
  ],
  [
    'an item that is new to a list is taken as it is',
    { containers: 'a' },
    { spec: { containers: [{ name: 'b', image: null, env: { $patch: 'delete' } }] } },
    { spec: { containers: [{ name: 'b', image: null, env: { $patch: 'delete' } }, { name: 'a' }] } },
  ],
  [
    'tolerations are replaced as a whole',
    { spec: { tolerations: [{ key: 'a' }] } },
    { spec: { tolerations: [{ key: 'b' }] } },
    { spec: { tolerations: [{ key: 'b' }] } },
  ],
  [
    'ports of a container go by containerPort',
    { spec: { containers: [{ name: 'a', ports: [{ containerPort: 1, name: 'x' }] }] } },
    { spec: { containers: [{ name: 'a', ports: [{ containerPort: 1, protocol: 'UDP' }] }] } },
    { spec: { containers: [{ name: 'a', ports: [{ containerPort: 1, name: 'x', protocol: 'UDP' }] }] } },
  ],
  [
    'an unnamed source of a volume goes with $retainKeys',
    { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
    { spec: { volumes: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x' } }] } },
    { spec: { volumes: [{ name: 'v', hostPath: { path: '/x' } }] } },
  ],
  [
    'a volume keeps its sources without $retainKeys',
    { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
    { spec: { volumes: [{ name: 'v', hostPath: { path: '/x' } }] } },
    { spec: { volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/x' } }] } },
  ],
  [
    'host aliases go by address, their names are replaced',
    { spec: { hostAliases: [{ ip: '1', hostnames: ['a', 'b'] }] } },
    { spec: { hostAliases: [{ ip: '1', hostnames: ['c'] }] } },
    { spec: { hostAliases: [{ ip: '1', hostnames: ['c'] }] } },
  ],
  [
    'owners go by uid',
    { metadata: { ownerReferences: [{ uid: '1', name: 'a' }] } },
    {
      metadata: {
        ownerReferences: [
          { uid: '1', $patch: 'delete' },
          { uid: '2', name: 'b' },
        ],
      },
    },
    { metadata: { ownerReferences: [{ uid: '2', name: 'b' }] } },
  ],
];

describe('strategic merge patch of a Pod', () => {
  test.each(cases)('%s', (_what, target, patch, result) => {
    expect(strategicPatch(podShape, written(target), written(patch))).toEqual(written(result));
  });

  test('a patch that is null changes nothing', () => {
    const target = written(abc);
    expect(strategicPatch(podShape, target, null)).toEqual(target);
  });

  test('neither object nor patch is written to', () => {
    const freeze = <T>(value: T): T => {
      if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
      return value;
    };
    const patch = freeze(written({ containers: 'd=1 b=2 c=delete', spec: order('d b') }));
    expect(strategicPatch(podShape, freeze(written(abc)), patch)).toEqual(
      written({ containers: 'a=1 d=1 b=2' }),
    );
  });
});
