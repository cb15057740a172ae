import { expect, test } from 'vitest';
import { createCaches } from '../../runtime/observe/caches.ts';
import { targetKey } from '../../runtime/observe/target-key.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { crds } from '../../schemas/generated/crds.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { controllerReference } from '../../semantics/owner.ts';
import { cloneSet } from './stage.ts';

const [registered] = kinds as readonly [Kind];
const at = (group: string): Resource => ({
  group,
  version: 'v1',
  plural: 'statefulsets',
  kind: 'StatefulSet',
  namespaced: true,
});
const [ours, native] = [at('test.example'), at('apps')];
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
const definition: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'statefulsets.test.example' },
  spec: {
    group: ours.group,
    scope: 'Namespaced',
    names: { kind: ours.kind, plural: ours.plural },
    versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema }],
  },
};
/** A kind with the name of a built-in one, and a kind whose targets own objects of the built-in one. */
const watched: readonly Kind[] = [
  { ...registered, id: ours, resource: ours, uses: [], needs: () => [] },
  {
    ...registered,
    uses: [{ of: 'Children', resource: native }],
    needs: () => [{ of: 'Children', resource: native }],
  },
];

test('resources of the same plural in two groups are separate', async () => {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, namespaces: ['shop'], crds: [...crds, definition] });
  await clock.settle();
  const user = world.cluster('user');
  const owner = await user.create(resources.CloneSet, cloneSet('web', 'web:1'));
  const metadata = { namespace: 'shop', name: 'web' };
  await user.create(ours, { apiVersion: 'test.example/v1', kind: 'StatefulSet', metadata });
  await user.create(native, {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { ...metadata, ownerReferences: [controllerReference(owner)] },
    spec: {
      serviceName: 'web',
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'web:1' }] },
      },
    },
  });
  const caches = createCaches(world.cluster('kruise'), clock, () => undefined, { kinds: watched });
  caches.start();
  await clock.advance(1_000);
  const target = caches.target(targetKey(registered.id, 'shop', 'web'));
  if (target === undefined) throw new Error('the owner is not seen');
  expect(caches.childrenOf(target, native)).toBeUndefined();
  await clock.advance(1_000);
  expect(caches.childrenOf(target, native)).toMatchObject([{ apiVersion: 'apps/v1' }]);
  expect(caches.target(targetKey(ours, 'shop', 'web'))).toMatchObject({ apiVersion: 'test.example/v1' });
  expect(caches.target(targetKey(native, 'shop', 'web'))).toBeUndefined();
  const held = caches.sizes().filter(({ resource }) => resource.startsWith('statefulsets'));
  expect(held.map(({ resource, objects }) => [resource, objects])).toEqual([
    ['statefulsets.test.example', 1],
    ['statefulsets.apps', 1],
  ]);
  caches.stop();
  world.stop();
});
