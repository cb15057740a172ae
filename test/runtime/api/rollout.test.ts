import { expect, test } from 'vitest';
import { createHttpCluster } from '../../../runtime/api/http-cluster.ts';
import { createRuntime } from '../../../runtime/runtime.ts';
import { createWallClock, createWorld } from 'kruise-sandbox';
import { serve } from 'kruise-sandbox/http';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { cloneSet, planOf, templateOf } from '../stage.ts';
import { afterwards, connectionTo, until } from './scripted.ts';

const at = (name: string) => ({ namespace: 'shop', name });

test('the whole runtime over HTTP: pods start, a plan updates them in place, and only conflicts with kubelets are refused', async () => {
  const clock = createWallClock(20);
  const world = createWorld({ clock, namespaces: ['shop'] });
  const users = new Map([
    ['secret', 'kruise'],
    ['mine', 'user'],
  ]);
  const listener = await serve(world, { tokens: users });
  const http = (token: string) =>
    createHttpCluster({
      connection: connectionTo(listener.url, token),
      clock: createWallClock(),
      random: Math.random,
      userAgent: 'kruise/test',
    });
  const [cluster, user] = [http('secret'), http('mine')];
  const errors: unknown[] = [];
  const runtime = createRuntime({
    cluster,
    clock,
    policy: 'Required',
    onError: (_, error) => errors.push(error),
  });
  afterwards(() => {
    void runtime.stop();
    cluster.close();
    user.close();
    world.stop();
    void listener.close();
  });
  runtime.start();

  await user.create(resources.CloneSet, cloneSet('web', 'web:1', { replicas: 5 }));
  const targetAt = async (ready: number): Promise<void> => {
    let updated = -1;
    const watching = user.watch(
      resources.CloneSet,
      { resourceVersion: '', namespace: 'shop' },
      {
        onEvent(event) {
          if (event.type === 'BOOKMARK') return;
          const { updatedReadyReplicas = 0 } = (event.object['status'] ?? {}) as {
            updatedReadyReplicas?: number;
          };
          updated = updatedReadyReplicas;
        },
        onEnd() {},
      },
    );
    await until(() => updated === ready, `${ready} updated pods`);
    watching.stop();
  };
  await targetAt(5);
  const uids = async (): Promise<string[]> =>
    (await user.list(resources.Pod, { namespace: 'shop' })).items
      .map(({ metadata }) => metadata.uid ?? '')
      .sort();
  const before = await uids();

  await user.create(resources.RolloutPlan, planOf('web', 'web:1', 'web:2'));
  await user.patch(resources.CloneSet, at('web'), {
    type: 'merge',
    body: { spec: { template: templateOf('web', 'web:2') } },
  });
  let plan: KubeObject | undefined;
  const isDone = (): boolean => (plan?.['status'] as { phase?: string } | undefined)?.phase === 'Succeeded';
  user.watch(
    resources.RolloutPlan,
    { resourceVersion: '', namespace: 'shop' },
    {
      onEvent: (event) => void (plan = event.type === 'BOOKMARK' ? plan : event.object),
      onEnd() {},
    },
  );
  await until(isDone, 'the end of the rollout');

  const { items } = await user.list(resources.Pod, { namespace: 'shop' });
  expect(
    items.map((pod) => (pod['spec'] as { containers: { image: string }[] }).containers[0]?.image),
  ).toEqual(Array(5).fill('web:2'));
  expect(await uids()).toEqual(before);
  const refused = world.log.filter(
    (entry) => entry.user === 'kruise' && entry.code >= 400 && entry.code !== 409,
  );
  expect([errors, refused]).toEqual([[], []]);
}, 30_000);
