import { afterEach, describe, expect, test } from 'vitest';
import { createVirtualClock, createWorld, failing, type VirtualClock, type World } from 'kruise-sandbox';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createRuntime, type Runtime } from '../../runtime/runtime.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { statefulSet } from '../fixtures/stateful-set.ts';

const NAME = 'web-0-barrier';
const at = (name: string) => ({ namespace: 'shop', name });

/** A StatefulSet of one pod: `first` takes four seconds to be ready, then `second` may start. */
function ordered(image = 'first:1', first: object = {}): KubeObject {
  const target = statefulSet('web', image, { replicas: 1 });
  const spec = target['spec'] as { template: { metadata: object; spec: { containers: object[] } } };
  const { template } = spec;
  const annotations = { 'apps.kruise.io/container-launch-priority': 'Ordered' };
  const containers = [
    { name: 'first', image, ...first },
    { name: 'second', image: 'second:1' },
  ];
  return {
    ...target,
    spec: {
      ...spec,
      template: {
        ...template,
        metadata: { ...template.metadata, annotations },
        spec: { ...template.spec, containers },
      },
    },
  };
}

let world: World;
let clock: VirtualClock;
let user: Cluster;
let runtime: Runtime | undefined;
/** What happens to ConfigMaps, without those of the server. */
let writes: string[];

async function started(target: KubeObject, prepare?: () => Promise<unknown>): Promise<void> {
  clock = createVirtualClock(0);
  world = createWorld({ clock, namespaces: ['default', 'shop'] });
  user = world.cluster('user');
  writes = [];
  world.onCommit(({ resource, type, object }) => {
    if (resource !== 'configmaps' || object.metadata.name === 'kube-root-ca.crt') return;
    const keys = Object.keys(object['data'] ?? {}).join(' ');
    const owners = (object.metadata.ownerReferences ?? []).map(({ kind }) => kind).join(' ');
    writes.push(`${type} ${object.metadata.name} of ${owners}: ${keys}`);
  });
  world.images.set('first:1', { readyMs: 4_000 });
  runtime = run();
  await prepare?.();
  await user.create(resources.StatefulSet, target);
}

function run(cluster = world.cluster('kruise')): Runtime {
  const made = createRuntime({ cluster, clock, policy: 'Auto', onError: () => {} });
  made.start();
  return made;
}

afterEach(async () => {
  void runtime?.stop();
  world.stop();
  await clock.settle();
});

const pod = async (): Promise<Pod> => (await user.get(resources.Pod, at('web-0'))) as Pod;
const configMap = async (): Promise<KubeObject> => user.get(resources.ConfigMap, at(NAME));
const has = async (name: string): Promise<boolean> =>
  (await pod()).status?.containerStatuses?.some(
    (each) => each.name === name && (each['state'] as { running?: object }).running !== undefined,
  ) === true;
/** When a container was started, in milliseconds. */
const startOf = async (name: string): Promise<number> => {
  const status = (await pod()).status?.containerStatuses?.find((each) => each.name === name);
  const state = status?.['state'] as { running?: { startedAt: string } } | undefined;
  return Date.parse(state?.running?.startedAt ?? '');
};

describe('the containers of a pod of a StatefulSet', () => {
  test('start in their order, with three writes of a ConfigMap and no more (LP-21)', async () => {
    await started(ordered());
    await clock.advance(60_000);
    expect(writes).toEqual([
      `ADDED ${NAME} of StatefulSet: p_0`,
      `MODIFIED ${NAME} of Pod: p_0`,
      `MODIFIED ${NAME} of Pod: p_0 p_-1`,
    ]);
    expect((await startOf('second')) - (await startOf('first'))).toBeGreaterThanOrEqual(4_000);
    expect((await pod()).metadata.annotations).toMatchObject({
      'plan.kruise.io/launch-priority': '-1',
      'apps.kruise.io/container-launch-priority-completed': 'true',
    });
  });

  test('a postStart hook of the first delays the second (LP-13)', async () => {
    const lifecycle = { postStart: { exec: { command: ['sleep', '1'] } } };
    await started(ordered('first:2', { lifecycle }));
    world.images.set('first:2', { postStartMs: 1_000 });
    await clock.advance(60_000);
    const delay = (await startOf('second')) - (await startOf('first'));
    expect(delay).toBeGreaterThanOrEqual(1_000);
  });

  test('wait while no runtime is there, and go on later (LP-20)', async () => {
    await started(ordered());
    await clock.advance(3_000);
    void runtime?.stop();
    await clock.advance(120_000);
    expect([await has('first'), await has('second')]).toEqual([true, false]);
    runtime = run();
    await clock.advance(15_000);
    expect(await has('second')).toBe(true);
  });

  test('start in their order again in a pod of the same name, over what the earlier one has left (LP-16)', async () => {
    await started(ordered());
    await clock.advance(60_000);
    const before = await pod();
    // Nobody collects it before the name is used again.
    await user.patch(resources.ConfigMap, at(NAME), {
      type: 'merge',
      body: { metadata: { finalizers: ['example.com/keep'] } },
    });
    await user.delete(resources.Pod, at('web-0'), { gracePeriodSeconds: 0 });
    await clock.advance(60_000);
    const after = await pod();
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect((await startOf('second')) - (await startOf('first'))).toBeGreaterThanOrEqual(4_000);
    expect((await configMap()).metadata.ownerReferences).toMatchObject([
      { kind: 'Pod', uid: after.metadata.uid },
    ]);
  });

  test('leave no ConfigMap behind (LP-12)', async () => {
    await started(ordered());
    await clock.advance(60_000);
    await user.patch(resources.StatefulSet, at('web'), { type: 'merge', body: { spec: { replicas: 0 } } });
    await clock.advance(120_000);
    expect(writes.at(-1)).toMatch(/^DELETED/);
  });

  test('restart later without waiting, even if somebody has deleted the ConfigMap', async () => {
    await started(ordered());
    await clock.advance(60_000);
    await user.delete(resources.ConfigMap, at(NAME));
    world.images.set('second:1', { crashAfterMs: 1_000 });
    await user.patch(resources.Pod, at('web-0'), {
      type: 'strategic',
      body: { spec: { containers: [{ name: 'second', image: 'second:2' }] } },
    });
    await clock.advance(60_000);
    expect(await has('second')).toBe(true);
    expect((await configMap())['data']).toEqual({ p_0: 'true', 'p_-1': 'true' });
  });
});

describe('a key that somebody has deleted', () => {
  const withoutKey = (key: string): Promise<unknown> =>
    user.patch(resources.ConfigMap, at(NAME), { type: 'merge', body: { data: { [key]: null } } });

  test('is restored when a container that runs in its order must start again', async () => {
    await started(ordered());
    await clock.advance(120_000);
    const written = writes.length;
    await withoutKey('p_-1');
    await user.patch(resources.Pod, at('web-0'), {
      type: 'strategic',
      body: { spec: { containers: [{ name: 'second', image: 'second:2' }] } },
    });
    await clock.advance(60_000);
    expect(await has('second')).toBe(true);
    expect(writes.slice(written)).toEqual([
      `MODIFIED ${NAME} of Pod: p_0`,
      `MODIFIED ${NAME} of Pod: p_0 p_-1`,
    ]);
  });

  test('is restored where a container has not started yet', async () => {
    await started(ordered('first:slow'), async () => {
      world.images.set('first:slow', { pullMs: 20_000 });
      return Promise.resolve();
    });
    await clock.advance(10_000);
    await withoutKey('p_0');
    await clock.advance(180_000);
    expect([await has('first'), await has('second')]).toEqual([true, true]);
    expect(writes.slice(2)).toEqual([
      `MODIFIED ${NAME} of Pod: `,
      `MODIFIED ${NAME} of Pod: p_0`,
      `MODIFIED ${NAME} of Pod: p_0 p_-1`,
    ]);
  });
});

describe('a ConfigMap of the name that is none of ours', () => {
  const settings = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: NAME, namespace: 'shop' },
    data: { color: 'red' },
  };

  test('stays, the pod is not created, and the status says why', async () => {
    await started(ordered(), async () => user.create(resources.ConfigMap, settings));
    await clock.advance(60_000);
    await expect(pod()).rejects.toThrow(ApiError);
    expect((await configMap())['data']).toEqual({ color: 'red' });
    const { status } = (await user.get(resources.StatefulSet, at('web'))) as {
      status?: { conditions?: { type: string; message: string }[] };
    };
    const held = status?.conditions?.find(({ type }) => type === 'plan.kruise.io/Held');
    expect(held?.message).toMatch(/a ConfigMap.*web-0-barrier.*rename it/);
    await user.delete(resources.ConfigMap, at(NAME));
    await clock.advance(120_000);
    expect(await has('second')).toBe(true);
  });
});

describe('without the right to ConfigMaps', () => {
  const forbidden = new ApiError({
    code: 403,
    reason: 'Forbidden',
    message: 'configmaps "web-0-barrier" is forbidden: User "kruise" cannot get resource "configmaps"',
  });
  const heldBy = async (): Promise<string> => {
    const { status } = (await user.get(resources.StatefulSet, at('web'))) as {
      status?: { conditions?: { type: string; message: string }[] };
    };
    return status?.conditions?.find(({ type }) => type === 'plan.kruise.io/Held')?.message ?? '';
  };

  test('no pod with an order is created, the status and an Event say why, and the right ends that', async () => {
    let isAllowed = false;
    await started(ordered(), async () => {
      void runtime?.stop();
      const refuses = failing(world.cluster('kruise'), ({ resource }) =>
        resource.plural === 'configmaps' && !isAllowed ? forbidden : undefined,
      );
      runtime = run(refuses);
      return Promise.resolve();
    });
    await clock.advance(60_000);
    await expect(pod()).rejects.toThrow(ApiError);
    expect(await heldBy()).toContain('cannot get resource "configmaps"');
    const { items } = await user.list(resources.Event, { namespace: 'shop' });
    expect(items.map(({ message }) => String(message))).toContainEqual(
      expect.stringContaining('create launch barrier: configmaps "web-0-barrier" is forbidden'),
    );
    isAllowed = true;
    await clock.advance(300_000);
    expect(await has('second')).toBe(true);
    expect(await heldBy()).toBe('');
  });
});
