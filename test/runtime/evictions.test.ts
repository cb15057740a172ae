import { afterEach, expect, test } from 'vitest';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { RAISED_ANNOTATION } from '../../semantics/podunavailablebudget/raised-for.ts';
import { isReady } from '../../semantics/pod/readiness.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { budget, deployment, endSite, MINUTE, SHOP, type Site, site, web } from './budget-site.ts';

afterEach(endSite);

const { PodDisruptionBudget } = resources;

/** The code by which an eviction is refused; 201: it is not. */
async function evict(user: Cluster, name: string): Promise<number> {
  const eviction: KubeObject = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace: SHOP },
  };
  try {
    await user.create(resources.Pod, eviction, { subresource: 'eviction' });
    return 201;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.status.code;
  }
}

const guards = async ({ user }: Site): Promise<KubeObject[]> =>
  (await user.list(PodDisruptionBudget, { namespace: SHOP })).items;
const limits = async (of: Site): Promise<unknown[]> =>
  (await guards(of)).map(({ metadata, spec }) => {
    const { minAvailable, maxUnavailable } = objectOf(spec);
    return [metadata.name, { minAvailable, maxUnavailable }];
  });
const usersOwn = (selector: JsonObject): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'users', namespace: SHOP },
  spec: { selector, minAvailable: 1 },
});

test('evictions are let through as the budget lets them, and the next one is answered with 429', async () => {
  const of = await site([web(4), budget()]);
  const { user, pods, errors, denied, clock } = of;
  expect(await limits(of)).toEqual([['web-evictions', { maxUnavailable: 1 }]]);
  const names = (await pods()).map(({ metadata }) => metadata.name);
  const codes = [];
  for (const name of names) codes.push(await evict(user, name));
  expect(codes).toEqual([201, 429, 429, 429]);
  await clock.advance(MINUTE);
  expect([errors, denied]).toEqual([[], []]);
});

test.each([['InPlaceIfPossible'], ['ReCreate']])(
  'a rollout (%s) among evictions each half second: the PodDisruptionBudget is raised before slots are taken',
  async (podUpdatePolicy) => {
    const of = await site([web(6, { podUpdatePolicy }), budget({ maxUnavailable: 2 })]);
    const { world, user, pods, update, clock, watch, worst, images, errors, denied } = of;
    const [raised, late] = [new Set<string>(), new Set<string>()];
    world.onCommit(({ resource, object }) => {
      const { annotations = {} } = object.metadata;
      const { unavailablePods = {}, disruptedPods = {} } = objectOf(object['status']);
      if (resource === 'poddisruptionbudgets.policy')
        for (const name of Object.keys(JSON.parse(annotations[RAISED_ANNOTATION] ?? '{}') as object))
          raised.add(name);
      if (resource.startsWith('podunavailablebudgets'))
        for (const name of Object.keys({ ...objectOf(unavailablePods), ...objectOf(disruptedPods) }))
          if (!raised.has(name)) late.add(name);
    });
    watch();
    await update('web:2');
    const counts: Record<number, number> = {};
    for (let round = 0; round < 120; round++) {
      const ready = (await pods()).filter(isReady);
      const pod = ready[round % Math.max(ready.length, 1)];
      if (pod !== undefined) {
        const code = await evict(user, pod.metadata.name);
        counts[code] = (counts[code] ?? 0) + 1;
      }
      await clock.advance(500);
    }
    await clock.advance(5 * MINUTE);
    expect([worst(), await images()]).toEqual([2, { 'web:2': 6 }]);
    expect(Object.keys(counts)).toEqual(['201', '429']);
    expect(await limits(of)).toEqual([['web-evictions', { maxUnavailable: 2 }]]);
    expect([errors, denied]).toEqual([[], []]);
    expect([late, raised.size > 0]).toEqual([new Set(), true]);
  },
  // Minutes of many writes take long on a loaded machine.
  120_000,
);

test('that of a user is the only one, at once, and ours comes back when it is gone', async () => {
  const of = await site([deployment('one', 3), budget({ maxUnavailable: 2 })]);
  const { user, pods, clock } = of;
  expect(await limits(of)).toEqual([['web-evictions', { maxUnavailable: 2 }]]);
  await user.create(PodDisruptionBudget, usersOwn({ matchLabels: { app: 'web' } }));
  await clock.advance(1_000);
  expect((await limits(of)).map((each) => (each as string[])[0])).toEqual(['users']);
  const [pod] = await pods();
  expect(await evict(user, pod?.metadata.name ?? '')).toBe(201);
  const { items } = await user.list(resources.Event, { namespace: SHOP });
  expect(items.filter(({ reason }) => reason === 'EvictionsLimitedByAnother')).toHaveLength(1);
  await user.delete(PodDisruptionBudget, { namespace: SHOP, name: 'users' });
  await clock.advance(1_000);
  expect(await limits(of)).toEqual([['web-evictions', { maxUnavailable: 2 }]]);
});
