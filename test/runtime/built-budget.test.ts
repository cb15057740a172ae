import { afterEach, expect, test } from 'vitest';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { budgetLowering } from '../../semantics/podunavailablebudget/lowering.ts';
import { at, budget, deployment, DEPLOYMENT, endSite, MINUTE, SHOP, site } from './budget-site.ts';

/*
 * Plays each budget twice: under the runtime, and what `kruise build` makes of it. Evictions must be answered alike.
 */

afterEach(endSite);

const { Pod, PodDisruptionBudget } = resources;

/** The answers to the evictions of all pods, after each change. */
async function answers(replicas: number, spec: JsonObject, isBuilt: boolean): Promise<number[][]> {
  const workload = deployment('one', replicas);
  const own = budget(spec);
  const lowered = budgetLowering.lower(own, {
    isScaled: false,
    namespaces: [],
    inNamespace: [workload, own],
  });
  const [built] = 'objects' in lowered ? lowered.objects : [];
  if (built === undefined || !('losses' in lowered)) expect.unreachable();
  expect(lowered.losses).toEqual([]);
  const { user, pods, clock, errors } = await site([workload, ...(isBuilt ? [] : [own])]);
  if (isBuilt) await user.create(PodDisruptionBudget, built);
  await clock.advance(MINUTE);
  const found: number[][] = [];
  const evictAll = async (): Promise<void> => {
    const codes: number[] = [];
    for (const { metadata } of await pods()) {
      const eviction: KubeObject = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: metadata.name, namespace: SHOP },
      };
      const sent = user.create(Pod, eviction, { subresource: 'eviction' });
      codes.push(
        await sent.then(
          () => 201,
          (error: unknown) => (error instanceof ApiError ? error.status.code : expect.unreachable()),
        ),
      );
    }
    found.push(codes);
  };
  const scaled = async (count: number): Promise<void> => {
    await user.patch(DEPLOYMENT, at('one'), { type: 'merge', body: { spec: { replicas: count } } });
    await clock.advance(MINUTE);
  };
  await evictAll();
  await clock.advance(2 * MINUTE);
  await evictAll();
  await scaled(2);
  await clock.advance(2 * MINUTE);
  await evictAll();
  await scaled(7);
  await clock.advance(2 * MINUTE);
  const [first] = await pods();
  await user.delete(Pod, { namespace: SHOP, name: first?.metadata.name ?? '' });
  await clock.advance(10);
  await evictAll();
  await scaled(0);
  expect([await pods(), errors]).toEqual([[], []]);
  await endSite();
  return found;
}

const EVICT = { protectOperations: ['EVICT'] };

test.each<[replicas: number, spec: JsonObject]>([
  [4, { maxUnavailable: 1 }],
  [10, { maxUnavailable: '25%' }],
  [5, { minAvailable: '50%' }],
  [3, { minAvailable: 3 }],
  [5, { maxUnavailable: 0 }],
  [5, { maxUnavailable: '100%' }],
  [5, { maxUnavailable: '40%', protectTotalReplicas: 5 }],
  [4, { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'one' }, maxUnavailable: 2 }],
])('evictions of %i pods under %j', async (replicas, spec) => {
  const expected = await answers(replicas, { ...spec, ...EVICT }, false);
  expect(await answers(replicas, { ...spec, ...EVICT }, true)).toEqual(expected);
});
