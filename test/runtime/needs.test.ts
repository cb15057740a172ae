import { expect, test } from 'vitest';
import { observedVersionsOf } from '../../runtime/act/observed-versions.ts';
import { type Caches, createCaches } from '../../runtime/observe/caches.ts';
import { objectsOf } from '../../runtime/observe/objects.ts';
import { type TargetKey, targetKey } from '../../runtime/observe/target-key.ts';
import { createVirtualClock, createWorld, type VirtualClock } from 'kruise-sandbox';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { INSTANCE_ID_LABEL } from '../../semantics/cloneset/claim-naming.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import type { Need } from '../../semantics/kinds/need.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { deployments } from '../../semantics/sidecarset/deployments.ts';
import { cloneSet } from './stage.ts';

interface World {
  kind: Kind;
  key: TargetKey;
  clock: VirtualClock;
  user: Cluster;
  caches: Caches;
  /** The keys that were enqueued. */
  enqueued: TargetKey[];
  /** The label selectors of the lists of claims. */
  claimLists: (string | undefined)[];
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
  const cluster = world.cluster('kruise');
  const claimLists: (string | undefined)[] = [];
  const list: Cluster['list'] = async (resource, options) => {
    if (resource.plural === 'persistentvolumeclaims') claimLists.push(options?.labelSelector);
    return cluster.list(resource, options);
  };
  const caches = createCaches({ ...cluster, list }, clock, enqueue, { kinds: [kind] });
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
    claimLists,
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

test('a target whose units are nodes observes what decides whether a pod fits, and no heartbeat', async () => {
  const world = await worldWith([{ of: 'Nodes', why: 'Placement' }]);
  const { clock, user, enqueued } = world;
  observedOf(world);
  await clock.advance(1_000);
  const at = { name: 'node-2' };
  const change = async (body: JsonObject, subresource?: 'status'): Promise<boolean> => {
    enqueued.length = 0;
    await user.patch(resources.Node, at, { type: 'strategic', body }, subresource ? { subresource } : {});
    await clock.advance(100);
    return enqueued.length > 0;
  };
  const conditions = (await user.get(resources.Node, at))['status'] as { conditions: JsonObject[] };
  const beat = conditions.conditions.map((each): JsonObject => ({
    ...each,
    lastHeartbeatTime: '2026-01-02T00:00:00Z',
  }));
  expect(await change({ status: { conditions: beat } }, 'status')).toBe(false);
  const images = [{ names: ['docker.io/library/nginx:1.27'], sizeBytes: 70_000_000 }];
  expect(await change({ status: { images } }, 'status')).toBe(false);
  const notReady = beat.map((each) => (each['type'] === 'Ready' ? { ...each, status: 'False' } : each));
  expect(await change({ status: { conditions: notReady } }, 'status')).toBe(true);
  expect(await change({ spec: { unschedulable: true } })).toBe(true);
  expect(await change({ spec: { taints: [{ key: 'out', effect: 'NoSchedule' }] } })).toBe(true);
  expect(await change({ status: { allocatable: { cpu: '1' } } }, 'status')).toBe(true);
  const found = observedOf(world);
  if (found === undefined || 'forbidden' in found) throw new Error('the nodes are not observed');
  expect(found.objects.placement?.find(({ metadata }) => metadata.name === 'node-2')).toMatchObject({
    spec: {
      unschedulable: true,
      taints: expect.arrayContaining([{ key: 'out', effect: 'NoSchedule' }]) as object[],
    },
    status: { allocatable: { cpu: '1' }, images: [{ names: ['docker.io/library/nginx:1.27'] }] },
  });
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

test('a target with numbered units observes the claims with their names, of any owner, and no others', async () => {
  const needs: Need[] = [{ of: 'Claims', numbered: ['data-web-'] }];
  const world = await worldWith(needs);
  const { clock, user, key, enqueued } = world;
  const claim = (name: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'shop', name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  const names = ['data-web-0', 'data-web-12', 'data-web', 'data-web-a', 'data-other-0', 'logs-web-0'];
  for (const name of names) await user.create(resources.PersistentVolumeClaim, claim(name));
  const seen = async (): Promise<string[] | undefined> => {
    observedOf(world);
    await clock.advance(2_000);
    const found = observedOf(world);
    if (found === undefined || 'forbidden' in found) return undefined;
    return (found.objects.claims ?? []).map(({ metadata }) => metadata.name);
  };
  expect(await seen()).toEqual(['data-web-0', 'data-web-12']);
  enqueued.length = 0;
  await user.create(resources.PersistentVolumeClaim, claim('data-web-3'));
  await clock.advance(100);
  expect(enqueued).toEqual([key]);
  await user.delete(resources.PersistentVolumeClaim, { namespace: 'shop', name: 'data-web-12' });
  expect(await seen()).toEqual(['data-web-0', 'data-web-3']);
  // Another template: its claims were dropped until now, so they are listed again.
  needs[0] = { of: 'Claims', numbered: ['data-web-', 'logs-web-'] };
  expect(observedOf(world)).toBeUndefined();
  expect(await seen()).toEqual(['data-web-0', 'data-web-3', 'logs-web-0']);
  needs[0] = { of: 'Claims', numbered: ['logs-web-'] };
  expect(await seen()).toEqual(['logs-web-0']);
  // A target that was deleted and created anew needs the claims again that are still cached.
  needs[0] = { of: 'Claims', numbered: ['data-web-'] };
  expect(await seen()).toEqual(['data-web-0', 'data-web-3']);
  world.stop();
});

test('claims without the label of CloneSets are listed only while a target needs numbered ones', async () => {
  const needs: Need[] = [{ of: 'Claims' }];
  const world = await worldWith(needs);
  const { clock, user, claimLists } = world;
  const at = { namespace: 'shop', name: 'data-web-3' };
  const claim: KubeObject = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: at,
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  await user.create(resources.PersistentVolumeClaim, claim);
  const seen = async (): Promise<string[] | undefined> => {
    observedOf(world);
    await clock.advance(2_000);
    const found = observedOf(world);
    if (found === undefined || 'forbidden' in found) return undefined;
    return (found.objects.claims ?? []).map(({ metadata }) => metadata.name);
  };
  expect(await seen()).toEqual([]);
  expect(claimLists).toEqual([INSTANCE_ID_LABEL]);
  needs[0] = { of: 'Claims', numbered: ['data-web-'] };
  expect(await seen()).toEqual(['data-web-3']);
  expect(claimLists).toEqual([INSTANCE_ID_LABEL, undefined]);
  await user.delete(resources.PersistentVolumeClaim, at);
  expect(await seen()).toEqual([]);
  world.stop();
});

test('a target that changes pods of others observes their owners and all budgets, and is enqueued when one changes', async () => {
  const selector = { matchLabels: { app: 'web' } };
  const needs: Need[] = [{ of: 'SelectedPods', selector, namespaces: undefined }, { of: 'Disruption' }];
  const world = await worldWith(needs);
  const { clock, user, enqueued } = world;
  const budget = (minAvailable: number): KubeObject => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace: 'shop', name: 'web', labels: { not: 'read' } },
    spec: { minAvailable, selector },
  });
  const owner = { ...world.target().metadata, apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet' };
  const pod = (name: string, uid: string | undefined): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'shop',
      name,
      labels: { app: 'web' },
      ...(uid !== undefined && {
        ownerReferences: [
          { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name, uid, controller: true },
        ],
      }),
    },
    spec: { containers: [{ name: 'main', image: 'web:1' }] },
  });
  await user.create(resources.PodDisruptionBudget, budget(1));
  await user.create(resources.Pod, pod('owned', owner.uid ?? ''));
  await user.create(resources.Pod, pod('of-another-uid', '1'));
  await user.create(resources.Pod, pod('bare', undefined));
  // The first use starts the watch.
  expect(observedOf(world)).toBeUndefined();
  await clock.advance(1_000);
  const found = observedOf(world);
  if (found === undefined || 'forbidden' in found) throw new Error('the budgets are not observed');
  const { owners, disruptionBudgets = [] } = found.objects;
  expect(owners).toMatchObject([
    { uid: owner.uid, name: 'CloneSet shop/web', replicas: 3, maxUnavailable: 1, minReadySeconds: 0 },
  ]);
  expect(owners?.[0]?.pods.map(({ metadata }) => metadata.name)).toEqual(['owned']);
  expect(disruptionBudgets).toHaveLength(1);
  expect(disruptionBudgets[0]).toMatchObject({
    metadata: { generation: 1 },
    spec: { minAvailable: 1, selector },
  });
  expect(disruptionBudgets[0]?.metadata.labels).toBeUndefined();
  // What a target owns limits evictions alone, and is news for nobody else.
  enqueued.length = 0;
  const controller = {
    ...{ apiVersion: 'policy.kruise.io/v1beta1', kind: 'PodUnavailableBudget' },
    ...{ name: 'web', uid: '1', controller: true },
  };
  const own = { namespace: 'shop', name: 'web-evictions', ownerReferences: [controller] };
  await user.create(resources.PodDisruptionBudget, { ...budget(3), metadata: own });
  await clock.advance(100);
  const after = observedOf(world);
  expect([
    after !== undefined && 'objects' in after && after.objects.disruptionBudgets?.length,
    enqueued,
  ]).toEqual([1, []]);
  await user.patch(
    resources.PodDisruptionBudget,
    { namespace: 'shop', name: 'web' },
    { type: 'merge', body: { spec: { minAvailable: 2 } } },
  );
  await clock.advance(100);
  expect(enqueued).toContain(world.key);
  world.stop();
});

test('an object is cached whole for a target that names it, whatever hints name it before', async () => {
  const named = (name: string): Need => ({ of: 'Config', resource: deployments, namespace: 'shop', name });
  const needs: Need[] = [named('other')];
  const world = await worldWith(needs);
  const { clock, user, enqueued } = world;
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: 'main:1' }] },
  };
  const selector = { matchLabels: { app: 'web' } };
  await user.create(deployments, {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' } },
    spec: { replicas: 0, selector, template },
  });
  const specs = async (): Promise<unknown[]> => {
    observedOf(world);
    await clock.advance(5_000);
    const found = observedOf(world);
    if (found === undefined || 'forbidden' in found) throw new Error('they are not observed');
    return (found.objects.configs ?? []).map((each) => each['spec']);
  };
  expect(await specs()).toEqual([]);
  needs.push({ of: 'Config', resource: deployments, namespace: 'shop', name: 'web', isHint: true });
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%' } };
  expect(await specs()).toEqual([{ replicas: 0, strategy }]);
  const changed = async (body: JsonObject): Promise<number> => {
    enqueued.length = 0;
    await user.patch(deployments, { namespace: 'shop', name: 'web' }, { type: 'merge', body });
    await clock.advance(100);
    return enqueued.length;
  };
  expect(await changed({ metadata: { labels: { by: 'tool' } } })).toBe(0);
  expect(await changed({ spec: { minReadySeconds: 5 } })).toBeGreaterThan(0);
  needs.push(named('web'));
  expect(await specs()).toMatchObject([{ minReadySeconds: 5 }, { template }]);
  world.stop();
});
