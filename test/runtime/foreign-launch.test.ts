import { afterEach, describe, expect, test } from 'vitest';
import { failing } from 'kruise-sandbox';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import {
  apps,
  launchWorld,
  type LaunchWorld,
  ordered,
  ORDERED,
  slow,
  startOrder,
  template,
} from './launch-world.ts';

let it: LaunchWorld;

afterEach(async () => it.stop());

const numbered = (name: string, value: string): JsonObject =>
  slow(name, { env: [{ name: 'KRUISE_CONTAINER_PRIORITY', value }] });

async function cloneSet(made: JsonObject): Promise<void> {
  await it.user.create(
    { group: 'apps.kruise.io', version: 'v1beta1', kind: 'CloneSet', plural: 'clonesets', namespaced: true },
    {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'CloneSet',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template: made },
    },
  );
}

describe('the containers of a pod of a Deployment', () => {
  test('start in their order, an injected one among them, with as few writes as those of our kinds (LP-18)', async () => {
    it = await launchWorld();
    it.run();
    await it.sidecarSet({ containers: [slow('proxy')] });
    await it.workload('Deployment', ordered('main', 'agent'));
    await it.clock.advance(60_000);
    const pod = await it.onlyPod();
    expect(startOrder(pod)).toBe('proxy main agent');
    expect(it.writes).toEqual([
      'ADDED of Pod: p_0',
      'MODIFIED of Pod: p_0 p_-1',
      'MODIFIED of Pod: p_0 p_-1 p_-2',
    ]);
    expect(it.writers).toContain(`Pod/shop/${pod.metadata.name}`);
    expect(pod.metadata.name).toMatch(/^web-.*-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(pod.metadata.annotations).toMatchObject({
      'apps.kruise.io/container-launch-priority-completed': 'true',
    });
    expect(it.errors).toEqual([]);
  });

  test('start by their numbers, that of an injected one among them (LP-18)', async () => {
    it = await launchWorld();
    it.run();
    await it.sidecarSet({
      containers: [{ ...numbered('proxy', '10'), podInjectPolicy: 'AfterAppContainer' }],
    });
    await it.workload('Deployment', template({}, [slow('main')]), 3);
    await it.clock.advance(60_000);
    expect((await it.pods()).map(startOrder)).toEqual(['proxy main', 'proxy main', 'proxy main']);
  });

  test('start at once, without a ConfigMap, where they have no order', async () => {
    it = await launchWorld();
    it.run();
    await it.workload('Deployment', template({}, [slow('main'), slow('agent')]));
    await it.clock.advance(30_000);
    expect(startOrder(await it.onlyPod())).toBe('main + agent');
    expect(it.writes).toEqual([]);
  });

  test('leave no ConfigMap behind, and the runtime nothing in memory', async () => {
    it = await launchWorld();
    const runtime = it.run();
    const cached = (): number | undefined =>
      runtime.cacheSizes().find(({ resource }) => resource === 'pods')?.objects;
    await it.workload('Deployment', ordered('main', 'agent'), 5);
    await it.clock.advance(3_000);
    expect(cached()).toBe(5);
    await it.clock.advance(60_000);
    expect(cached()).toBe(0);
    await it.user.delete(apps('Deployment'), { namespace: 'shop', name: 'web' });
    await it.clock.advance(120_000);
    expect(it.writes.filter((each) => each.startsWith('DELETED'))).toHaveLength(5);
  });

  test('start again without waiting, over a key or a ConfigMap that somebody has deleted', async () => {
    it = await launchWorld();
    it.run();
    await it.workload('Deployment', ordered('main', 'agent'));
    await it.clock.advance(60_000);
    const { name } = (await it.onlyPod()).metadata;
    const at = { namespace: 'shop', name: `${name}-barrier` };
    const restart = async (image: string): Promise<void> => {
      await it.user.patch(
        resources.Pod,
        { namespace: 'shop', name },
        { type: 'strategic', body: { spec: { containers: [{ name: 'agent', image }] } } },
      );
      await it.clock.advance(120_000);
    };
    await it.user.patch(resources.ConfigMap, at, { type: 'merge', body: { data: { 'p_-1': null } } });
    await restart('slow:2');
    expect(startOrder(await it.onlyPod())).toContain('agent');
    await it.user.delete(resources.ConfigMap, at);
    await restart('slow:3');
    expect(startOrder(await it.onlyPod())).toContain('agent');
    expect((await it.user.get(resources.ConfigMap, at))['data']).toEqual({ p_0: 'true', 'p_-1': 'true' });
  });
});

describe('the order of the containers of a foreign pod holds', () => {
  test('for a pod without owner, and one of a StatefulSet of Kubernetes whose name is used again (LP-16)', async () => {
    it = await launchWorld();
    it.run();
    await it.workload('StatefulSet', ordered('main', 'agent'));
    await it.user.create(resources.Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      ...ordered('main', 'agent'),
      metadata: { name: 'bare', namespace: 'shop', annotations: ORDERED },
    });
    await it.clock.advance(60_000);
    expect((await it.pods()).map(startOrder)).toEqual(['main agent', 'main agent']);
    // Nobody collects it before the name is used again.
    await it.user.patch(
      resources.ConfigMap,
      { namespace: 'shop', name: 'web-0-barrier' },
      { type: 'merge', body: { metadata: { finalizers: ['example.com/keep'] } } },
    );
    await it.user.delete(resources.Pod, { namespace: 'shop', name: 'web-0' }, { gracePeriodSeconds: 0 });
    await it.clock.advance(60_000);
    expect((await it.pods()).map(startOrder)).toEqual(['main agent', 'main agent']);
  });

  test('where OpenKruise has begun it', async () => {
    it = await launchWorld();
    await it.workload('StatefulSet', ordered('main', 'agent', 'late'));
    await it.clock.advance(1_000);
    const { name, uid = '' } = (await it.onlyPod()).metadata;
    await it.user.create(resources.ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: `${name}-barrier`,
        namespace: 'shop',
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid }],
      },
      data: { p_0: 'true' },
    });
    await it.clock.advance(30_000);
    expect(startOrder(await it.onlyPod())).toBe('main');
    it.run();
    await it.clock.advance(60_000);
    expect(startOrder(await it.onlyPod())).toBe('main agent late');
    expect(it.writes.slice(1)).toEqual(['MODIFIED of Pod: p_0 p_-1', 'MODIFIED of Pod: p_0 p_-1 p_-2']);
  });

  test('of a kind of ours by its target alone', async () => {
    it = await launchWorld();
    const { run, world, clock } = it;
    const cluster = world.cluster('kruise');
    run({
      ...cluster,
      async get(resource, at) {
        await new Promise<void>((resolve) => void clock.after(100, resolve));
        return cluster.get(resource, at);
      },
    });
    await it.sidecarSet({ containers: [slow('proxy')] });
    await cloneSet(ordered('main', 'agent'));
    await it.clock.advance(90_000);
    expect(startOrder(await it.onlyPod())).toBe('proxy main agent');
    expect(it.writes).toEqual([
      'ADDED of CloneSet: p_0',
      'MODIFIED of Pod: p_0',
      'MODIFIED of Pod: p_0 p_-1',
      'MODIFIED of Pod: p_0 p_-1 p_-2',
    ]);
    expect([...it.writers].filter((key) => key.startsWith('Pod'))).toEqual([]);
  });

  test.each([
    [
      'the others have numbers',
      template({}, [numbered('main', '5'), numbered('agent', '-3')]),
      'proxy main agent',
    ],
    ['the others have none', template({}, [slow('main'), slow('agent')]), 'proxy main + agent'],
  ])(
    'of a kind of ours, where an injected one has the highest number and %s (LP-18)',
    async (_, made, order) => {
      it = await launchWorld();
      it.run();
      await it.sidecarSet({
        containers: [{ ...numbered('proxy', '10'), podInjectPolicy: 'AfterAppContainer' }],
      });
      await cloneSet(made);
      await it.clock.advance(90_000);
      expect(startOrder(await it.onlyPod())).toBe(order);
      expect(it.writers).not.toContain(`Pod/shop/${(await it.onlyPod()).metadata.name}`);
    },
  );

  test('and a pod that is deleted meanwhile leaves nothing', async () => {
    it = await launchWorld();
    it.run();
    await it.workload('Deployment', ordered('main', 'agent'));
    await it.clock.advance(3_000);
    await it.user.delete(apps('Deployment'), { namespace: 'shop', name: 'web' });
    await it.clock.advance(120_000);
    expect(await it.pods()).toEqual([]);
    expect(it.writes.at(-1)).toMatch(/^DELETED/);
    expect(it.errors).toEqual([]);
  });
});

describe('the containers of a foreign pod wait', () => {
  const forbidden = new ApiError({
    code: 403,
    reason: 'Forbidden',
    message: 'configmaps "web-0-barrier" is forbidden: User "kruise" cannot get resource "configmaps"',
  });

  test('without the right to ConfigMaps; the log and one Event on the pod say so, and the right ends that', async () => {
    it = await launchWorld();
    let isAllowed = false;
    let events = 0;
    it.run(
      failing(it.world.cluster('kruise'), ({ resource }) => {
        if (resource.plural === 'events') events += 1;
        return resource.plural === 'configmaps' && !isAllowed ? forbidden : undefined;
      }),
    );
    await it.workload('StatefulSet', ordered('main', 'agent'));
    await it.clock.advance(120_000);
    expect(startOrder(await it.onlyPod())).toBe('');
    const help =
      'launch orders are off in namespace shop. Bind the ClusterRole kruise-runtime-launch there, or add the component launch-everywhere of deploy/';
    expect(await it.events()).toEqual([
      `Pod FailedLaunch: release containers: ${forbidden.message}: ${help}`,
    ]);
    expect(new Set(it.errors)).toEqual(new Set([`Pod/shop/web-0: ${String(forbidden)}: ${help}`]));
    expect(it.errors.length).toBeLessThan(8);
    expect(events).toBe(1);
    isAllowed = true;
    await it.clock.advance(120_000);
    expect(startOrder(await it.onlyPod())).toBe('main agent');
  });

  test('without that right, and are tried less and less often', async () => {
    it = await launchWorld();
    let reads = 0;
    it.run(
      failing(it.world.cluster('kruise'), ({ resource }) => {
        if (resource.plural !== 'configmaps') return undefined;
        reads += 1;
        return forbidden;
      }),
    );
    await it.workload('StatefulSet', ordered('main', 'agent'));
    await it.clock.advance(600_000);
    const before = reads;
    await it.clock.advance(3_000_000);
    expect(reads - before).toBe(10);
  });

  test('for a ConfigMap of the name with other content, which stays', async () => {
    it = await launchWorld();
    it.run();
    const at = { namespace: 'shop', name: 'web-0-barrier' };
    await it.user.create(resources.ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: at,
      data: { color: 'red' },
    });
    await it.workload('StatefulSet', ordered('main', 'agent'));
    await it.clock.advance(60_000);
    expect(startOrder(await it.onlyPod())).toBe('');
    expect(await it.events()).toEqual([
      expect.stringMatching(/^Pod FailedLaunch: release containers: ConfigMap web-0-barrier .* rename it$/),
    ]);
    expect((await it.user.get(resources.ConfigMap, at))['data']).toEqual({ color: 'red' });
    await it.user.delete(resources.ConfigMap, at);
    await it.clock.advance(120_000);
    expect(startOrder(await it.onlyPod())).toBe('main agent');
  });
});

describe('many foreign pods', () => {
  test('cost nothing while none of their containers waits', async () => {
    it = await launchWorld();
    const runtime = it.run();
    await it.workload('Deployment', template({}, [slow('main'), slow('agent')]), 50);
    await it.clock.advance(60_000);
    expect(await it.pods()).toHaveLength(50);
    expect(runtime.cacheSizes().find(({ resource }) => resource === 'pods')?.objects).toBe(0);
  });

  test('are released in turn after a downtime, sixteen at a time', async () => {
    it = await launchWorld();
    await it.workload('Deployment', ordered('main', 'agent'), 60);
    await it.clock.advance(60_000);
    let [inFlight, most] = [0, 0];
    const cluster = it.world.cluster('kruise');
    const counted: Cluster = {
      ...cluster,
      async get(resource, at) {
        most = Math.max(most, ++inFlight);
        await new Promise<void>((resolve) => void it.clock.after(100, resolve));
        inFlight -= 1;
        return cluster.get(resource, at);
      },
    };
    it.run(counted);
    await it.clock.advance(120_000);
    expect(new Set((await it.pods()).map(startOrder))).toEqual(new Set(['main agent']));
    expect(most).toBe(16);
  });
});
