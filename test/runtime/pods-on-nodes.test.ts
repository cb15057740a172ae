import { afterEach, describe, expect, test } from 'vitest';
import { createCaches, type Caches } from '../../runtime/observe/caches.ts';
import { objectsOf } from '../../runtime/observe/objects.ts';
import { inNamespace } from '../../runtime/observe/one-namespace.ts';
import { targetKey } from '../../runtime/observe/target-key.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import type { Need } from '../../semantics/kinds/need.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import type { PodOnNode } from '../../semantics/node/pod-on-node.ts';
import { cloneSet } from './stage.ts';

const [registered] = kinds as readonly [Kind];
const NEED: Need = { of: 'PodsOnNodes' };

let end = (): void => {};
afterEach(() => end());

/** CloneSet `web` in namespace shop, as if its kind had these needs, and pods of nobody in two namespaces. */
async function worldOf(needs: Need[], { only, mayList = true }: { only?: string; mayList?: boolean } = {}) {
  const kind: Kind = { ...registered, needs: () => needs };
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, namespaces: ['shop', 'other'] });
  const user = world.cluster('user');
  let lists = 0;
  const real = world.cluster('kruise');
  const own: Cluster = {
    ...real,
    async list(resource, options) {
      if (resource === resources.Pod && options?.continue === undefined) lists += 1;
      if (resource !== resources.Pod || mayList || options?.namespace) return real.list(resource, options);
      const message = 'pods is forbidden: User "kruise" cannot list resource "pods" at the cluster scope';
      throw new ApiError({ code: 403, reason: 'Forbidden', message });
    },
  };
  const cluster = only === undefined ? own : inNamespace(own, clock, only);
  const enqueued: number[] = [];
  const enqueue = (): void => void enqueued.push(clock.now());
  const caches: Caches = createCaches(cluster, clock, enqueue, { kinds: [kind], namespace: only });
  end = () => {
    caches.stop();
    world.stop();
  };
  const key = targetKey(kind.id, 'shop', 'web');
  await user.create(resources.CloneSet, cloneSet('web', 'web:1'));
  const create = async (namespace: string, name: string, labels = {}): Promise<KubeObject> =>
    user.create(resources.Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace, name, labels },
      spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'web:1' }] },
    });
  await create('shop', 'a');
  await create('other', 'b');
  await clock.advance(30_000);
  caches.start();
  await clock.advance(1_000);
  return {
    clock,
    user,
    caches,
    create,
    enqueued,
    lists: () => lists,
    stopKubelet: () => world.nodes.stopKubelet('node-1'),
    found() {
      const target = caches.target(key);
      if (target === undefined) throw new Error('the target is not in the cache');
      return objectsOf(caches, { key, kind, target }, []);
    },
    seen(): string[] | undefined {
      const found = this.found();
      if (found === undefined || 'forbidden' in found) return undefined;
      return found.objects.podsOnNodes
        ?.map(({ namespace, name, available }) => `${namespace}/${name}${available ? '' : '!'}`)
        .sort();
    },
    status: (name: string, status: JsonObject) =>
      user.patch(
        resources.Pod,
        { namespace: 'other', name },
        { type: 'merge', body: { status } },
        { subresource: 'status' },
      ),
  };
}

describe('the need for pods on nodes', () => {
  test('is met with pods of all namespaces and owners, by the watch of pods that there is', async () => {
    const world = await worldOf([NEED]);
    expect(world.seen()).toEqual(['other/b', 'shop/a']);
    await world.create('other', 'c');
    await world.clock.advance(30_000);
    expect(world.seen()).toEqual(['other/b', 'other/c', 'shop/a']);
    world.stopKubelet();
    await world.status('c', { conditions: [{ type: 'Ready', status: 'False' }] });
    await world.clock.advance(100);
    expect(world.seen()).toEqual(['other/b', 'other/c!', 'shop/a']);
    await world.user.delete(resources.Pod, { namespace: 'other', name: 'b' }, { gracePeriodSeconds: 0 });
    await world.clock.advance(100);
    expect(world.seen()).toEqual(['other/c!', 'shop/a']);
    // Pods that nobody owns are observed, and not cached.
    expect(world.caches.sizes().find(({ resource }) => resource === 'pods')?.objects).toBe(0);
    expect(world.caches.sizes()).toContainEqual(
      expect.objectContaining({ resource: 'podsonnodes', objects: 2, synced: true }),
    );
  });

  test('is not about pods that only pull images: these fail by design', async () => {
    const world = await worldOf([NEED]);
    await world.create('other', 'pulls', { 'plan.kruise.io/pull': 'key' });
    await world.clock.advance(30_000);
    expect(world.seen()).toEqual(['other/b', 'shop/a']);
  });

  test('has what the rules read of a pod, and one that is being deleted is no loss', async () => {
    const world = await worldOf([NEED]);
    await world.status('b', {
      phase: 'Succeeded',
      conditions: [{ type: 'Ready', status: 'False' }],
      initContainerStatuses: [{ name: 'first', image: 'x', imageID: 'x', ready: true, restartCount: 1 }],
      containerStatuses: [{ name: 'main', image: 'x', imageID: 'x', ready: false, restartCount: 3 }],
    });
    await world.clock.advance(100);
    const podOf = (name: string): PodOnNode | undefined => {
      const found = world.found();
      if (found === undefined || 'forbidden' in found) return undefined;
      return found.objects.podsOnNodes?.find((each) => each.name === name);
    };
    const stored = await world.user.get(resources.Pod, { namespace: 'other', name: 'b' });
    expect(podOf('b')).toEqual({
      node: 'node-1',
      namespace: 'other',
      name: 'b',
      uid: stored.metadata.uid,
      available: true,
      restarts: 4,
      createdAt: Date.parse(stored.metadata.creationTimestamp ?? ''),
      changedAt: 0,
      changingUntil: 0,
    });
    await world.user.delete(resources.Pod, { namespace: 'shop', name: 'a' }, { gracePeriodSeconds: 600 });
    await world.clock.advance(10);
    expect(await world.user.get(resources.Pod, { namespace: 'shop', name: 'a' })).toBeDefined();
    expect(podOf('a')).toBeUndefined();
  });

  test('enqueues a target at most once a second', async () => {
    const world = await worldOf([NEED]);
    world.seen();
    await world.clock.advance(5_000);
    world.enqueued.length = 0;
    for (let n = 0; n < 40; n += 1) {
      await world.status('b', { conditions: [{ type: 'Ready', status: n % 2 === 0 ? 'False' : 'True' }] });
      await world.clock.advance(100);
    }
    await world.clock.advance(3_000);
    expect(world.enqueued.length).toBeGreaterThan(3);
    expect(world.enqueued.length).toBeLessThan(7);
    const apart = world.enqueued.slice(1).map((at, index) => at - (world.enqueued[index] ?? 0));
    expect(Math.min(...apart)).toBeGreaterThanOrEqual(1_000);
  });

  test('is observed only while a target has it, and by a complete list', async () => {
    const needs: Need[] = [];
    const world = await worldOf(needs);
    expect(world.seen()).toBeUndefined();
    expect(world.lists()).toBe(1);
    needs.push(NEED);
    expect(world.found()).toBeUndefined();
    await world.clock.advance(1_000);
    expect(world.seen()).toEqual(['other/b', 'shop/a']);
    expect(world.lists()).toBe(2);
    needs.length = 0;
    world.found();
    expect(world.caches.sizes().some(({ resource }) => resource === 'podsonnodes')).toBe(false);
    await world.user.delete(resources.Pod, { namespace: 'other', name: 'b' }, { gracePeriodSeconds: 0 });
    needs.push(NEED);
    world.found();
    await world.clock.advance(1_000);
    expect(world.seen()).toEqual(['shop/a']);
  });

  test('forgets what a list does not show any more', async () => {
    const world = await worldOf([NEED]);
    world.seen();
    world.caches.stop();
    await world.user.delete(resources.Pod, { namespace: 'other', name: 'b' }, { gracePeriodSeconds: 0 });
    world.caches.start();
    await world.clock.advance(1_000);
    expect(world.seen()).toEqual(['shop/a']);
  });
});

describe('the need for pods on nodes of a runtime for one namespace', () => {
  test('is met with pods of all namespaces where it may list them', async () => {
    const world = await worldOf([NEED], { only: 'shop' });
    world.seen();
    await world.clock.advance(1_000);
    expect(world.seen()).toEqual(['other/b', 'shop/a']);
    world.stopKubelet();
    await world.status('b', { conditions: [{ type: 'Ready', status: 'False' }] });
    await world.clock.advance(100);
    expect(world.seen()).toEqual(['other/b!', 'shop/a']);
  });

  test('is refused with the reason of the server where it may not', async () => {
    const world = await worldOf([NEED], { only: 'shop', mayList: false });
    world.seen();
    await world.clock.advance(1_000);
    const found = world.found();
    if (found === undefined || !('forbidden' in found)) throw new Error('it is not refused');
    expect([found.forbidden.plural, found.error.status.message]).toEqual([
      'pods',
      'pods is forbidden: User "kruise" cannot list resource "pods" at the cluster scope',
    ]);
  });
});
