import { afterEach, expect, test } from 'vitest';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { budget, endSite, MINUTE, site, web } from './budget-site.ts';

afterEach(endSite);

const PODS = 40;

/** How many writes of each kind the runtime sends while it updates all pods in place, a fifth of them at a time. */
async function writes(budgets: readonly KubeObject[]): Promise<Record<string, number>> {
  const sent: Record<string, number> = {};
  let isCounting = false;
  const counting = (cluster: Cluster): Cluster => ({
    ...cluster,
    async patch(resource, key, body, options) {
      if (isCounting) sent[resource.kind] = (sent[resource.kind] ?? 0) + 1;
      return cluster.patch(resource, key, body, options);
    },
  });
  const strategy = { podUpdatePolicy: 'InPlaceIfPossible', maxUnavailable: '20%' };
  const { clock, images, update, worst, watch, errors } = await site(
    [web(PODS, strategy), ...budgets],
    counting,
  );
  watch();
  isCounting = true;
  await update('web:2');
  const begun = clock.now();
  while ((await images())['web:2'] !== PODS && clock.now() - begun < 10 * MINUTE) await clock.advance(1_000);
  await clock.advance(MINUTE);
  expect([errors, worst()]).toEqual([[], PODS / 5]);
  await endSite();
  return sent;
}

/** A part takes slots in one write, and the next one ends their entries; evictions are limited before, and let through after. */
test('a budget that allows as much as the strategy costs two writes a part, and two of its PodDisruptionBudget', async () => {
  const parts = 5;
  const without = await writes([]);
  const under = await writes([budget({ maxUnavailable: '20%' })]);
  expect(under).toEqual({
    ...without,
    PodUnavailableBudget: 2 * parts,
    PodDisruptionBudget: 2 * parts,
  });
});
