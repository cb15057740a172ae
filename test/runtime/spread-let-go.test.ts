import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { trueCondition } from '../../semantics/status/conditions.ts';
import { listOf, objectOf } from '../../semantics/values/read.ts';

const AT = { namespace: 'shop', name: 'web' };
const deployments = {
  ...{ group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true },
};

/** Two pods of a Deployment that wait, and how many still do after so many seconds. */
async function waiting(patch: JsonObject, isRefused: (body: JsonObject) => boolean = () => false) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['shop'], crds: [...crds], nodes: 1, workloads: true });
  const cluster = world.cluster('kruise');
  const refusing: Cluster = {
    ...cluster,
    async patch(resource, at, sent, options) {
      if (resource.plural === 'pods' && isRefused(objectOf(objectOf(sent)['body'])))
        throw new ApiError({ code: 422, reason: 'Invalid', message: 'the value is refused' });
      return cluster.patch(resource, at, sent, options);
    },
  };
  const runtime = createRuntime({ cluster: refusing, clock, policy: 'Auto', onError: () => {} });
  runtime.start();
  await clock.settle();
  const user = world.cluster('user');
  await user.create(resources.WorkloadSpread, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'WorkloadSpread',
    metadata: { ...AT },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      subsets: [{ name: 'a', maxReplicas: 2, patch }, { name: 'b' }],
    },
  });
  await clock.advance(2_000);
  await user.create(deployments, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...AT },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          schedulingGates: [{ name: 'kruise.io/workloadspread' }],
          containers: [{ name: 'main', image: 'web:1' }],
        },
      },
    },
  });
  const after = async (seconds: number): Promise<number> => {
    await clock.advance(seconds * 1_000);
    const { items } = await user.list(resources.Pod, { namespace: 'shop' });
    expect(items).toHaveLength(2);
    return items.filter(({ spec }) => listOf(objectOf(spec)['schedulingGates']).length > 0).length;
  };
  const conditions = async (...types: string[]): Promise<(string | undefined)[]> => {
    const target = await user.get(resources.WorkloadSpread, AT);
    return types.map((type) => trueCondition(target, `plan.kruise.io/${type}`)?.reason);
  };
  const stop = async (): Promise<void> => {
    await runtime.stop();
    world.stop();
  };
  return { after, conditions, stop };
}

test('pods wait for a WorkloadSpread that no rule executes for a minute, and then go without', async () => {
  const { after, conditions, stop } = await waiting({ spec: { priorityClassName: 'high' } });
  expect(await after(55)).toBe(2);
  expect(await after(15)).toBe(0);
  expect(await conditions('Held')).toEqual(['UnsupportedSemantics']);
  await stop();
});

test('pods whose patch the server refuses wait for half a minute, and then go without, as a condition says', async () => {
  const patch = { metadata: { annotations: { x: 'y' } } };
  const { after, conditions, stop } = await waiting(patch, ({ metadata }) =>
    Object.hasOwn(objectOf(objectOf(metadata)['annotations']), 'x'),
  );
  expect(await after(20)).toBe(2);
  expect(await conditions('Held')).toEqual(['FailedUpdate']);
  expect(await after(60)).toBe(0);
  expect(await conditions('PodsMissed')).toEqual(['NotPlaced']);
  await stop();
});
