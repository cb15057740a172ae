import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { pullOf } from '../../semantics/pull/pod.ts';
import { pullJob, shownPull } from '../fixtures/pull-jobs.ts';

const MINUTE = 60_000;
const at = { namespace: 'shop', name: 'ahead' };

/** A job to three nodes, of which each pull takes its time, and how many pods there are. */
async function site(spec: JsonObject, pullMs = 0) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({
    ...{ clock, namespaces: ['default', 'shop'], nodes: 3, crds: [...crds] },
  });
  world.images.set('web:1', { pullMs });
  const errors: string[] = [];
  const runtime = createRuntime({
    ...{ cluster: world.cluster('kruise'), clock, policy: 'Required' },
    onError: (_key, error) => errors.push(String(error)),
  });
  runtime.start();
  await clock.advance(MINUTE);
  const user = world.cluster('user');
  await user.create(resources.ImagePullJob, pullJob('ahead', spec));
  return {
    world,
    clock,
    user,
    edit: (body: JsonObject) => user.patch(resources.ImagePullJob, at, { type: 'merge', body }),
    shown: async () => shownPull(await user.get(resources.ImagePullJob, at)),
    pods: async () => (await user.list(resources.Pod, { namespace: 'shop' })).items.length,
    async stop() {
      await Promise.all([runtime.stop(), clock.settle()]);
      world.stop();
      expect(errors).toEqual([]);
    },
  };
}

const SLOW = 20 * MINUTE;

test('a job that is held in the middle has no pods, and says that nothing is active', async () => {
  const { clock, user, edit, pods, stop } = await site({ parallelism: 2 }, SLOW);
  await clock.advance(MINUTE / 2);
  const active = async (): Promise<unknown> =>
    objectOf((await user.get(resources.ImagePullJob, at))['status'])['active'];
  expect([await active(), await pods()]).toEqual([2, 2]);
  await edit({ metadata: { annotations: { 'plan.kruise.io/policy': 'Required' } } });
  await clock.advance(MINUTE);
  expect([await active(), await pods()]).toEqual([0, 0]);
  await edit({ metadata: { annotations: null } });
  await clock.advance(MINUTE / 2);
  expect([await active(), await pods()]).toEqual([2, 2]);
  await stop();
});

test.each<['Background' | 'Foreground' | 'Orphan']>([['Background'], ['Foreground'], ['Orphan']])(
  'a job that is deleted in the middle leaves no pods (PJ-14): %s',
  async (propagationPolicy) => {
    const { clock, user, pods, stop } = await site({ parallelism: 2 }, SLOW);
    await clock.advance(MINUTE / 2);
    expect(await pods()).toBe(2);
    await user.delete(resources.ImagePullJob, at, { propagationPolicy });
    await clock.advance(MINUTE);
    expect(await pods()).toBe(0);
    await stop();
  },
);

test('a node that joins gets the image of a job that never ends', async () => {
  const { world, clock, shown, pods, stop } = await site({
    ...{ parallelism: 3, completionPolicy: { type: 'Never' } },
  });
  await clock.advance(MINUTE);
  expect(await shown()).toBe('3 desired, 0 active, 3 succeeded, 0 failed: job is running, progress 100.0%');
  world.nodes.add('node-9');
  await clock.advance(2 * MINUTE);
  expect(await shown()).toBe('4 desired, 0 active, 4 succeeded, 0 failed: job is running, progress 100.0%');
  expect(await pods()).toBe(0);
  await stop();
});

test('pulls go from node to node though a registry fails for one of them', async () => {
  const { world, clock, shown, pods, stop } = await site({
    ...{ parallelism: 1, pullPolicy: { backoffLimit: 1 }, imagePullPolicy: 'Always' },
  });
  // The second node gets it from a registry that refuses, until all attempts are over.
  world.onCommit(({ resource, object }) => {
    const isOfTwo = resource === 'pods' && pullOf(object).node === 'node-2';
    if (resource === 'pods') world.images.set('web:1', { pullMs: 0, pullError: isOfTwo });
  });
  await clock.advance(10 * MINUTE);
  expect(await shown()).toBe('3 desired, 0 active, 2 succeeded, 1 failed (node-2): job has completed');
  expect(await pods()).toBe(0);
  await stop();
});
