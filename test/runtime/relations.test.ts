import { expect, test } from 'vitest';
import { createRelations } from '../../runtime/observe/relations.ts';
import { targetKey } from '../../runtime/observe/target-key.ts';
import { controllerReference } from '../../semantics/owner.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

const target = (name: string): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Target',
  metadata: { namespace: 'shop', name, uid: `uid-${name}` },
});
const pod = (name: string, owner: KubeObject | undefined, version = '1'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    namespace: 'shop',
    name,
    resourceVersion: version,
    ...(owner === undefined ? {} : { ownerReferences: [controllerReference(owner)] }),
  },
});
const POD = { group: '', kind: 'Pod' };
const keyOf = (name: string) => targetKey({ group: 'example.com', kind: 'Target' }, 'shop', name);
const [web, api] = [target('web'), target('api')];

function filed() {
  const relations = createRelations();
  for (const each of [web, api]) relations.target(each, keyOf(each.metadata.name), false);
  return relations;
}

test('owned objects are found by kind, in the order of their names', () => {
  const relations = filed();
  for (const name of ['c', 'a', 'b']) relations.part(pod(name, web), false);
  relations.part({ ...pod('r', web), kind: 'ControllerRevision' }, false);
  expect(relations.partsOf(web, POD).map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
  expect(relations.partsOf(api, POD)).toEqual([]);
});

test('kinds of other groups, and names in other namespaces, are separate', () => {
  const relations = createRelations();
  const native = { ...pod('a', web), apiVersion: 'apps/v1', kind: 'Set' };
  const other = { ...native, apiVersion: 'example.com/v1' };
  const away = { ...other, metadata: { ...other.metadata, namespace: 'away' } };
  for (const each of [native, other, away]) relations.part(each, false);
  expect(relations.partsOf(web, { group: 'apps', kind: 'Set' })).toEqual([native]);
  expect(relations.partsOf(web, { group: 'example.com', kind: 'Set' })).toEqual([other]);
  relations.part(native, true);
  expect(relations.partsOf(web, { group: 'example.com', kind: 'Set' })).toEqual([other]);
});

test('a returned list is immutable', () => {
  const relations = filed();
  const [a, b] = [pod('a', web), pod('b', web)];
  for (const each of [b, a]) relations.part(each, false);
  const before = relations.partsOf(web, POD);
  const newer = pod('a', web, '2');
  relations.part(newer, false);
  relations.part(b, true);
  const after = relations.partsOf(web, POD);
  expect(before).toEqual([a, b]);
  expect(after).toEqual([newer]);
  // Nothing has changed since: it is not copied.
  expect(relations.partsOf(web, POD)).toBe(after);
});

test('a change has the old and the new owner, and the object before', () => {
  const relations = filed();
  const first = pod('a', web);
  expect(relations.part(first, false)).toEqual({ before: undefined, keys: [keyOf('web')] });
  const moved = relations.part(pod('a', api, '2'), false);
  expect(moved).toEqual({ before: first, keys: [keyOf('web'), keyOf('api')] });
  expect(relations.partsOf(web, POD)).toEqual([]);
  // Released: it has no owner any more.
  expect(relations.part(pod('a', undefined, '3'), false).keys).toEqual([keyOf('api')]);
});

test('deleted objects are removed', () => {
  const relations = filed();
  for (const name of ['a', 'b']) relations.part(pod(name, web), false);
  relations.part(pod('x', target('unknown')), false);
  expect(relations.owners).toBe(2);
  for (const name of ['a', 'b']) relations.part(pod(name, web), true);
  relations.part(pod('x', target('unknown')), true);
  expect(relations.owners).toBe(0);
  relations.target(web, keyOf('web'), true);
  expect([...relations.keys()]).toEqual([keyOf('api')]);
});
