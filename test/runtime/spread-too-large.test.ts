import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { limitsFor } from '../../runtime/observe/retention.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { listOf, objectOf } from '../../semantics/values/read.ts';
import { matchedOf } from '../../semantics/workloadspread/matched.ts';

const AT = { namespace: 'shop', name: 'web' };
const GATES = [{ name: 'kruise.io/workloadspread' }];
const jobs: Resource = {
  ...{ group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true },
};
const MIB = 1024 * 1024;

/** A WorkloadSpread of a Job whose pods do not fit the cache: one of them goes to the first subset. */
async function site(limits: { object?: number; namespace?: number } = { object: 12_000 }) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['shop'], crds: [...crds], nodes: 1 });
  const reasons: string[] = [];
  const runtime = createRuntime({
    ...{ cluster: world.cluster('kruise'), clock, policy: 'Auto', onError: () => {} },
    retention: { ...limitsFor(384 * MIB), ...limits },
    onAction: ({ actions }) => reasons.push(...actions.map(({ reason }) => reason)),
  });
  runtime.start();
  const user = world.cluster('user');
  await user.create(resources.WorkloadSpread, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'WorkloadSpread',
    metadata: { ...AT },
    spec: {
      targetRef: { apiVersion: 'batch/v1', kind: 'Job', name: 'web' },
      subsets: [
        { name: 'a', maxReplicas: 1, tolerations: [{ key: 'spot', operator: 'Exists' }] },
        { name: 'b' },
      ],
    },
  });
  const template: JsonObject = {
    metadata: { labels: { app: 'web' } },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'web:1' }] },
  };
  const { metadata } = await user.create(jobs, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { ...AT },
    spec: { template },
  });
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'web', uid: metadata.uid ?? '' };
  await clock.advance(2_000);
  const create = (name: string, spec: JsonObject = {}): Promise<KubeObject> =>
    user.create(resources.Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...{ namespace: 'shop', name, labels: { app: 'web' }, annotations: { note: 'x'.repeat(20_000) } },
        ownerReferences: [{ ...owner, controller: true }],
      },
      spec: { ...objectOf(template['spec']), restartPolicy: 'Always', schedulingGates: GATES, ...spec },
    });
  /** The subset of each pod; `waits`: its gate is there. */
  const places = async (): Promise<Record<string, unknown>> => {
    const { items } = await user.list(resources.Pod, { namespace: 'shop' });
    return Object.fromEntries(
      items.map((pod) => [
        pod.metadata.name,
        listOf(objectOf(pod['spec'])['schedulingGates']).length > 0 ? 'waits' : matchedOf(pod)?.subset,
      ]),
    );
  };
  const stop = async (): Promise<void> => {
    await runtime.stop();
    world.stop();
  };
  return { clock, user, reasons, create, places, stop };
}

test('pods that do not fit the cache are placed as others, and counted in their subset', async () => {
  for (const limits of [{ object: 12_000 }, { namespace: 12_000 }]) {
    const { clock, user, create, places, stop } = await site(limits);
    const tolerations = [{ key: 'own', operator: 'Exists' }];
    await create('web-0', { tolerations });
    await create('web-1', { tolerations });
    await clock.advance(90_000);
    expect(await places()).toEqual({ 'web-0': 'a', 'web-1': 'b' });
    const { spec } = await user.get(resources.Pod, { namespace: 'shop', name: 'web-0' });
    expect(listOf(objectOf(spec)['tolerations']).map(({ key }) => key)).toEqual(
      expect.arrayContaining(['own', 'spot']),
    );
    // The record of the first one is long over: the pod itself says where it is.
    await create('web-2');
    await clock.advance(90_000);
    expect(await places()).toEqual({ 'web-0': 'a', 'web-1': 'b', 'web-2': 'b' });
    const { status } = await user.get(resources.WorkloadSpread, AT);
    expect(listOf(objectOf(status)['subsetStatuses']).map(({ replicas }) => replicas)).toEqual([1, 2]);
    await stop();
  }
});

test('one whose tolerations do not fit either goes after a minute, and the action says why', async () => {
  const { clock, reasons, create, places, stop } = await site();
  const tolerations = Array.from({ length: 300 }, (_, i) => ({ key: `key-${i}`, operator: 'Exists' }));
  await create('web-0', { tolerations });
  await clock.advance(55_000);
  expect(await places()).toEqual({ 'web-0': 'waits' });
  await clock.advance(10_000);
  expect(await places()).toEqual({ 'web-0': undefined });
  expect(reasons).toEqual(['it is too large to be placed in a subset']);
  await stop();
});
