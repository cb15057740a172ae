import { behaviorByTag, createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { endOf, recreateRequest } from '../fixtures/recreate-requests.ts';

const MINUTE = 60_000;
const namespace = 'shop';
const PODS = 20;
const deployments = {
  ...{ group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', namespaced: true },
} as const;
const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'web:1', imagePullPolicy: 'IfNotPresent' }] },
};

async function started() {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({
    ...{ clock, namespaces: ['default', namespace], nodes: 4, crds: [...crds], workloads: true },
    images: behaviorByTag,
  });
  const runtime = createRuntime({
    ...{ cluster: world.cluster('kruise'), clock, policy: 'Auto', onError: () => {} },
  });
  runtime.start();
  await clock.settle();
  const user = world.cluster('user');
  await user.create(deployments, {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace } },
    spec: { replicas: PODS, selector: { matchLabels: { app: 'web' } }, template },
  });
  await clock.advance(3 * MINUTE);
  const stop = async (): Promise<void> => {
    await Promise.all([runtime.stop(), clock.settle()]);
    world.stop();
    await clock.settle();
  };
  return { clock, world, user, stop };
}

test('each of many requests about a Deployment says once what it waits for, however few of them are left', async () => {
  const { clock, world, user, stop } = await started();
  const { items: pods } = await user.list(resources.Pod, { namespace });
  const messages = new Map<string, Set<unknown>>();
  world.onCommit(({ object }) => {
    if (object.kind !== 'ContainerRecreateRequest') return;
    const said = messages.get(object.metadata.name) ?? new Set();
    messages.set(object.metadata.name, said.add(objectOf(object['status'])['message']));
  });
  const before = world.log.length;
  for (const { metadata } of pods)
    await user.create(resources.ContainerRecreateRequest, recreateRequest(metadata.name, metadata.name));
  await clock.advance(10 * MINUTE);
  const { items } = await user.list(resources.ContainerRecreateRequest, { namespace });
  expect(items.map(endOf)).toEqual(pods.map(() => ['Completed', 'main Succeeded true']));
  expect(new Set([...messages.values()].flatMap((said) => [...said]))).toEqual(
    new Set([
      undefined,
      expect.stringMatching(
        /^ReplicaSet shop\/web-\S+ allows a quarter of the pods that are asked for to be unavailable, and at least one$/,
      ),
    ]),
  );
  const writes = world.log.slice(before).filter(({ user: by, resource, verb }) => {
    return by === 'kruise' && resource === 'containerrecreaterequests' && verb !== 'list' && verb !== 'watch';
  });
  expect(writes.length).toBeLessThanOrEqual(6 * PODS);
  await stop();
});
