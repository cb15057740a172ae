import { expect, test } from 'vitest';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import {
  cloneSet,
  createTestCluster,
  patchSpec,
  type TestCluster,
  type StageOptions,
  templateOf,
} from './stage.ts';

const ZONE = 'topology.kubernetes.io/zone';

/** Six nodes with a pod each, four of them in one zone, and two fewer pods are wanted. */
async function scaledIn(
  options: StageOptions = {},
  when?: (stage: TestCluster) => Promise<void>,
): Promise<TestCluster> {
  const template = templateOf('web', 'web:1') as { spec: object };
  const topologySpreadConstraints = [
    {
      topologyKey: ZONE,
      maxSkew: 1,
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { app: 'web' } },
    },
  ];
  const spec = {
    replicas: 6,
    template: { ...template, spec: { ...template.spec, topologySpreadConstraints } },
  };
  const stage = await createTestCluster(cloneSet('web', 'web:1', spec), {
    ...options,
    world: { nodes: 6, ...options.world },
  });
  const nodes = (await stage.pods()).map((pod) => pod.spec.nodeName ?? '');
  expect(new Set(nodes).size).toBe(6);
  for (const [index, name] of nodes.sort().entries()) {
    const body = { metadata: { labels: { [ZONE]: index < 2 ? 'a' : 'b' } } };
    await stage.user.patch(resources.Node, { name }, { type: 'merge', body });
  }
  await stage.clock.advance(1_000);
  await when?.(stage);
  await patchSpec(stage, 'web', { replicas: 4 });
  await stage.clock.advance(60_000);
  return stage;
}

async function zonesOf(stage: TestCluster): Promise<string[]> {
  const { items } = await stage.user.list(resources.Node, {});
  const zones = new Map(items.map(({ metadata }) => [metadata.name, metadata.labels?.[ZONE] ?? '']));
  return (await stage.pods()).map((pod) => zones.get(pod.spec.nodeName ?? '') ?? '').sort();
}

test('zones with two and four pods: scaling in by two leaves two in each (CS-21)', async () => {
  const stage = await scaledIn();
  expect(await zonesOf(stage)).toEqual(['a', 'a', 'b', 'b']);
  expect(stage.errors).toEqual([]);
  await stage.stop();
});

test('without the right to list nodes, scaling in continues', async () => {
  const stage = await scaledIn({
    wrap: (cluster) => ({
      ...cluster,
      list: async (resource, options) => {
        if (resource !== resources.Node) return cluster.list(resource, options);
        throw new ApiError({
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: 'nodes is forbidden',
          reason: 'Forbidden',
          code: 403,
        } as never);
      },
    }),
  });
  expect(await stage.pods()).toHaveLength(4);
  await stage.stop();
});

test('nodes whose watch is lost for a moment are waited for', async () => {
  const ends: ((error: Error) => void)[] = [];
  const stage = await scaledIn(
    {
      wrap: (cluster) => ({
        ...cluster,
        watch(resource, options, sink) {
          const handle = cluster.watch(resource, options, sink);
          if (resource === resources.Node)
            ends.push((error) => {
              handle.stop();
              sink.onEnd(error);
            });
          return handle;
        },
      }),
    },
    async () => ends.splice(0).forEach((end) => end(new Error('the connection was lost'))),
  );
  expect(await zonesOf(stage)).toEqual(['a', 'a', 'b', 'b']);
  await stage.stop();
});
