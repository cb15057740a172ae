import { afterEach, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { isReady } from '../../semantics/pod/readiness.ts';
import { latePods } from './late-pods.ts';
import { budget, endSite, MINUTE, SHOP, site, web } from './budget-site.ts';

afterEach(endSite);

const { Pod } = resources;
const PODS = 6;
/** The runtime observes a free slot later than evictions find it. */
const LATE_MS = 500;

const evictionOf = (name: string): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name, namespace: SHOP },
});

test('evictions without pause and a rollout take turns', async () => {
  const of = await site([web(PODS, { podUpdatePolicy: 'InPlaceIfPossible' }), budget()], latePods(LATE_MS));
  const { user, pods, update, clock, watch, worst, images, errors, denied } = of;
  // Pods that are lost soon after their creation are replaced later and later.
  await clock.advance(2 * MINUTE);
  watch();
  await update('web:2');
  const before = new Set((await pods()).map(({ metadata }) => metadata.uid));
  let evicted = 0;
  const old = async () => (await pods()).filter(({ spec }) => spec.containers[0]?.image === 'web:1');
  for (let left = await old(), turn = 0; left.length > 0 && turn < 2_000; left = await old(), turn++) {
    const pod = left.filter(isReady)[0];
    const sent = pod && user.create(Pod, evictionOf(pod.metadata.name), { subresource: 'eviction' });
    evicted +=
      (await sent?.then(
        () => 1,
        () => 0,
      )) ?? 0;
    await clock.advance(100);
  }
  await clock.advance(2 * MINUTE);
  const inPlace = (await pods()).filter(({ metadata }) => before.has(metadata.uid)).length;
  expect([worst(), await images()]).toEqual([1, { 'web:2': PODS }]);
  expect([evicted > 1, inPlace > 1]).toEqual([true, true]);
  expect([errors, denied]).toEqual([[], []]);
}, 120_000);
