import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { shownList } from '../fixtures/list-pull-jobs.ts';

const MINUTE = 60_000;

/** An AdvancedCronJob of each minute that pulls images: its lists after some minutes, and what was deleted. */
async function played(spec: JsonObject, metadata: JsonObject = {}) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', 'shop'], nodes: 1, crds: [...crds] });
  const errors: string[] = [];
  const runtime = createRuntime({
    cluster: world.cluster('kruise'),
    clock,
    policy: 'Required',
    onError: (_key, error) => errors.push(String(error)),
  });
  runtime.start();
  await clock.advance(MINUTE / 2);
  const user = world.cluster('user');
  const template = { imageListPullJobTemplate: { metadata, spec: { completionPolicy: {}, ...spec } } };
  await user.create(resources.AdvancedCronJob, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'AdvancedCronJob',
    metadata: { name: 'pull', namespace: 'shop' },
    spec: { schedule: '* * * * *', successfulJobsHistoryLimit: 2, template },
  });
  await clock.advance(4 * MINUTE);
  const { items } = await user.list(resources.ImageListPullJob, { namespace: 'shop' });
  const { items: jobs } = await user.list(resources.ImagePullJob, { namespace: 'shop' });
  const { status } = await user.get(resources.AdvancedCronJob, { namespace: 'shop', name: 'pull' });
  await Promise.all([runtime.stop(), clock.settle()]);
  world.stop();
  expect(errors).toEqual([]);
  return { lists: items.map(shownList), jobs: jobs.length, status };
}

test('lists of images are pulled at the times of a schedule, without a plan, and go by its history limits', async () => {
  const { lists, jobs, status } = await played({ images: ['web:1', 'db:1'] });
  expect(lists).toEqual(
    Array.from({ length: 2 }, () => '2 desired, 0 active, 2 completed, 2 succeeded: over'),
  );
  expect(jobs).toBe(4);
  expect(status).toMatchObject({ type: 'ImageListPullJob' });
});

test('a schedule whose lists are to wait for plans is held, and says so, in place of each list', async () => {
  const { lists, jobs, status } = await played(
    { images: ['web:1'] },
    { annotations: { 'plan.kruise.io/policy': 'Required' } },
  );
  expect([lists, jobs]).toEqual([[], 0]);
  expect(status).toMatchObject({
    conditions: [
      {
        type: 'plan.kruise.io/Held',
        reason: 'UnsupportedSemantics',
        message: expect.stringContaining(
          'spec.template.imageListPullJobTemplate.metadata.annotations.plan.kruise.io/policy',
        ),
      },
    ],
  });
});

test('AC-2: one that is not over is replaced at the next time', async () => {
  const { lists, jobs, status } = await played({ images: ['web:1'], parallelism: 0 });
  expect(lists).toEqual(['1 desired, 0 active, 0 completed, 0 succeeded']);
  expect(jobs).toBe(1);
  expect(status).toMatchObject({ active: [{ kind: 'ImageListPullJob' }] });
});
