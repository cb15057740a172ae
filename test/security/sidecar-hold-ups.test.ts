import { afterEach, describe, expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { type SidecarWorld, sidecarWorld } from '../runtime/sidecar-world.ts';

const MINUTE = 60_000;
const ONE_AT_A_TIME = [{ id: 'all', update: { to: '100%', window: { maxUnavailable: 1 } } }];
const BEHIND = 'plan.kruise.io/PodsBehind';
const INJECTED = 'kruise.io/sidecarset-hash';

let cluster: SidecarWorld;
afterEach(async () => {
  await cluster.stop();
});

/** Three pods of a Deployment, and one of a tenant in another namespace. */
async function ready(start?: Parameters<typeof sidecarWorld>[0]): Promise<void> {
  cluster = await sidecarWorld(start);
  await cluster.set('log:1');
  await cluster.deployment('web', 3);
  await cluster.bare('evil', 'other');
}

const EVIL = { namespace: 'other', name: 'evil' };

async function annotate(annotations: Record<string, string>, at = EVIL): Promise<void> {
  await cluster.user.patch(resources.Pod, at, { type: 'merge', body: { metadata: { annotations } } });
}

/** How many bytes the annotations of the tenant's pod take. */
async function size(): Promise<number> {
  const { metadata } = await cluster.user.get(resources.Pod, EVIL);
  return Object.entries(metadata.annotations ?? {}).reduce((sum, each) => sum + each.join('').length, 0);
}

const record = (hash: string): string =>
  JSON.stringify({
    log: { hash, sidecarSetName: 'log', sidecarList: ['log'], controllerRevision: 'log-none' },
  });

describe('what a tenant writes on a pod holds up no other', () => {
  test.each<[what: string, write: () => Promise<void>, reason: string]>([
    ['a revision that the set does not have', () => annotate({ [INJECTED]: record('x') }), 'Unknown'],
    ['a record that is no JSON', () => annotate({ [INJECTED]: '{' }), 'Unknown'],
    ['a record of another shape', () => annotate({ [INJECTED]: '{"log":[5]}' }), 'Unknown'],
    [
      'a record without images that is no JSON',
      () => annotate({ 'kruise.io/sidecarset-hash-without-image': '[]' }),
      'NotWritable',
    ],
    [
      'annotations that leave no room',
      async () => annotate({ full: 'x'.repeat(256 * 1024 - (await size()) - 50) }),
      'NotWritable',
    ],
  ])('%s', async (_what, write, reason) => {
    await ready();
    await write();
    await cluster.set('log:2', ONE_AT_A_TIME);
    await cluster.until('Succeeded');
    expect(await cluster.images()).toEqual({ 'log:1': 1, 'log:2': 3 });
    expect(await cluster.condition(BEHIND)).toMatchObject({
      status: 'True',
      reason,
      message: expect.stringMatching(/^1 pod .*, such as other\/evil\. .*restart their owners$/) as string,
    });
    expect(await cluster.plan()).toMatchObject({ behind: 1, updated: '3/3' });
    expect(cluster.errors).toEqual([]);
  });

  test('the revision before the last, which the plan does not start from', async () => {
    await ready();
    const { metadata } = await cluster.user.get(resources.Pod, EVIL);
    const first = metadata.annotations?.[INJECTED] ?? '';
    for (const image of ['log:2', 'log:3']) {
      await cluster.set(image, ONE_AT_A_TIME);
      await cluster.until('Succeeded');
    }
    await annotate({ [INJECTED]: first });
    for (const { metadata: plan } of (await cluster.user.list(resources.ClusterRolloutPlan, {})).items)
      await cluster.user.delete(resources.ClusterRolloutPlan, { name: plan.name });
    await cluster.set('log:4', ONE_AT_A_TIME);
    await cluster.until('Succeeded');
    expect(await cluster.images()).toEqual({ 'log:4': 4 });
  });

  test('a record of an update in place that cannot be read', async () => {
    await ready();
    await annotate({ 'kruise.io/sidecarset-inplace-update-state': '{' });
    await cluster.set('log:2', ONE_AT_A_TIME);
    await cluster.until('Succeeded');
    expect(await cluster.images()).toEqual({ 'log:2': 4 });
    expect(await cluster.condition(BEHIND)).toBeUndefined();
  });

  test('while a plan runs', async () => {
    await ready();
    const soak = { id: 'soak', soak: { for: '5m' } };
    await cluster.set('log:2', [{ id: 'one', update: { to: 1 } }, soak, ...ONE_AT_A_TIME]);
    await cluster.until('Soaking');
    await annotate({ [INJECTED]: record('x') });
    await cluster.until('Succeeded', 60 * MINUTE);
    expect((await cluster.images())['log:2']).toBeGreaterThanOrEqual(3);
  });

  test('while it goes back', async () => {
    await ready();
    await cluster.set('log:2', [
      { id: 'all', update: { to: '100%' } },
      { id: 'stop', approve: {} },
    ]);
    await cluster.until('AwaitingApproval');
    await annotate({ [INJECTED]: record('x') });
    await cluster.set('log:1');
    await cluster.until('Reverted');
    expect((await cluster.images())['log:1']).toBeGreaterThanOrEqual(3);
  });
});

test.each([0, 1, 2, 3])(
  'what is written on pod %s keeps no other from the way back, while git is at the change',
  async (at) => {
    await ready();
    const gate = { id: 'stop', approve: {} };
    await cluster.set('log:2', [...ONE_AT_A_TIME, gate]);
    await cluster.until('AwaitingApproval');
    const { namespace, name } = (await cluster.pods())[at]?.metadata ?? EVIL;
    await annotate({ 'kruise.io/sidecarset-hash-without-image': '[]' }, { namespace: namespace ?? '', name });
    const plan = (await cluster.user.list(resources.ClusterRolloutPlan, {})).items[0];
    await cluster.user.create(resources.ClusterRolloutCommand, {
      apiVersion: 'plan.kruise.io/v1alpha1',
      kind: 'ClusterRolloutCommand',
      metadata: { name: 'back' },
      spec: {
        target: { kind: 'SidecarSet', name: 'log' },
        action: 'Revert',
        digest: objectOf(plan?.['spec'])['digest'] ?? '',
        by: 'mona',
      },
    });
    await cluster.clock.advance(10 * MINUTE);
    expect(await cluster.images()).toEqual({ 'log:1': 3, 'log:2': 1 });
    expect(await cluster.plan()).toMatchObject({ phase: 'Reverted' });
  },
);

describe('what the change breaks is never left out', () => {
  test('pods of one namespace alone that restart with it halt it', async () => {
    await ready();
    cluster.world.images.set('log:bad', { crashAfterMs: 1_000 });
    await cluster.set('log:bad', [
      { id: 'most', update: { to: '75%' } },
      { id: 'soak', soak: { for: '20m' } },
      ...ONE_AT_A_TIME,
    ]);
    await cluster.until('Halted', 60 * MINUTE);
    expect(await cluster.condition(BEHIND)).toBeUndefined();
  });

  test('nor a pod that is full once it has the change', async () => {
    cluster = await sidecarWorld();
    await cluster.set('log:1');
    await cluster.bare('evil', 'other');
    cluster.world.images.set('log:bad', { crashAfterMs: 60_000 });
    await cluster.set('log:bad', [...ONE_AT_A_TIME, { id: 'soak', soak: { for: '20m' } }]);
    await cluster.until('Soaking');
    await annotate({ full: 'x'.repeat(256 * 1024 - (await size()) - 50) });
    await cluster.until('Halted', 60 * MINUTE);
    expect(await cluster.condition(BEHIND)).toBeUndefined();
  });

  test('nor a pod whose change the server refuses', async () => {
    const refuse = (inner: Cluster): Cluster => ({
      ...inner,
      patch: async (resource, at, ...more) => {
        if (resource.plural === 'pods' && at.namespace === 'other')
          throw new ApiError({ code: 403, reason: 'Forbidden', message: 'a policy says no' });
        return inner.patch(resource, at, ...more);
      },
    });
    await ready({ start: (options) => createRuntime({ ...options, cluster: refuse(options.cluster) }) });
    await cluster.set('log:2', ONE_AT_A_TIME);
    await expect(cluster.until('Succeeded', 60 * MINUTE)).rejects.toThrow('not Succeeded');
    expect(await cluster.condition(BEHIND)).toBeUndefined();
  });
});

describe('so many pods that a rollout would end without most of them are not left out', () => {
  const forge = async (names: readonly string[], namespace: string): Promise<void> => {
    for (const name of names) await annotate({ [INJECTED]: record('x') }, { namespace, name });
    await cluster.clock.advance(5_000);
  };
  const namesIn = async (wanted: string): Promise<string[]> =>
    (await cluster.pods()).flatMap(({ metadata: { namespace, name } }) =>
      namespace === wanted ? [name] : [],
    );

  test.each<[what: string, web: number, forged: number, tenants: number, isLeftOut: boolean]>([
    ['one of ten in the only namespace', 10, 1, 0, true],
    ['two of ten in the only namespace', 10, 2, 0, false],
    ['all of another namespace, which has less than half', 5, 0, 3, true],
    ['all of another namespace, which has more', 3, 0, 4, false],
    ['all of another namespace, and one of the first', 5, 1, 3, true],
    ['all of another namespace, and two of the first', 5, 2, 3, false],
  ])('%s', async (_what, web, forged, tenants, isLeftOut) => {
    cluster = await sidecarWorld();
    await cluster.set('log:1');
    await cluster.deployment('web', web);
    for (let at = 0; at < tenants; at++) await cluster.bare(`tenant-${at}`, 'other');
    await forge((await namesIn('shop')).slice(0, forged), 'shop');
    await forge(await namesIn('other'), 'other');
    expect((await cluster.condition(BEHIND))?.message).toContain(
      isLeftOut
        ? 'No rollout changes or awaits them'
        : 'they are too many for a plan to succeed without them',
    );
    await cluster.set('log:2', ONE_AT_A_TIME);
    if (isLeftOut) {
      await cluster.until('Succeeded', 30 * MINUTE);
      expect(await cluster.images()).toEqual({ 'log:1': forged + tenants, 'log:2': web - forged });
    } else {
      await cluster.clock.advance(60 * MINUTE);
      expect(await cluster.plan()).toMatchObject({ phase: 'Running' });
      expect(await cluster.images()).toEqual({ 'log:1': forged + tenants, 'log:2': web - forged });
      expect(cluster.errors).toEqual([]);
    }
  });
});
