import { afterEach, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { limitsFor } from '../../runtime/observe/retention.ts';
import { budgetResource } from '../../semantics/podunavailablebudget/resource.ts';
import { at, budget, cloneSetOfFive, endSite, labeled, MINUTE, site, web } from './budget-site.ts';

afterEach(endSite);

const PODS = 20;

/** How many seconds the update in place of all pods takes, one fifth of them at a time. */
async function seconds(budgets: readonly KubeObject[]): Promise<number> {
  const { clock, images, update, worst, watch, errors } = await site([
    web(PODS, { podUpdatePolicy: 'InPlaceIfPossible', maxUnavailable: '20%' }),
    ...budgets,
  ]);
  watch();
  await update('web:2');
  const begun = clock.now();
  while ((await images())['web:2'] !== PODS && clock.now() - begun < 10 * MINUTE) await clock.advance(1_000);
  expect([errors, worst()]).toEqual([[], 4]);
  const took = (clock.now() - begun) / 1_000;
  await endSite();
  return took;
}

/** A slot of ten seconds a step would more than double it: the gate of a pod shows when the change that took its slot is over. */
test('an update in place under a budget that allows as much takes hardly longer than without', async () => {
  const free = await seconds([]);
  const limited = await seconds([budget({ maxUnavailable: '20%' })]);
  expect(limited).toBeLessThanOrEqual(1.25 * free);
});

const LARGE = { metadata: { labels: { app: 'web', of: 'web' }, annotations: { note: 'x'.repeat(100_000) } } };

/** A pod of a tenant that changes all the time has its budgets counted five times as often while pods wait for them, and no longer. */
test.each<[string, JsonObject]>([
  ['is too large to be read', { template: { ...labeled('web', 'web:2'), ...LARGE } }],
  ['changes nothing any more', { updateStrategy: { paused: true } }],
])('a budget is counted at its pace once who waited for it %s', async (_title, change) => {
  let counted = 0;
  const { clock, user, held, pods, patch, errors } = await site(
    [cloneSetOfFive('web'), cloneSetOfFive('other'), budget({ maxUnavailable: 1 })],
    (cluster) => ({
      ...cluster,
      async patch(resource, key, body, options) {
        if (resource.kind === budgetResource.kind) counted += 1;
        return cluster.patch(resource, key, body, options);
      },
    }),
    { retention: { ...limitsFor(2 ** 29), object: 64 * 1024 } },
  );
  const flapping = (await pods()).find(({ metadata }) => metadata.labels?.['of'] === 'other');
  const flaps = async (): Promise<number> => {
    counted = 0;
    for (let index = 0; index < 50; index += 1) {
      const labels = { 'unavailable-pod.kruise.io/x': index % 6 < 3 ? 'yes' : null };
      const body = { metadata: { labels } };
      await user.patch(resources.Pod, at(flapping?.metadata.name ?? ''), { type: 'merge', body });
      await clock.advance(100);
    }
    return counted;
  };
  await user.patch(budgetResource, at('web'), { type: 'merge', body: { spec: { maxUnavailable: 0 } } });
  await clock.advance(5_000);
  await patch({ template: labeled('web', 'web:2') });
  await clock.advance(5_000);
  expect(await held()).toContain('DisruptionNotAllowed');
  expect(await flaps()).toBeGreaterThan(12);
  await patch(change);
  await clock.advance(2_000);
  expect(await flaps()).toBeLessThanOrEqual(7);
  expect(errors).toEqual([]);
});
