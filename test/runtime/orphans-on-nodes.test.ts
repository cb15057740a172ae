import { expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { requiredNode } from '../../semantics/node/affinity.ts';
import { controllerOf } from '../../semantics/owner.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { compareCodePoints } from '../../semantics/values/canonical-json.ts';
import { objectOf } from '../../semantics/values/read.ts';

const at = { namespace: 'shop', name: 'log' };
const nativeResource = {
  group: 'apps',
  version: 'v1',
  plural: 'daemonsets',
  kind: 'DaemonSet',
  namespaced: true,
};

function manifest(apiVersion: string, image: string, updateStrategy: JsonObject = {}): KubeObject {
  return {
    apiVersion,
    kind: 'DaemonSet',
    metadata: { ...at },
    spec: {
      selector: { matchLabels: { app: 'log' } },
      updateStrategy,
      template: { metadata: { labels: { app: 'log' } }, spec: { containers: [{ name: 'main', image }] } },
    },
  };
}

/** A cluster of three nodes with the controllers of Kubernetes, one of whose DaemonSets has a pod on each, and a runtime. */
async function native(policy: 'Auto' | 'Required') {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', 'shop'], workloads: true });
  const user = world.cluster('user');
  await user.create(nativeResource, manifest('apps/v1', 'log:1', { type: 'OnDelete' }));
  await clock.advance(30_000);
  const errors: unknown[] = [];
  const runtime = createRuntime({
    cluster: world.cluster('kruise'),
    clock,
    policy,
    onError: (_, error) => errors.push(error),
  });
  runtime.start();
  await clock.settle();
  const pods = async (): Promise<Pod[]> =>
    (await user.list(resources.Pod, { namespace: 'shop' })).items as Pod[];
  return {
    clock,
    user,
    pods,
    uids: async () => (await pods()).map(({ metadata }) => metadata.uid ?? '').sort(compareCodePoints),
    controllers: async () =>
      (await pods()).map((pod) => controllerOf(pod)?.apiVersion ?? 'none').sort(compareCodePoints),
    /** The status of the DaemonSet of OpenKruise. */
    status: async () => objectOf((await user.get(resources.DaemonSet, at))['status']),
    orphan: async () => {
      await user.delete(nativeResource, at, { propagationPolicy: 'Orphan' });
      await clock.advance(1_000);
    },
    stop() {
      void runtime.stop();
      world.stop();
      expect(errors).toEqual([]);
    },
  };
}

const OURS = 'apps.kruise.io/v1beta1';
const three = (text: string): string[] => Array.from({ length: 3 }, () => text);

test('pods of a DaemonSet of Kubernetes are adopted as they are', async () => {
  const { clock, user, uids, controllers, status, orphan, stop } = await native('Auto');
  const before = await uids();
  await orphan();
  expect(await controllers()).toEqual(three('none'));
  await user.create(resources.DaemonSet, manifest(OURS, 'log:1'));
  await clock.advance(60_000);
  expect(await controllers()).toEqual(three(OURS));
  expect(await uids()).toEqual(before);
  expect(await status()).toMatchObject({ updatedNumberScheduled: 3, numberAvailable: 3 });
  stop();
});

test('in the middle of a rollout each pod keeps its revision, and the one of most pods is stable', async () => {
  const { clock, user, pods, uids, controllers, status, orphan, stop } = await native('Required');
  const body = { spec: objectOf(manifest('apps/v1', 'log:2')['spec']) };
  await user.patch(nativeResource, at, {
    type: 'merge',
    body: { spec: { template: body.spec['template'] ?? null } },
  });
  await clock.advance(1_000);
  const [first] = (await pods()).filter(({ spec }) => requiredNode(spec) === 'node-1');
  await user.delete(resources.Pod, { namespace: 'shop', name: first?.metadata.name ?? '' });
  await clock.advance(60_000);
  const before = await uids();
  await orphan();
  await user.create(resources.DaemonSet, manifest(OURS, 'log:2'));
  await clock.advance(60_000);
  expect(await controllers()).toEqual(three(OURS));
  expect(await uids()).toEqual(before);
  expect(await status()).toMatchObject({
    updatedNumberScheduled: 1,
    numberAvailable: 3,
    conditions: [{ type: 'plan.kruise.io/Held', reason: 'NoPlan' }],
  });
  stop();
});

test('nothing is decided while the revision of an orphan belongs to the controller that leaves it', async () => {
  const { clock, user, pods, uids, controllers, status, stop } = await native('Auto');
  const before = await uids();
  // The garbage collector releases the dependents of a deleted owner one by one. Nothing runs that would adopt them again.
  const [revision] = (await user.list(resources.ControllerRevision, { namespace: 'shop' })).items;
  await user.patch(nativeResource, at, {
    type: 'merge',
    body: { metadata: { finalizers: ['example.com/slow'] } },
  });
  await user.delete(nativeResource, at);
  const released = { type: 'merge', body: { metadata: { ownerReferences: null } } } as const;
  for (const { metadata } of await pods())
    await user.patch(resources.Pod, { namespace: 'shop', name: metadata.name }, released);
  await user.create(resources.DaemonSet, manifest(OURS, 'log:1'));
  await clock.advance(60_000);
  expect(await controllers()).toEqual(three('none'));
  const name = revision?.metadata.name ?? '';
  expect(await status()).toMatchObject({
    conditions: [
      {
        reason: 'AdoptionPending',
        message: expect.stringContaining(`its ControllerRevision ${name} belongs to DaemonSet log`) as string,
      },
    ],
  });
  await user.patch(resources.ControllerRevision, { namespace: 'shop', name }, released);
  await clock.advance(5_000);
  expect(await controllers()).toEqual(three(OURS));
  expect(await uids()).toEqual(before);
  stop();
});
