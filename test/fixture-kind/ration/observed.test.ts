import { expect, test, vi } from 'vitest';
import { createInfluenceCache } from '../../../runtime/observe/influences.ts';
import { targetKey } from '../../../runtime/observe/target-key.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { rackKind } from '../kind.ts';
import { rationKind } from './kind.ts';

vi.mock('../../../semantics/registry/registered.ts', () => import('./registered.ts'));

const NOW = Date.UTC(2026, 0, 1);
const inShop = targetKey(rackKind.id, 'shop', 'db');
const everywhere = targetKey({ group: 'test.plan.kruise.io', kind: 'Aisle' }, '', 'db');

function ration(name: string, namespace: string, more: object = {}): KubeObject {
  return {
    apiVersion: 'test.plan.kruise.io/v1',
    kind: 'Ration',
    metadata: { name, namespace, uid: `uid-${name}` },
    spec: { app: 'web', total: 1, maxUnavailable: 1 },
    status: { allowed: 1 },
    ...more,
  };
}

function setup({
  isListed = true,
  isServed = true,
  isWatched = true,
  stub = '',
  isStub = ({ metadata }: KubeObject): boolean => metadata.name === stub,
} = {}) {
  const enqueued: string[] = [];
  const cache = createInfluenceCache({
    watched: () => (isWatched ? [rackKind, rationKind] : [rackKind]),
    isListed: () => isListed,
    guardOf: () => 'none',
    isServed: () => isServed,
    isStub,
    enqueue: (key, delayMs = 0, isUrgent = false) =>
      enqueued.push(`${String(key)}${isUrgent ? ` within ${delayMs} ms` : ''}`),
  });
  const namesOn = (key: typeof inShop): string[] =>
    cache
      .on(key, NOW)()
      .map(({ object }) => object.metadata.name);
  return { cache, enqueued, namesOn };
}

test('the objects of a namespace act on the targets in it, and all on those in none', () => {
  const { cache, namesOn } = setup();
  cache.file(rationKind, ration('a', 'shop'), false);
  cache.file(rationKind, ration('b', 'other'), false);
  cache.file(rackKind, ration('c', 'shop', { kind: 'Rack' }), false);
  const metadata = { name: 'd', namespace: 'shop', deletionTimestamp: '2026-01-01T00:00:00Z' };
  cache.file(rationKind, ration('d', 'shop', { metadata }), false);
  expect([namesOn(inShop), namesOn(everywhere)]).toEqual([['a'], ['a', 'b']]);
  cache.file(rationKind, ration('a', 'shop'), true);
  expect(namesOn(inShop)).toEqual([]);
});

test('of two objects the older one is first, and of two of one time the first by name, in whatever order they are seen', () => {
  const { cache, namesOn } = setup();
  const born = (name: string, creationTimestamp: string): KubeObject =>
    ration(name, 'shop', { metadata: { name, namespace: 'shop', uid: `uid-${name}`, creationTimestamp } });
  cache.file(rationKind, born('a', '2026-01-03T00:00:00Z'), false);
  cache.file(rationKind, born('c', '2026-01-02T00:00:00Z'), false);
  cache.file(rationKind, born('b', '2026-01-02T00:00:00Z'), false);
  expect(namesOn(inShop)).toEqual(['b', 'c', 'a']);
  // It is deleted, and made anew.
  cache.file(rationKind, born('b', '2026-01-04T00:00:00Z'), false);
  expect(namesOn(inShop)).toEqual(['c', 'a', 'b']);
  cache.file(rationKind, born('c', '2026-01-02T00:00:00Z'), true);
  expect(namesOn(inShop)).toEqual(['a', 'b']);
});

test('a kind that is not managed acts on nothing', () => {
  const { cache, namesOn } = setup({ isWatched: false });
  cache.file(rationKind, ration('a', 'shop'), false);
  expect(namesOn(inShop)).toEqual([]);
});

const pod = (namespace: string, app = 'web', isReady = true): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'x', namespace, labels: { app } },
  spec: { containers: [] },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
});
const others = [pod('other'), pod('shop', 'db'), pod('shop', 'web', false)];

test('what cannot be listed protects every pod of its namespace', () => {
  const { cache } = setup({ isListed: false });
  const [found] = cache.on(inShop, NOW)();
  expect([pod('shop'), ...others].map((each) => found?.limitOf(each, 'Delete')?.name)).toEqual([
    'a Ration that cannot be read',
    undefined,
    'a Ration that cannot be read',
    undefined,
  ]);
});

test('what the server does not serve protects nothing', () => {
  const { cache, namesOn } = setup({ isListed: false, isServed: false });
  cache.file(rationKind, ration('a', 'shop'), false);
  expect(namesOn(inShop)).toEqual([]);
});

test.each<[string, string, Parameters<typeof setup>[0], object]>([
  [
    'is invalid',
    'spec.first must be at most spec.total',
    {},
    { spec: { app: 'web', total: 1, maxUnavailable: 1, first: 2 } },
  ],
  [
    'is beyond the bounds of a spec',
    'spec.note must have at most 262144 characters, and has 300000',
    {},
    { spec: { app: 'web', total: 1, maxUnavailable: 1, note: 'x'.repeat(300_000) } },
  ],
  ['is too large to be cached', 'it is too large', { stub: 'a' }, {}],
])('what %s protects its own pods, and stops no other', (_, why, given, more) => {
  const { cache } = setup(given);
  cache.file(rationKind, ration('a', 'shop', more), false);
  const [found] = cache.on(inShop, NOW)();
  expect(found?.limitOf(pod('shop'), 'Delete')).toMatchObject({
    name: `Ration shop/a (not judged: ${why})`,
    left: 0,
  });
  expect(others.map((each) => found?.limitOf(each, 'Delete'))).toEqual([undefined, undefined, undefined]);
});

test('what is too large to say which pods it is about protects every pod of its namespace, and stops no other', () => {
  const { cache } = setup({ stub: 'a' });
  cache.file(rationKind, ration('a', 'shop', { spec: undefined }), false);
  const [found] = cache.on(everywhere, NOW)();
  const name = 'Ration shop/a (not judged: it is too large to read which pods it is about)';
  expect([pod('shop'), ...others].map((each) => found?.limitOf(each, 'Delete')?.name)).toEqual([
    name,
    undefined,
    name,
    undefined,
  ]);
});

test('what does not tell its pods stops none', () => {
  const { cache } = setup();
  cache.file(rationKind, ration('a', 'shop', { spec: null }), false);
  const [found] = cache.on(inShop, NOW)();
  expect([pod('shop'), ...others].map((each) => found?.limitOf(each, 'Delete'))).toEqual(
    [1, 2, 3, 4].map(() => undefined),
  );
});

test('a target is reconciled again when one of the objects changes that it waits for', () => {
  const { cache, enqueued } = setup();
  const [a, b] = [ration('a', 'shop'), ration('b', 'shop')];
  cache.await(inShop, [a]);
  cache.file(rationKind, b, false);
  expect(enqueued).toEqual([]);
  cache.file(rationKind, a, false);
  expect(enqueued).toEqual(['Rack/shop/db']);
  cache.await(inShop, []);
  cache.file(rationKind, a, true);
  expect(enqueued).toHaveLength(1);
});

test('an object that pods wait for is reconciled soon: once, and whenever a pod of it changes', () => {
  const { cache, enqueued } = setup();
  const [a, b] = [ration('a', 'shop'), ration('b', 'shop')];
  for (const each of [a, b]) cache.file(rationKind, each, false);
  const keys = ['a', 'b'].map((name) => targetKey(rationKind.id, 'shop', name));
  const podChanges = (): string[] => {
    enqueued.length = 0;
    for (const key of keys) cache.enqueue(key);
    return [...enqueued];
  };
  expect(podChanges()).toEqual(['Ration/shop/a', 'Ration/shop/b']);
  enqueued.length = 0;
  cache.await(inShop, [a]);
  cache.await(inShop, [a]);
  expect(enqueued).toEqual(['Ration/shop/a within 300 ms']);
  expect(podChanges()).toEqual(['Ration/shop/a', 'Ration/shop/a within 300 ms', 'Ration/shop/b']);
  cache.await(inShop, []);
  expect(podChanges()).toEqual(['Ration/shop/a', 'Ration/shop/b']);
});

test('what a limit goes by is awaited too, and no target', () => {
  const { cache, enqueued } = setup();
  const metadata = { name: 'a-evictions', namespace: 'shop', uid: 'uid-guard' };
  cache.await(inShop, [{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata }]);
  expect(enqueued).toEqual([]);
  cache.changed('uid-guard');
  expect(enqueued).toEqual(['Rack/shop/db']);
});

test('where another version of what a slot is taken in is there, the target is enqueued as soon as that is observed', () => {
  const { cache, enqueued } = setup();
  const a = ration('a', 'shop');
  cache.file(rationKind, a, false);
  cache.await(inShop, [], ['uid-a']);
  expect(enqueued).toEqual([]);
  cache.file(rationKind, a, false);
  expect(enqueued).toEqual(['Rack/shop/db']);
});

test('one that was too large to be cached is judged anew once it is cached whole', () => {
  const stubs = new Set<KubeObject>();
  const { cache } = setup({ isStub: (object) => stubs.has(object) });
  const stub = ration('a', 'shop', { spec: undefined });
  stubs.add(stub);
  cache.file(rationKind, stub, false);
  cache.file(rationKind, ration('a', 'shop'), false);
  const [found] = cache.on(inShop, NOW)();
  expect(found?.limitOf(pod('shop'), 'Delete')?.name).not.toContain('not judged');
});

test('of one namespace at most 20 objects are reconciled soon: a pod under more of them costs no more', () => {
  const { cache, enqueued } = setup();
  const many = Array.from({ length: 30 }, (_, index) => ration(`r${index}`, 'shop'));
  const other = ration('z', 'other');
  for (const each of [...many, other]) cache.file(rationKind, each, false);
  const soon = (): string[] => {
    enqueued.length = 0;
    for (const { metadata } of [...many, other])
      cache.enqueue(targetKey(rationKind.id, metadata.namespace ?? '', metadata.name));
    return enqueued.filter((each) => each.endsWith('within 300 ms'));
  };
  const inOther = targetKey(rackKind.id, 'other', 'db');
  const second = targetKey(rackKind.id, 'shop', 'second');
  cache.await(inShop, many);
  cache.await(inOther, [other]);
  cache.await(second, [ration('r0', 'shop'), ration('r29', 'shop')]);
  expect(soon()).toHaveLength(21);
  expect(soon()).toContain('Ration/other/z within 300 ms');
  // Others may come soon once those are no longer waited for.
  cache.await(inShop, []);
  cache.await(second, [ration('r0', 'shop'), ration('r29', 'shop')]);
  expect(soon()).toEqual(
    ['r0', 'r29'].map((name) => `Ration/shop/${name} within 300 ms`).concat('Ration/other/z within 300 ms'),
  );
});
