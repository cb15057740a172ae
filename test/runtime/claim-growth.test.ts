import { expect, test } from 'vitest';
import type { Finding } from '../../runtime/shadow/compare.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { createShadow } from '../../runtime/shadow/shadow.ts';
import { createVirtualClock, createWorld, type VirtualClock, type World } from 'kruise-sandbox';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { statefulSetKind } from '../../semantics/statefulset/kind.ts';
import { statefulSet } from '../fixtures/stateful-set.ts';
import { makeClass, makeGrowingClass } from '../fixtures/storage-class.ts';

const MINUTE = 60_000;
const at = { namespace: 'shop', name: 'web' };

const pods: JsonObject = { replicas: 2, podManagementPolicy: 'Parallel' };
const claims = (size: string): JsonObject => ({
  volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' },
  volumeClaimTemplates: [
    {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } } },
    },
  ],
});

/** Two pods with claims of 1Gi of the default storage class. Then their template has this size, and the pods this image. */
async function grown(makeStorage: (world: World) => void, size: string, image = 'web:1') {
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
  await user.create(statefulSetKind.resource, statefulSet('web', 'web:1', { ...pods, ...claims('1Gi') }));
  await clock.advance(MINUTE);
  const resize = async (to: string): Promise<void> => {
    const { template } = statefulSet('web', image)['spec'] as { template: JsonObject };
    const patch = { type: 'merge', body: { spec: { ...claims(to), template } } } as const;
    await user.patch(statefulSetKind.resource, at, patch);
    await clock.advance(MINUTE);
  };
  const uids = async () =>
    (await user.list(resources.Pod, { namespace: 'shop' })).items.map(({ metadata }) => metadata.uid);
  const before = await uids();
  const { told, stopShadow } = await shadowed(world, clock);
  await resize(size);
  return {
    resize,
    told: async () => {
      // A shadow waits until the target is at rest.
      await clock.advance(30 * MINUTE);
      return told();
    },
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
      stopShadow();
      void runtime.stop();
      world.stop();
    },
  };
}

/** A dry run of the same rules beside the runtime. `told`: where it would have done something else. */
async function shadowed(world: World, clock: VirtualClock) {
  const findings: Finding[] = [];
  const shadow = createShadow({
    cluster: world.cluster('shadow'),
    clock,
    policy: 'Auto',
    targets: [{ kind: statefulSetKind, resource: statefulSetKind.resource }],
    onFinding: (_, finding) => findings.push(finding),
    onRefused: (key, fields) => {
      throw new Error(`${String(key)}: ${fields.join(', ')}`);
    },
    onWatchLost: (_, error) => {
      throw error;
    },
    onForbidden: (plural) => {
      throw new Error(plural);
    },
  });
  shadow.start();
  await clock.advance(1_000);
  const told = (): string[] => findings.filter(({ verdict }) => verdict !== 'same').map(({ text }) => text);
  return { told, stopShadow: shadow.stop };
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

test.each<[what: string, makeStorage: (world: World) => void, image: string, claims: string]>([
  ['alone', makeGrowingClass, 'web:1', '2Gi'],
  ['with a new image', makeGrowingClass, 'web:2', '2Gi'],
  ['that the server refuses', makeClass, 'web:2', '1Gi'],
])(
  'a shadow beside a controller that grows claims finds no difference: %s',
  async (_, storage, image, size) => {
    const set = await grown(storage, '2Gi', image);
    expect(await set.told()).toEqual([]);
    expect(await set.sizes()).toEqual([size, size]);
    set.stop();
  },
);

test('one that expands: they grow, and no pod is recreated (AS-43)', async () => {
  const set = await grown(makeGrowingClass, '2Gi');
  expect(await set.sizes()).toEqual(['2Gi', '2Gi']);
  expect(await set.held()).toEqual([]);
  expect(await set.isUntouched()).toBe(true);
  set.stop();
});
