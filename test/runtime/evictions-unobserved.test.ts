import { afterEach, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { isReady } from '../../semantics/pod/readiness.ts';
import { latePods } from './late-pods.ts';
import { budget, endSite, MINUTE, SHOP, site, web } from './budget-site.ts';

afterEach(endSite);

const { Pod } = resources;

const evictionOf = (name: string): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name, namespace: SHOP },
});

test.each([
  [0, 0, 'InPlaceIfPossible'],
  [700, 0, 'InPlaceIfPossible'],
  [700, 200, 'InPlaceIfPossible'],
  [2_500, 1_500, 'InPlaceIfPossible'],
  [700, 200, 'ReCreate'],
])(
  'a rollout takes no place of an eviction whose pod is seen to go %i ms later, begun after %i ms (%s)',
  async (delayMs, begunMs, podUpdatePolicy) => {
    const of = await site([web(6, { podUpdatePolicy }), budget({ maxUnavailable: 2 })], latePods(delayMs));
    const { user, pods, update, clock, watch, worst, images, errors, denied } = of;
    const evict = async (name: string): Promise<boolean> => {
      const sent = user.create(Pod, evictionOf(name), { subresource: 'eviction' });
      try {
        await sent;
        return true;
      } catch {
        return false;
      }
    };
    watch();
    // The rollout begins with the others.
    const last = (await pods()).at(-1);
    expect(await evict(last?.metadata.name ?? '')).toBe(true);
    await clock.advance(begunMs);
    await update('web:2');
    for (let round = 0; round < 150; round++) {
      await clock.advance(150);
      const old = (await pods()).filter((pod) => isReady(pod) && pod.spec.containers[0]?.image === 'web:1');
      const pod = old[round % Math.max(old.length, 1)];
      // Between them the rollout finds some.
      if (pod !== undefined && round % 20 < 10) await evict(pod.metadata.name);
    }
    await clock.advance(5 * MINUTE);
    expect([worst(), await images()]).toEqual([2, { 'web:2': 6 }]);
    expect([errors, denied]).toEqual([[], []]);
  },
  // Minutes of many writes take long on a loaded machine.
  120_000,
);
