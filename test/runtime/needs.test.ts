import { expect, test } from 'vitest';
import { observedVersionsOf } from '../../runtime/act/observed-versions.ts';
import { type Caches, createCaches } from '../../runtime/observe/caches.ts';
import { objectsOf } from '../../runtime/observe/objects.ts';
import { type TargetKey, targetKey } from '../../runtime/observe/target-key.ts';
import { createVirtualClock, type VirtualClock } from '../../sandbox/clock/virtual.ts';
import { createWorld } from '../../sandbox/world.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import type { Need } from '../../semantics/kinds/need.ts';
import { kinds } from '../../semantics/kinds/registry.ts';
import { cloneSet } from './stage.ts';

interface World {
  kind: Kind;
  key: TargetKey;
  clock: VirtualClock;
  user: Cluster;
  caches: Caches;
  /** The keys that were enqueued. */
  enqueued: TargetKey[];
  target(): KubeObject;
  stop(): void;
}

/** CloneSet `web`, as if its kind had these needs. */
async function worldWith(needs: readonly Need[]): Promise<World> {
  const [registered] = kinds;
  const kind: Kind = { ...(registered as Kind), needs: () => needs };
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, namespaces: ['shop'] });
  const user = world.cluster('user');
  const enqueued: TargetKey[] = [];
  const enqueue = (each: TargetKey): void => void enqueued.push(each);
  const caches = createCaches(world.cluster('kruise'), clock, enqueue, { kinds: [kind] });
  const key = targetKey(kind.id, 'shop', 'web');
  await user.create(resources.CloneSet, cloneSet('web', 'web:1'));
  caches.start();
  await clock.advance(1_000);
  return {
    kind,
    key,
    clock,
    user,
    caches,
    enqueued,
    target() {
      const target = caches.target(key);
      if (target === undefined) throw new Error('the target is not in the cache');
      return target;
    },
    stop() {
      caches.stop();
      world.stop();
    },
  };
}

const observedOf = (world: World) => objectsOf(world.caches, { ...world, target: world.target() }, []);

test('a target whose units are nodes observes all nodes, and is enqueued when one changes', async () => {
  const world = await worldWith([{ of: 'Nodes', why: 'Placement' }]);
  const { clock, user, enqueued } = world;
  expect(observedOf(world)).toBe(undefined);
  await clock.advance(1_000);
  const placement = (): string[] => {
    const found = observedOf(world);
    if (found === undefined || 'forbidden' in found) throw new Error('the nodes are not observed');
    return (found.objects.placement ?? []).map(({ metadata }) => metadata.name);
  };
  expect(placement()).toEqual(['node-1', 'node-2', 'node-3']);
  enqueued.length = 0;
  const body = { metadata: { labels: { disk: 'fast' } } };
  await user.patch(resources.Node, { name: 'node-2' }, { type: 'merge', body });
  await clock.advance(100);
  expect(enqueued).toEqual([world.key]);
  await user.delete(resources.Node, { name: 'node-3' });
  await clock.advance(100);
  expect(enqueued.length).toBeGreaterThan(1);
  expect(placement()).toEqual(['node-1', 'node-2']);
  world.stop();
});

test('a target that only spreads its pods over nodes is not enqueued when one changes', async () => {
  const world = await worldWith([{ of: 'OwnedPods' }, { of: 'Nodes', why: 'Spread' }]);
  const { clock, user, caches, enqueued } = world;
  // The state of the labels is what starts the watch.
  expect(caches.nodeLabels.state).toBe('pending');
  await clock.advance(1_000);
  expect(caches.nodeLabels.state).toBe('known');
  enqueued.length = 0;
  const body = { metadata: { labels: { disk: 'fast' } } };
  await user.patch(resources.Node, { name: 'node-2' }, { type: 'merge', body });
  await clock.advance(100);
  expect(enqueued).toEqual([]);
  expect(observedOf(world)).not.toHaveProperty('objects.placement');
  world.stop();
});

test('the observed versions of a target that selects pods are those of the selected pods', async () => {
  const selector = { matchLabels: { app: 'api' } };
  const world = await worldWith([{ of: 'SelectedPods', selector, namespaces: undefined }]);
  const { clock, user, caches, key } = world;
  const stored: Record<string, number> = {};
  for (const app of ['api', 'web']) {
    const metadata = { namespace: 'shop', name: app, labels: { app } };
    const spec = { containers: [{ name: 'main', image: 'web:1' }] };
    await user.create(resources.Pod, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  }
  await clock.advance(60_000);
  for (const { metadata } of (await user.list(resources.Pod)).items)
    stored[metadata.name] = Number(metadata.resourceVersion);
  const { versions: observed } = observedVersionsOf(caches, key, world.target());
  expect(observed.get(resources.Pod)).toBe(stored['api']);
  expect(observed.get(world.kind.resource)).toBe(Number(world.target().metadata.resourceVersion));
  world.stop();
});
