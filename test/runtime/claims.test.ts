import { afterEach, describe, expect, test } from 'vitest';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { CloneSetStatus } from '../../schemas/generated/types/cloneset.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { cloneSet, createTestCluster, patchSpec, type TestCluster } from './stage.ts';
import { quotas } from '../fixtures/quotas.ts';
import { makeClass } from '../fixtures/storage-class.ts';

const MINUTE = 60_000;
const storage = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const templates = [{ metadata: { name: 'data' }, spec: storage }];

let stage: TestCluster;
afterEach(() => stage.stop());

async function start(
  spec: JsonObject = {},
  options: Parameters<typeof createTestCluster>[1] = {},
): Promise<void> {
  const target = cloneSet('web', 'web:1', { replicas: 2, volumeClaimTemplates: templates, ...spec });
  stage = await createTestCluster(target, { policy: 'Auto', prepare: makeClass, ...options });
}

const claims = async (): Promise<KubeObject[]> =>
  (await stage.user.list(resources.PersistentVolumeClaim, { namespace: 'shop' })).items;
const names = (objects: readonly KubeObject[]): string[] =>
  objects.map(({ metadata }) => metadata.name).sort();
const held = async (): Promise<string> => {
  const { conditions = [] } = ((await stage.target())['status'] ?? {}) as {
    conditions?: { type: string; reason: string; message: string }[];
  };
  const found = conditions.find(({ type }) => type === 'plan.kruise.io/Held');
  return found === undefined ? '' : `${found.reason}: ${found.message}`;
};

describe('a pod and its claims', () => {
  test('exist, bound and running; then nothing is written for an hour', async () => {
    await start();
    const pods = await stage.pods();
    expect(names(await claims())).toEqual(names(pods).map((name) => `data-${name}`));
    expect((await claims()).map((claim) => claim['status'])).toEqual([
      expect.objectContaining({ phase: 'Bound' }),
      expect.objectContaining({ phase: 'Bound' }),
    ]);
    expect(pods.map(({ status }) => status?.phase)).toEqual(['Running', 'Running']);
    const writes = () =>
      stage.world.log.filter(
        ({ user, verb }) => user === 'kruise' && !['list', 'watch', 'get'].includes(verb),
      );
    const before = writes().length;
    await stage.clock.advance(60 * MINUTE);
    expect(writes().slice(before)).toEqual([]);
  });

  test('reuse on: the successor of a pod that was deleted by hand has its name and its data (CS-23)', async () => {
    await start();
    const [lost] = await stage.pods();
    const before = (await claims()).map(({ metadata }) => metadata.uid);
    await stage.user.delete(resources.Pod, { namespace: 'shop', name: lost?.metadata.name ?? '' });
    await stage.clock.advance(MINUTE);
    const heir = (await stage.pods()).find(({ metadata }) => metadata.name === lost?.metadata.name);
    expect(heir?.metadata.uid).not.toBe(lost?.metadata.uid);
    expect(heir?.status?.phase).toBe('Running');
    expect((await claims()).map(({ metadata }) => metadata.uid)).toEqual(before);
  });

  test('reuse off: it has a new name and a new claim, and the old one goes at once, young as it is (CS-24)', async () => {
    await start({ scaleStrategy: { enablePVCReuse: false } });
    const before = names(await stage.pods());
    await patchSpec(stage, 'web', { replicas: 3 });
    await stage.clock.advance(10_000);
    const lost = (await stage.pods()).find(({ metadata }) => !before.includes(metadata.name));
    await stage.user.delete(resources.Pod, { namespace: 'shop', name: lost?.metadata.name ?? '' });
    await stage.clock.advance(10_000);
    const pods = await stage.pods();
    expect(names(pods)).not.toContain(lost?.metadata.name);
    expect(names(await claims())).toEqual(names(pods).map((name) => `data-${name}`));
  });

  test('go together when the pod is recreated (CS-25) or scaled in', async () => {
    await start({ updateStrategy: { rollingUpdate: { podUpdatePolicy: 'ReCreate', maxUnavailable: 1 } } });
    const before = names(await claims());
    await stage.change('web:2', false);
    await stage.clock.advance(2 * MINUTE);
    expect(await stage.images()).toEqual({ 'web:2': 2 });
    const after = names(await claims());
    expect(after).toHaveLength(2);
    expect(after.filter((name) => before.includes(name))).toEqual([]);
    await patchSpec(stage, 'web', { replicas: 0 });
    await stage.clock.advance(MINUTE);
    expect(await claims()).toEqual([]);
  });

  test('stay together when the pod is updated in place (CS-31)', async () => {
    await start();
    const before = [...(await stage.pods()), ...(await claims())].map(({ metadata }) => metadata.uid);
    await stage.change('web:2', false);
    await stage.clock.advance(2 * MINUTE);
    expect(await stage.images()).toEqual({ 'web:2': 2 });
    expect([...(await stage.pods()), ...(await claims())].map(({ metadata }) => metadata.uid)).toEqual(
      before,
    );
  });

  test('go with their CloneSet, foreground deletion included (CS-45)', async () => {
    await start();
    const at = { namespace: 'shop', name: 'web' };
    const before = stage.world.log.length;
    await stage.user.delete(resources.CloneSet, at, { propagationPolicy: 'Foreground' });
    await stage.clock.advance(2 * MINUTE);
    expect(await claims()).toEqual([]);
    const made = stage.world.log
      .slice(before)
      .filter(({ user, verb, resource }) => user === 'kruise' && verb === 'create' && resource !== 'events');
    expect(made).toEqual([]);
    const gone = await stage.user.get(resources.CloneSet, at).catch((error: unknown) => error);
    expect(gone).toMatchObject({ status: { code: 404 } });
  });
});

describe('a claim that blocks a pod', () => {
  test('waits for its volume, as its pod does', async () => {
    await start({}, { prepare: () => {} });
    expect((await stage.pods()).map(({ status }) => status?.phase)).toEqual(['Pending', 'Pending']);
    makeClass(stage.world);
    await stage.clock.advance(MINUTE);
    expect((await stage.pods()).map(({ status }) => status?.phase)).toEqual(['Running', 'Running']);
  });

  test('that a quota refuses: no pod is created without it, and the target is held with the reason', async () => {
    await start({ replicas: 1 });
    await stage.user.create(quotas, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { namespace: 'shop', name: 'team' },
      spec: { hard: { persistentvolumeclaims: '1' } },
    });
    await stage.clock.advance(1_000);
    await patchSpec(stage, 'web', { replicas: 2 });
    await stage.clock.advance(MINUTE);
    expect(await stage.pods()).toHaveLength(1);
    expect(await held()).toMatch(
      /^NoCapacity: persistentvolumeclaims "data-web-\w{5}" is forbidden: exceeded quota: team/,
    );
    await stage.user.delete(quotas, { namespace: 'shop', name: 'team' });
    await stage.clock.advance(MINUTE);
    expect(await stage.pods()).toHaveLength(2);
    expect(await held()).toBe('');
    stage.errors.length = 0;
  });

  test('that is refused permanently: the target is held, and no pod is deleted before its claims are marked', async () => {
    let refuses = true;
    const wrap = (cluster: Cluster): Cluster => ({
      ...cluster,
      patch: async (resource, at, patch, options) => {
        if (refuses && resource === resources.PersistentVolumeClaim)
          throw new ApiError({
            code: 403,
            reason: 'Forbidden',
            message: 'persistentvolumeclaims may not be patched.',
          });
        return cluster.patch(resource, at, patch, options);
      },
    });
    await start({}, { wrap });
    await patchSpec(stage, 'web', { replicas: 1 });
    await stage.clock.advance(MINUTE);
    expect(await stage.pods()).toHaveLength(2);
    expect(await held()).toMatch(
      /^FailedUpdate: a claim cannot be updated: persistentvolumeclaims may not be/,
    );
    refuses = false;
    await stage.clock.advance(MINUTE);
    expect(await stage.pods()).toHaveLength(1);
    expect(await claims()).toHaveLength(1);
    expect(await held()).toBe('');
  });

  test('whose patch is refused, and that a user deletes: the target is no longer held', async () => {
    const wrap = (cluster: Cluster): Cluster => ({
      ...cluster,
      patch: async (resource, at, patch, options) => {
        if (resource !== resources.PersistentVolumeClaim) return cluster.patch(resource, at, patch, options);
        throw new ApiError({ code: 403, reason: 'Forbidden', message: 'may not be patched' });
      },
    });
    await start({}, { wrap });
    await patchSpec(stage, 'web', { replicas: 1 });
    await stage.clock.advance(MINUTE);
    expect(await held()).toMatch(/^FailedUpdate: /);
    for (const { metadata } of await claims())
      await stage.user.delete(resources.PersistentVolumeClaim, { namespace: 'shop', name: metadata.name });
    await stage.clock.advance(5_000);
    expect(await stage.pods()).toHaveLength(1);
    expect(await held()).toBe('');
  });

  test('that was deleted by hand and keeps terminating: the target is held with the claim that its next pod waits for', async () => {
    const logs = { metadata: { name: 'logs' }, spec: storage };
    await start({ replicas: 1, volumeClaimTemplates: [...templates, logs] });
    const [pod] = await stage.pods();
    const name = `logs-${pod?.metadata.name}`;
    const at = { namespace: 'shop', name };
    const hold = (finalizers: string[]) =>
      stage.user.patch(resources.PersistentVolumeClaim, at, {
        type: 'merge',
        body: { metadata: { finalizers } },
      });
    const failures = async () =>
      ((await stage.target())['status'] as CloneSetStatus).conditions?.map(
        ({ type, message }) => `${type}: ${message}`,
      );
    await hold(['example.com/kept']);
    await stage.user.delete(resources.PersistentVolumeClaim, at);
    await stage.user.delete(resources.Pod, { namespace: 'shop', name: pod?.metadata.name ?? '' });
    await stage.clock.advance(2 * MINUTE);
    expect(await failures()).toEqual([
      `FailedScale: a pod waits for the deletion of claim ${name}: it needs one of that name. Find out what blocks the deletion, such as a finalizer or a missing node`,
    ]);
    await hold([]);
    await stage.clock.advance(MINUTE);
    expect((await stage.pods()).map(({ metadata, status }) => [metadata.name, status?.phase])).toEqual([
      [pod?.metadata.name, 'Running'],
    ]);
    expect(await failures()).toBeUndefined();
  });

  test('that may not be listed: nothing is done, the target is held, and continues once it may be', async () => {
    let refuses = true;
    const wrap = (cluster: Cluster): Cluster => ({
      ...cluster,
      list: async (resource, options) => {
        if (refuses && resource === resources.PersistentVolumeClaim)
          throw new ApiError({
            code: 403,
            reason: 'Forbidden',
            message: 'persistentvolumeclaims is forbidden',
          });
        return cluster.list(resource, options);
      },
    });
    await start({}, { wrap });
    expect(await stage.pods()).toEqual([]);
    expect(await held()).toBe(
      'ClaimsUnseen: its pods have claims, and they cannot be listed: persistentvolumeclaims is forbidden. Grant the right',
    );
    refuses = false;
    await stage.clock.advance(MINUTE);
    expect(await stage.pods()).toHaveLength(2);
    expect(await held()).toBe('');
  });
});

test('claims are not listed if no target has any', async () => {
  await start({ volumeClaimTemplates: [] });
  expect(stage.world.log.filter(({ resource }) => resource === 'persistentvolumeclaims')).toEqual([]);
});
