import { behaviorByTag, createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { requestFacts } from '../../semantics/containerrecreaterequest/facts.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { listOf, objectOf } from '../../semantics/values/read.ts';
import { serves } from '../conformance/serving.ts';
import { endOf, recreateRequest } from '../fixtures/recreate-requests.ts';
import { cloneSet } from './stage.ts';

/** A PodUnavailableBudget and requests about its pods: one is out of traffic at most, and a budget that is used up lets none go. */
const MINUTE = 60_000;
const namespace = 'shop';
const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'web:1', imagePullPolicy: 'IfNotPresent' }] },
};
const budget: KubeObject = {
  apiVersion: 'policy.kruise.io/v1beta1',
  kind: 'PodUnavailableBudget',
  metadata: { name: 'web', namespace },
  spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 },
};

/** @param readyMs how long pods start; of such a workload its own limit counts, and no budget. */
async function started(readyMs = 0) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({
    clock,
    namespaces: ['default', namespace],
    crds: [...crds],
    images: behaviorByTag,
  });
  if (readyMs > 0) world.images.set('web:1', { readyMs });
  const runtime = createRuntime({
    ...{ cluster: world.cluster('kruise'), clock, policy: 'Auto', onError: () => {} },
  });
  runtime.start();
  await clock.settle();
  const user = world.cluster('user');
  if (readyMs === 0) await user.create(resources.PodUnavailableBudget, budget);
  const maxUnavailable = readyMs === 0 ? '100%' : 1;
  await user.create(resources.CloneSet, cloneSet('web', '', { template }, { maxUnavailable }));
  await clock.advance(3 * MINUTE + readyMs);
  const list = async (): Promise<Pod[]> => (await user.list(resources.Pod, { namespace })).items as Pod[];
  const requests = async (): Promise<KubeObject[]> =>
    (await user.list(resources.ContainerRecreateRequest, { namespace })).items;
  const stop = async (): Promise<void> => {
    await Promise.all([runtime.stop(), clock.settle()]);
    world.stop();
    await clock.settle();
  };
  return { clock, world, user, list, requests, stop };
}

test('requests for all pods at once restart one after the other', async () => {
  const { clock, world, user, list, requests, stop } = await started();
  const pods = new Map((await list()).map((pod) => [pod.metadata.uid, pod]));
  let most = 0;
  world.onCommit(({ resource, object }) => {
    if (resource !== 'pods') return;
    pods.set(object.metadata.uid, object as Pod);
    most = Math.max(most, [...pods.values()].filter((pod) => !serves(pod)).length);
  });
  for (const { metadata } of await list())
    await user.create(resources.ContainerRecreateRequest, recreateRequest(metadata.name, metadata.name));
  await clock.advance(10 * MINUTE);
  expect((await requests()).map(endOf)).toEqual(
    ['1', '2', '3'].map(() => ['Completed', 'main Succeeded true']),
  );
  expect(most).toBe(1);
  await stop();
});

test('a budget that is used up lets none go, and says so, until a pod is back', async () => {
  const { clock, user, list, requests, stop } = await started();
  const [broken, other] = (await list()).map(({ metadata }) => metadata.name);
  const image = async (text: string): Promise<void> => {
    const body = { spec: { containers: [{ name: 'main', image: text }] } };
    const at = { namespace, name: broken ?? '' };
    await user.patch(resources.Pod, at, { type: 'strategic', body });
  };
  await image('web:2-unready');
  await clock.advance(2 * MINUTE);
  await user.create(resources.ContainerRecreateRequest, recreateRequest('restart', other ?? ''));
  await clock.advance(5 * MINUTE);
  const [waiting] = await requests();
  expect(waiting && endOf(waiting)).toEqual(['Recreating', 'main Pending']);
  const [held] = listOf(objectOf(waiting?.['status'])['conditions']);
  expect([held?.['type'], held?.['reason']]).toEqual(['plan.kruise.io/Held', 'DisruptionNotAllowed']);
  expect(held?.['message']).toContain('PodUnavailableBudget shop/web allows 1 unavailable pod');
  expect(waiting && requestFacts.status.problems(waiting)).toEqual([
    expect.objectContaining({ message: held?.['message'] }),
  ]);
  await image('web:1');
  await clock.advance(5 * MINUTE);
  const [done] = await requests();
  expect(done && endOf(done)).toEqual(['Completed', 'main Succeeded true']);
  await stop();
});

test('a request that has waited for long begins as soon as the pod before is back', async () => {
  const { clock, world, user, list, requests, stop } = await started(20 * MINUTE);
  const ready = new Map<string, number>();
  const stopped = new Map<string, number>();
  world.onCommit(({ resource, object }) => {
    if (resource !== 'pods') return;
    const { name } = object.metadata;
    if (!serves(object as Pod)) stopped.set(name, stopped.get(name) ?? clock.now());
    else if (stopped.has(name)) ready.set(name, ready.get(name) ?? clock.now());
  });
  for (const { metadata } of await list())
    await user.create(resources.ContainerRecreateRequest, recreateRequest(metadata.name, metadata.name));
  await clock.advance(90 * MINUTE);
  expect((await requests()).map(endOf)).toEqual(
    ['1', '2', '3'].map(() => ['Completed', 'main Succeeded true']),
  );
  const [, second = 0, third = 0] = [...stopped.values()].sort((a, b) => a - b);
  const [first = 0, next = 0] = [...ready.values()].sort((a, b) => a - b);
  expect([second - first, third - next].map((ms) => ms < 5_000)).toEqual([true, true]);
  await stop();
});
