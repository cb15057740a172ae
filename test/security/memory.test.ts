import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createIntern } from '../../runtime/observe/intern.ts';
import { controllerReference } from '../../semantics/owner.ts';
import { projectPod } from '../../semantics/pod/project.ts';
import type { Container, Pod } from '../../semantics/pod/types.ts';
import { cloneSet, createTestCluster, patchSpec, type TestCluster, templateOf } from '../runtime/stage.ts';
import { EVIL, twoTenants, VICTIM, withStored } from './world.ts';

const KIB = 1024;

function revision(name: string, namespace: string, owner: KubeObject | undefined, kib: number): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      namespace,
      ...(owner === undefined ? {} : { ownerReferences: [controllerReference(owner)] }),
    },
    data: { text: 'x'.repeat(kib * KIB) },
    revision: 1,
  };
}

function held(target: KubeObject): { reason: string; message: string } | undefined {
  const { conditions = [] } = (target['status'] ?? {}) as {
    conditions?: { type: string; status: string; reason: string; message: string }[];
  };
  return conditions.find(({ type, status }) => type === 'plan.kruise.io/Held' && status === 'True');
}

function bytesOf(stage: TestCluster, plural: string): number {
  return stage.runtime.cacheSizes().find(({ resource }) => resource === plural)?.bytes ?? NaN;
}

describe('security 5: objects of other users do not exhaust the memory of the runtime', () => {
  const foreign = {
    ...cloneSet('db', 'db:1'),
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db', namespace: EVIL, uid: 'u' },
  };
  test.each([
    ['nobody', undefined],
    ['a StatefulSet of apps', foreign],
  ])('revisions controlled by %s are not cached', async (_, owner) => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'), { world: twoTenants });
    for (let n = 0; n < 20; n += 1)
      await stage.user.create(resources.ControllerRevision, revision(`big-${n}`, EVIL, owner, 500));
    // Before those of no owner are collected.
    await stage.clock.settle();
    expect(bytesOf(stage, 'controllerrevisions')).toBeLessThan(20 * KIB);
    await stage.stop();
  });

  test('pods of other controllers are not cached, and a pod that becomes owned is', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'), { world: twoTenants });
    const [template] = await stage.pods();
    const { labels = {} } = template?.metadata ?? {};
    const pod = { apiVersion: 'v1', kind: 'Pod', spec: template?.spec };
    await stage.user.create(resources.Pod, { ...pod, metadata: { name: 'a', namespace: VICTIM, labels } });
    await stage.clock.advance(60_000);
    expect(stage.runtime.cacheSizes().find(({ resource }) => resource === 'pods')?.objects).toBe(3);
    const reference = { ...controllerReference(await stage.target()) };
    const body = { metadata: { ownerReferences: [reference] } };
    const at = { namespace: VICTIM, name: 'a' };
    await stage.user.patch(resources.Pod, at, { type: 'merge', body });
    await stage.clock.settle();
    await stage.clock.advance(60_000);
    // Four are one too many: it counts.
    expect(await stage.pods()).toHaveLength(3);
    await stage.stop();
  });

  test('an oversized owned object holds its target, with the reason, until it is deleted', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'));
    await stage.user.create(resources.CloneSet, cloneSet('api', 'api:1'));
    const giant = revision('giant', VICTIM, await stage.target('web'), 700);
    await stage.user.create(resources.ControllerRevision, giant);
    await stage.clock.advance(60_000);
    expect(held(await stage.target('web'))).toMatchObject({
      reason: 'TooLarge',
      message: expect.stringContaining('ControllerRevision giant exceeds the memory') as string,
    });
    expect(bytesOf(stage, 'controllerrevisions')).toBeLessThan(20 * KIB);
    await stage.change('api:2', {}, 'api');
    await stage.change('web:2', {}, 'web');
    await stage.clock.advance(120_000);
    expect([await stage.images('api'), await stage.images('web')]).toEqual([{ 'api:2': 3 }, { 'web:1': 3 }]);
    await stage.user.delete(resources.ControllerRevision, { namespace: VICTIM, name: 'giant' });
    await stage.clock.advance(120_000);
    expect([await stage.images('web'), held(await stage.target('web'))]).toEqual([{ 'web:2': 3 }, undefined]);
    await stage.stop();
  });

  test('an oversized target is held without repeated writes', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'));
    const template = { ...templateOf('web', 'web:1') };
    const env = [{ name: 'NOTE', value: 'x'.repeat(600 * KIB) }];
    const spec = { containers: [{ name: 'main', image: 'web:1', env }] };
    await patchSpec(stage, 'web', { template: { ...template, spec } });
    await stage.clock.advance(60_000);
    expect(held(await stage.target())?.reason).toBe('InvalidTarget');
    const writes = (): number =>
      stage.world.log.filter(
        ({ user, verb }) => user === 'kruise' && verb !== 'watch' && verb !== 'list' && verb !== 'get',
      ).length;
    const before = writes();
    await stage.clock.advance(600_000);
    expect(writes()).toBe(before);
    await stage.stop();
  });

  const cell = (depth: number): Json => (depth === 0 ? [] : [cell(depth - 1)]);
  test.each<[string, JsonObject]>([
    ['nested deeply', { deep: cell(6_000) }],
    ['many empty lists', { many: Array.from({ length: 100_000 }, () => []) }],
  ])('an object with %s holds only its own target', async (_, extra) => {
    const stored = (object: KubeObject): KubeObject =>
      object.metadata.name === 'giant' ? { ...object, data: extra } : object;
    const stage = await createTestCluster(cloneSet('web', 'web:1'), {
      wrap: (cluster) => withStored(cluster, 'ControllerRevision', stored),
    });
    await stage.user.create(resources.CloneSet, cloneSet('api', 'api:1'));
    const giant = revision('giant', VICTIM, await stage.target('web'), 1);
    await stage.user.create(resources.ControllerRevision, giant);
    await stage.clock.advance(60_000);
    expect(held(await stage.target('web'))?.reason).toBe('TooLarge');
    await stage.change('api:2', {}, 'api');
    await stage.clock.advance(120_000);
    expect(await stage.images('api')).toEqual({ 'api:2': 3 });
    expect(stage.errors).toEqual([]);
    await stage.stop();
  });

  test('a pod with an oversized status holds a target that has no status yet', async () => {
    const conditions = Array.from({ length: 20_000 }, (_, n) => ({ type: `t${n}`, status: 'True' }));
    const grown = (pod: KubeObject): KubeObject => ({ ...pod, status: { phase: 'Running', conditions } });
    const fresh = (target: KubeObject): KubeObject =>
      Object.fromEntries(Object.entries(target).filter(([key]) => key !== 'status')) as KubeObject;
    const stage = await createTestCluster(cloneSet('web', 'web:1'), {
      wrap: (cluster) => withStored(withStored(cluster, 'Pod', grown), 'CloneSet', fresh),
    });
    expect(held(await stage.target())?.reason).toBe('TooLarge');
    await stage.stop();
  });

  test('an oversized command is refused, and its target continues', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'), { policy: 'Auto' });
    const annotations = { note: 'x'.repeat(60 * KIB) };
    const name = 'large';
    await stage.user.create(resources.RolloutCommand, {
      apiVersion: 'plan.kruise.io/v1alpha1',
      kind: 'RolloutCommand',
      metadata: { name, namespace: VICTIM, annotations },
      spec: { target: { kind: 'CloneSet', name: 'web' }, action: 'Pause', by: 'eve' },
    });
    await patchSpec(stage, 'web', { replicas: 5 });
    await stage.clock.advance(60_000);
    expect(await stage.pods()).toHaveLength(5);
    const at = { namespace: VICTIM, name };
    const { status } = (await stage.user.get(resources.RolloutCommand, at)) as { status?: unknown };
    expect(status).toMatchObject({ result: 'Refused', message: expect.stringContaining('larger') as string });
    await stage.clock.advance(25 * 3_600_000);
    await expect(stage.user.get(resources.RolloutCommand, at)).rejects.toThrow('not found');
    await stage.stop();
  });
});

describe('security 5: pods share only equal values', () => {
  const pod = (containers: Container[]): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: VICTIM, uid: 'u', resourceVersion: '1' },
    spec: { containers },
  });

  test('no string in a container of one pod changes the cached state of another', () => {
    const intern = createIntern();
    projectPod(pod([{ name: 'a', image: 'one\nb two' }]), intern);
    const seen = projectPod(
      pod([
        { name: 'a', image: 'one' },
        { name: 'b', image: 'two' },
      ]),
      intern,
    );
    expect(seen.spec.containers).toEqual([
      { name: 'a', image: 'one' },
      { name: 'b', image: 'two' },
    ]);
  });

  test('no group of its controller does', () => {
    const intern = createIntern();
    const owner = { kind: 'CloneSet', name: 'web', uid: 'u', controller: true };
    const owned = (apiVersion: string): Pod => {
      const one = pod([]);
      return { ...one, metadata: { ...one.metadata, ownerReferences: [{ ...owner, apiVersion }] } };
    };
    projectPod(owned('evil.example/v1'), intern);
    const [reference] = projectPod(owned('apps.kruise.io/v1beta1'), intern).metadata.ownerReferences ?? [];
    expect(reference?.apiVersion).toBe('apps.kruise.io/v1beta1');
  });
});
