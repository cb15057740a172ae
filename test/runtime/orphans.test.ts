import { expect, test } from 'vitest';
import { createOrphanCache } from '../../runtime/observe/orphans.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { controllerOf } from '../../semantics/owner.ts';
import { targetKey } from '../../runtime/observe/target-key.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { revisionData } from '../../semantics/revision/revisions.ts';
import { statefulSetKind } from '../../semantics/statefulset/kind.ts';
import { statefulSet } from '../fixtures/stateful-set.ts';

const at = (name: string) => ({ namespace: 'shop', name });
const target = statefulSet('web', 'web:1', { replicas: 2, podManagementPolicy: 'Parallel' });
const nativeResource = {
  group: 'apps',
  version: 'v1',
  plural: 'statefulsets',
  kind: 'StatefulSet',
  namespaced: true,
};

/** Pods web-0 and web-1 without controller, at a revision that has one or not, and a runtime. */
async function orphaned(
  revision: { owner: boolean } | undefined,
  wrap = (cluster: Cluster): Cluster => cluster,
) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', 'shop'] });
  const user = world.cluster('user');
  const owner = await user.create(nativeResource, {
    ...target,
    apiVersion: 'apps/v1',
    spec: { ...(target['spec'] as object), updateStrategy: { type: 'OnDelete' } },
  });
  const native = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: owner.metadata.uid ?? '' };
  const { template } = target['spec'] as { template: { spec: object } };
  const labels = { app: 'web', 'controller-revision-hash': 'web-abc' };
  for (const name of ['web-0', 'web-1'])
    await user.create(resources.Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...at(name), labels },
      spec: template.spec,
    });
  if (revision !== undefined)
    await user.create(resources.ControllerRevision, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        ...at('web-abc'),
        labels,
        ...(revision.owner && { ownerReferences: [{ ...native, controller: true }] }),
      },
      data: revisionData(template as never),
      revision: 4,
    });
  const errors: unknown[] = [];
  const cluster = wrap(world.cluster('kruise'));
  const runtime = createRuntime({
    cluster,
    clock,
    policy: 'Auto',
    onError: (_, error) => errors.push(error),
  });
  runtime.start();
  await clock.settle();
  const made = await user.create(resources.StatefulSet, target);
  const uids = async (): Promise<unknown[]> => {
    const { items } = await user.list(resources.Pod, { namespace: 'shop' });
    return items.map((pod) => [pod.metadata.name, pod.metadata.uid, controllerOf(pod)?.uid]);
  };
  const before = await uids();
  return {
    clock,
    user,
    made,
    uids,
    owned: before.map((row) => [...(row as unknown[]).slice(0, 2), made.metadata.uid]),
    before,
    stop() {
      void runtime.stop();
      world.stop();
      expect(errors).toEqual([]);
    },
  };
}

test('pods without controller are adopted as they are', async () => {
  const { clock, uids, owned, stop } = await orphaned({ owner: false });
  await clock.advance(60_000);
  expect(await uids()).toEqual(owned);
  stop();
});

test('pods whose revision does not exist are adopted, and replaced as those of any unknown revision', async () => {
  const { clock, user, uids, made, stop } = await orphaned(undefined);
  await clock.advance(120_000);
  expect((await uids()).map((row) => (row as unknown[])[2])).toEqual([made.metadata.uid, made.metadata.uid]);
  expect((await user.get(resources.StatefulSet, at('web')))['status']).toMatchObject({ updatedReplicas: 2 });
  stop();
});

test('nothing is decided while the revision of an orphan belongs to the controller that leaves it', async () => {
  const { clock, user, uids, before, owned, stop } = await orphaned({ owner: true });
  await clock.advance(60_000);
  expect(await uids()).toEqual(before);
  const { status } = (await user.get(resources.StatefulSet, at('web'))) as unknown as {
    status: { conditions: { reason: string; message: string }[] };
  };
  expect(status.conditions).toMatchObject([
    {
      reason: 'AdoptionPending',
      message: expect.stringContaining('web-abc belongs to StatefulSet web') as string,
    },
  ]);
  const body = { metadata: { ownerReferences: null } };
  await user.patch(resources.ControllerRevision, at('web-abc'), { type: 'merge', body });
  await clock.advance(5_000);
  expect(await uids()).toEqual(owned);
  stop();
});

test('a target that the server is deleting adopts nothing, though the cache does not show it yet', async () => {
  const asked: string[] = [];
  let isDeleting = true;
  const { clock, uids, before, owned, stop } = await orphaned({ owner: false }, (cluster) => ({
    ...cluster,
    async get(resource, key) {
      const found = await cluster.get(resource, key);
      if (resource.kind !== 'StatefulSet') return found;
      asked.push(key.name);
      const deleted = { ...found.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
      return isDeleting ? { ...found, metadata: deleted } : found;
    },
  }));
  await clock.advance(10_000);
  expect(asked.length).toBeGreaterThan(0);
  expect(await uids()).toEqual(before);
  isDeleting = false;
  await clock.advance(5_000);
  expect(await uids()).toEqual(owned);
  stop();
});

test('a released pod is adopted again once its labels match', async () => {
  const { clock, user, uids, owned, made, stop } = await orphaned({ owner: false });
  await clock.advance(1_000);
  const relabel = (app: string) =>
    user.patch(resources.Pod, at('web-1'), { type: 'merge', body: { metadata: { labels: { app } } } });
  await relabel('other');
  await clock.advance(1_000);
  const [first, second] = (await uids()) as [string, string, string | undefined][];
  expect([first?.[2], second?.[2]]).toEqual([made.metadata.uid, undefined]);
  await relabel('web');
  await clock.advance(2_000);
  expect(await uids()).toEqual(owned);
  stop();
});

test('only pods that some target may adopt are cached', () => {
  const object = (kind: string, name: string, more: object = {}): KubeObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { ...at(name), labels: { app: 'web' }, ...more },
  });
  let lists = 0;
  let podLists = 0;
  const cacheOf = (areNumbered: boolean) => {
    const kind: Kind = { ...statefulSetKind, uses: [{ of: 'Orphans', areNumbered }] };
    return createOrphanCache(
      () => [kind],
      () => false,
      { pods: () => (podLists += 1), revisions: () => (lists += 1) },
    );
  };
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: '1', controller: true };
  const numbered = cacheOf(true);
  const names = ['web-0', 'web-12', 'web-01', 'web-a', 'web', '7'];
  expect(names.filter((name) => numbered.keeps(object('Pod', name)))).toEqual(['web-0', 'web-12']);
  expect(names.filter((name) => cacheOf(false).keeps(object('Pod', name)))).toEqual([]);
  // Nobody adopts it.
  expect(numbered.keeps(object('ControllerRevision', 'web-a'))).toBe(false);
  expect(numbered.keeps(object('Pod', 'web-0', { ownerReferences: [owner] }))).toBe(false);

  const key = targetKey(statefulSetKind.id, 'shop', 'web');
  const selector = { matchLabels: { app: 'web' } };
  numbered.need(key, [{ of: 'Orphans', selector, numbered: 'web-' }]);
  expect(numbered.file(object('Pod', 'web-0'), false)).toEqual([key]);
  expect(numbered.file(object('Pod', 'other-0'), false)).toEqual([]);
  expect(numbered.file(object('Pod', 'web-1', { labels: { app: 'other' } }), false)).toEqual([]);
  const found = (listed: number) => {
    const orphans = numbered.of(key, { pods: 0, revisions: listed });
    return typeof orphans === 'object' ? orphans.pods.map(({ metadata }) => metadata.name) : orphans;
  };
  expect([found(0), found(0), lists]).toEqual(['pending', 'pending', 1]);
  expect(numbered.keeps(object('ControllerRevision', 'web-a'))).toBe(true);
  expect(numbered.keeps(object('ControllerRevision', 'api-a', { labels: { app: 'api' } }))).toBe(false);
  expect(found(1)).toEqual(['web-0']);
  numbered.file(object('Pod', 'web-0', { deletionTimestamp: '2026-01-01T00:00:00Z' }), false);
  expect(found(1)).toEqual([]);
  expect(numbered.keeps(object('ControllerRevision', 'web-a'))).toBe(false);
  numbered.need(key, []);
  expect(numbered.of(key, { pods: 0, revisions: 1 })).toBeUndefined();

  const byLabels = cacheOf(false);
  byLabels.need(key, [{ of: 'Orphans', selector }]);
  // Those that were observed before were not cached.
  expect([byLabels.of(key, { pods: 0, revisions: 9 }), podLists]).toEqual(['pending', 1]);
  expect(byLabels.of(key, { pods: 1, revisions: 9 })).toEqual({ pods: [], revisions: [] });
  expect(names.filter((name) => byLabels.keeps(object('Pod', name)))).toEqual(names);
  expect(byLabels.keeps(object('Pod', 'web', { labels: { app: 'api' } }))).toBe(false);
  expect(byLabels.keeps(object('Pod', 'web', { namespace: 'other' }))).toBe(false);
  byLabels.need(key, [{ of: 'Orphans', selector }]);
  expect(podLists).toBe(1);
  byLabels.need(key, [{ of: 'Orphans', selector: { matchLabels: { app: 'api' } } }]);
  expect([byLabels.of(key, { pods: 1, revisions: 9 }), podLists]).toEqual(['pending', 2]);
});

test('a pod that only pulls images, whose owner is gone, is adopted by nothing', () => {
  const orphans = createOrphanCache(
    () => [],
    () => false,
    { pods: () => 0, revisions: () => 0 },
  );
  const selector = { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] };
  const key = targetKey(resources.DaemonSet, 'shop', 'agent');
  orphans.need(key, [{ of: 'Orphans', numbered: undefined, selector } as never]);
  const pod = (labels: Record<string, string>): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...at('agent-pull-x'), labels },
  });
  const adopted = (): number | undefined => {
    const found = orphans.of(key, { pods: 0, revisions: 0 });
    return found === 'pending' ? undefined : found?.pods.length;
  };
  for (const [labels, count] of [
    [{}, 1],
    [{ 'plan.kruise.io/pull': 'k' }, 0],
  ] as const) {
    expect(orphans.keeps(pod(labels))).toBe(count === 1);
    orphans.file(pod(labels), false);
    expect(adopted()).toBe(count);
  }
});
