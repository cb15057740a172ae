import { afterEach, expect, test, vi } from 'vitest';
import { ApiError, type Cluster } from '../../../schemas/wire/cluster.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { PART_LABEL, RANK_ANNOTATION, rationResource } from './spec.ts';
import { createRationCluster, MINUTE, ration, type RationCluster, SHOP, web } from './world.ts';

vi.mock('../../../semantics/registry/registered.ts', () => import('./registered.ts'));

const AT = { namespace: SHOP, name: 'web' };

let scene: RationCluster | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

/** How many pods of each part there are. */
async function parts({ pods }: RationCluster): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { metadata } of await pods()) {
    const part = metadata.labels?.[PART_LABEL] ?? 'none';
    found[part] = (found[part] ?? 0) + 1;
  }
  return found;
}

const scale = (replicas: number) =>
  scene?.user.patch(resources.CloneSet, AT, { type: 'merge', body: { spec: { replicas } } });

test('new pods are as the ration wants them, and on record before they exist', async () => {
  const order: string[] = [];
  scene = await createRationCluster([ration({ first: 2 })]);
  scene.world.onCommit(({ resource, object, type }) => {
    if (resource === 'pods' && type === 'ADDED')
      order.push(`pod ${object.metadata.labels?.[PART_LABEL] ?? ''}`);
    const { created } = (object['status'] ?? {}) as { created?: object };
    if (resource.startsWith('rations') && Object.keys(created ?? {}).length > 0)
      order.push(`record of ${Object.keys(created ?? {}).length}`);
  });
  await scene.user.create(resources.CloneSet, web('web', 'web:1', { replicas: 3 }));
  await scene.clock.advance(MINUTE);
  expect(order[0]).toBe('record of 2');
  expect(order.slice(1, 4).sort()).toEqual(['pod first', 'pod first', 'pod rest']);
  expect([await parts(scene), (await scene.ration()).created]).toEqual([{ first: 2, rest: 1 }, {}]);
  await scale(5);
  await scene.clock.advance(MINUTE);
  expect(await parts(scene)).toEqual({ first: 2, rest: 3 });
  expect([scene.errors, scene.denied]).toEqual([[], []]);
});

test('where a record is refused for good, pods are created all the same', async () => {
  const refusing = (cluster: Cluster): Cluster => ({
    ...cluster,
    async patch(resource, at, patch, options) {
      const { status = {} } = patch.body as { status?: object };
      if (resource.plural === rationResource.plural && 'created' in status && !('conditions' in status))
        throw new ApiError({ code: 403, reason: 'Forbidden', message: 'rations are closed' });
      return cluster.patch(resource, at, patch, options);
    },
  });
  scene = await createRationCluster([ration({ first: 2 }), web('web', 'web:1', { replicas: 3 })], refusing);
  await scene.clock.advance(MINUTE);
  expect(await parts(scene)).toEqual({ first: 2, rest: 1 });
});

test('a place that another pod takes meanwhile is not given twice', async () => {
  let takes = 0;
  const racing = (cluster: Cluster): Cluster => ({
    ...cluster,
    async patch(resource, at, patch, options) {
      const { status = {} } = patch.body as { status?: object };
      const isRecord =
        resource.plural === rationResource.plural && 'created' in status && !('conditions' in status);
      if (isRecord && takes++ === 0)
        await scene?.user.patch(
          rationResource,
          AT,
          {
            type: 'merge',
            body: { status: { firstLeft: 0, created: { elsewhere: '2026-01-01T00:02:00Z' } } },
          },
          { subresource: 'status' },
        );
      return cluster.patch(resource, at, patch, options);
    },
  });
  scene = await createRationCluster([ration({ first: 1 })], racing);
  await scene.user.create(resources.CloneSet, web('web', 'web:1', { replicas: 2 }));
  await scene.clock.advance(MINUTE);
  expect([takes, await parts(scene)]).toEqual([1, { rest: 2 }]);
});

test('a scale-in begins with the pods of the lowest cost', async () => {
  scene = await createRationCluster([web('web', 'web:1', { replicas: 4 }), ration({ total: 0 })]);
  const names = (await scene.pods()).map(({ metadata }) => metadata.name);
  const ranks = new Map(names.map((name, index) => [name, [3, 1, 2, 4][index]]));
  for (const [name, rank] of ranks) {
    const body = { metadata: { annotations: { [RANK_ANNOTATION]: String(rank) } } };
    await scene.user.patch(resources.Pod, { namespace: SHOP, name }, { type: 'merge', body });
  }
  await scale(2);
  await scene.clock.advance(MINUTE);
  const left = (await scene.pods()).map(({ metadata }) => String(ranks.get(metadata.name))).sort();
  expect(left).toEqual(['3', '4']);
});
