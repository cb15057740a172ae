import { expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import { createVirtualClock } from '../../sandbox/clock/virtual.ts';
import { createWorld, type World } from '../../sandbox/world.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { statefulSetKind } from '../../semantics/statefulset/kind.ts';
import { statefulSet } from '../fixtures/stateful-set.ts';
import { makeClass, makeGrowingClass } from '../fixtures/storage-class.ts';

const MINUTE = 60_000;
const at = { namespace: 'shop', name: 'web' };

const claims = (size: string): JsonObject => ({
  volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' },
  volumeClaimTemplates: [
    {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } } },
    },
  ],
});

/** Two pods with claims of 1Gi, whose template is then of this size. Their storage class is the default. */
async function grown(makeStorage: (world: World) => void, size: string) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', 'shop'] });
  makeStorage(world);
  const user = world.cluster('user');
  const runtime = createRuntime({
    cluster: world.cluster('kruise'),
    clock,
    policy: 'Auto',
    onError: () => {},
  });
  runtime.start();
  await clock.settle();
  await user.create(
    statefulSetKind.resource,
    statefulSet('web', 'web:1', { replicas: 2, podManagementPolicy: 'Parallel', ...claims('1Gi') }),
  );
  await clock.advance(MINUTE);
  const resize = async (to: string): Promise<void> => {
    const patch = { type: 'merge', body: { spec: claims(to) } } as const;
    await user.patch(statefulSetKind.resource, at, patch);
    await clock.advance(MINUTE);
  };
  const uids = async () =>
    (await user.list(resources.Pod, { namespace: 'shop' })).items.map(({ metadata }) => metadata.uid);
  const before = await uids();
  await resize(size);
  return {
    resize,
    isUntouched: async () => (await uids()).join() === before.join(),
    sizes: async () => {
      const { items } = await user.list(resources.PersistentVolumeClaim, { namespace: 'shop' });
      return items.map(({ status }) => (status as { capacity: { storage: string } }).capacity.storage);
    },
    held: async () => {
      const { conditions = [] } = (await user.get(statefulSetKind.resource, at))['status'] as {
        conditions?: { type: string; reason: string; message: string }[];
      };
      return conditions
        .filter(({ type }) => type === 'plan.kruise.io/Held')
        .map(({ reason, message }) => `${reason}: ${message}`);
    },
    stop: () => {
      void runtime.stop();
      world.stop();
    },
  };
}

test('a storage class that does not expand: no claim grows, and the target is held until its template is as before (AS-44)', async () => {
  const set = await grown(makeClass, '2Gi');
  expect(await set.sizes()).toEqual(['1Gi', '1Gi']);
  expect(await set.held()).toEqual([
    expect.stringMatching(/^FailedUpdate: a claim cannot be updated: .*storageclass .* must support resize/),
  ]);
  await set.resize('1Gi');
  expect(await set.held()).toEqual([]);
  expect(await set.isUntouched()).toBe(true);
  set.stop();
});

test('one that expands: they grow, and no pod is recreated (AS-43)', async () => {
  const set = await grown(makeGrowingClass, '2Gi');
  expect(await set.sizes()).toEqual(['2Gi', '2Gi']);
  expect(await set.held()).toEqual([]);
  expect(await set.isUntouched()).toBe(true);
  set.stop();
});
