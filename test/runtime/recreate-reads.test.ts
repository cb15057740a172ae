import { behaviorByTag, createVirtualClock, createWorld, type VirtualClock } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { endOf, recreateRequest } from '../fixtures/recreate-requests.ts';
import { cloneSet } from './stage.ts';

/** A request names one pod: that pod is read, and the thousands beside it are not listed for it. */
const MINUTE = 60_000;
const namespace = 'shop';
const containers = [{ name: 'main', image: 'web:1', imagePullPolicy: 'IfNotPresent' }];
const RESTARTED = ['Completed', 'main Succeeded true'];

type Through = (cluster: Cluster, clock: VirtualClock) => Cluster;

async function started(through: Through = (cluster) => cluster) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({
    ...{ clock, namespaces: ['default', namespace], crds: [...crds], images: behaviorByTag },
  });
  const runtime = createRuntime({
    ...{ cluster: through(world.cluster('kruise'), clock), clock, policy: 'Auto', onError: () => {} },
  });
  runtime.start();
  await clock.settle();
  const user = world.cluster('user');
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers } };
  await user.create(resources.CloneSet, cloneSet('web', '', { template }));
  await user.create(resources.Pod, {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'lone', namespace }, spec: { containers } },
  });
  await clock.advance(3 * MINUTE);
  const [owned = ''] = (await user.list(resources.Pod, { namespace })).items.flatMap(
    ({ metadata: { name } }) => (name === 'lone' ? [] : [name]),
  );
  /** What became of requests about these pods, and how often the runtime has listed and read pods since they were made. */
  const asked = async (pods: readonly string[], afterMs = MINUTE): Promise<unknown[]> => {
    const from = world.server.log.length;
    for (const pod of pods)
      await user.create(resources.ContainerRecreateRequest, recreateRequest(`restart-${pod}`, pod));
    await clock.advance(afterMs);
    const requests = (await user.list(resources.ContainerRecreateRequest, { namespace })).items;
    const own = world.server.log
      .slice(from)
      .filter(({ user: by, resource }) => by === 'kruise' && resource === 'pods');
    const count = (verb: string): number => own.filter((each) => each.verb === verb).length;
    return [...requests.map(endOf), `lists ${count('list')}`, `reads ${count('get')}`];
  };
  const stop = async (): Promise<void> => {
    await Promise.all([runtime.stop(), clock.settle()]);
    world.stop();
    await clock.settle();
  };
  return { asked, owned, stop };
}

test('a new request reads its pod, whoever owns it', async () => {
  const { asked, owned, stop } = await started();
  expect(await asked(['lone', owned])).toEqual([RESTARTED, RESTARTED, 'lists 0', 'reads 2']);
  await stop();
});

test('of a pod that does not exist it is refused at once', async () => {
  const { asked, stop } = await started((cluster, clock) => ({
    ...cluster,
    async get(resource, at): Promise<KubeObject> {
      if (resource.plural === 'pods') await new Promise<void>((resolve) => void clock.after(1_500, resolve));
      return cluster.get(resource, at);
    },
  }));
  // The first request of all makes PodDisruptionBudgets known, which wakes it.
  await asked(['none']);
  const refused = (pod: string): unknown => ['Completed', `no found Pod named ${pod}`];
  expect(await asked(['nobody'], 3_000)).toEqual([refused('nobody'), refused('none'), 'lists 0', 'reads 1']);
  await stop();
});

test('where a pod cannot be read, all of them are listed', async () => {
  const { asked, stop } = await started((cluster) => ({
    ...cluster,
    async get(resource, at): Promise<KubeObject> {
      if (resource.plural !== 'pods') return cluster.get(resource, at);
      throw new ApiError({ code: 403, reason: 'Forbidden', message: 'no right' });
    },
  }));
  expect(await asked(['lone'])).toEqual([RESTARTED, 'lists 1', 'reads 0']);
  await stop();
});
