import { afterEach, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { budget, endSite, MINUTE, site, web } from './budget-site.ts';

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
