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

function setup({ isListed = true, isWatched = true, stub = '' } = {}) {
  const enqueued: string[] = [];
  const cache = createInfluenceCache({
    watched: () => (isWatched ? [rackKind, rationKind] : [rackKind]),
    isListed: () => isListed,
    isStub: ({ metadata }) => metadata.name === stub,
    enqueue: (key) => enqueued.push(String(key)),
  });
  const namesOn = (key: typeof inShop): string[] =>
    cache.on(key, NOW).map(({ object }) => object.metadata.name);
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

test('a kind that is not managed acts on nothing', () => {
  const { cache, namesOn } = setup({ isWatched: false });
  cache.file(rationKind, ration('a', 'shop'), false);
  expect(namesOn(inShop)).toEqual([]);
});

const pod = (namespace: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'x', namespace },
  spec: { containers: [] },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
});

test.each<[string, Parameters<typeof setup>[0], KubeObject]>([
  ['cannot be listed', { isListed: false }, ration('a', 'shop')],
  ['is too large to be cached', { stub: 'a' }, ration('a', 'shop')],
  ['has no spec that its rules can read', {}, ration('a', 'shop', { spec: null })],
])('what %s protects every pod of its namespace', (_, given, object) => {
  const { cache } = setup(given);
  cache.file(rationKind, object, false);
  const [found] = cache.on(inShop, NOW);
  expect(found?.slots?.limit).toMatchObject({ name: 'a Ration that cannot be read', left: 0 });
  expect(['shop', 'other'].map((namespace) => found?.slots?.takesSlot(pod(namespace), 'Delete'))).toEqual([
    true,
    false,
  ]);
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
