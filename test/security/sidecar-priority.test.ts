import { afterEach, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { type SidecarWorld, sidecarWorld } from '../runtime/sidecar-world.ts';

const MINUTE = 60_000;
const STEPS = [
  { id: 'one', update: { to: 1 } },
  { id: 'soak', soak: { for: '1m' } },
  { id: 'most', update: { to: '75%' } },
  { id: 'rest', update: { to: '100%' } },
];
const matchSelector = { matchLabels: { first: 'yes' } };
const orders: Record<string, JsonObject> = {
  'by weight': { weightPriority: [{ weight: 100, matchSelector }] },
};

let cluster: SidecarWorld;
afterEach(async () => {
  await cluster.stop();
});

/** A pod that comes before all others by its labels, and a budget that lets nobody update it. */
async function first(namespace: string): Promise<void> {
  await cluster.user.create(resources.Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'first', namespace, labels: { app: 'web', first: 'yes', number: 'a-99' } },
    spec: { containers: [{ name: 'main', image: 'main:1' }] },
  });
  await cluster.user.create(resources.PodDisruptionBudget, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'none', namespace },
    spec: { minAvailable: 9, selector: matchSelector },
  });
  await cluster.clock.advance(15_000);
}

async function ready(
  policy: 'Auto' | 'Required',
  namespace: string,
  updateStrategy: JsonObject,
): Promise<void> {
  cluster = await sidecarWorld({ policy });
  await cluster.set('log:1', undefined, { updateStrategy });
  await cluster.deployment('web', 5);
  await first(namespace);
}

test.each(Object.entries(orders))(
  'a pod of a tenant that comes first %s, and that no budget lets go, keeps no other from a step',
  async (_how, priorityStrategy) => {
    const updateStrategy = { priorityStrategy };
    await ready('Required', 'other', updateStrategy);
    await cluster.set('log:2', STEPS, { updateStrategy });
    await cluster.clock.advance(20 * MINUTE);
    expect(await cluster.images()).toEqual({ 'log:1': 1, 'log:2': 5 });
    expect(await cluster.plan()).toMatchObject({ step: 'rest', phase: 'Running' });
    expect((await cluster.plan())['message']).toContain('other/first');
  },
);

test('nor from what a partition leaves, in Auto', async () => {
  const updateStrategy = { priorityStrategy: orders['by weight'] ?? {}, partition: 5 };
  await ready('Auto', 'other', updateStrategy);
  await cluster.set('log:2', undefined, { updateStrategy });
  await cluster.clock.advance(3 * MINUTE);
  expect(await cluster.images()).toEqual({ 'log:1': 5, 'log:2': 1 });
});

test('in the namespace of most pods it keeps its place, as the manifest asks', async () => {
  const updateStrategy = { priorityStrategy: orders['by weight'] ?? {} };
  await ready('Required', 'shop', updateStrategy);
  await cluster.set('log:2', STEPS, { updateStrategy });
  await cluster.clock.advance(20 * MINUTE);
  expect(await cluster.images()).toEqual({ 'log:1': 6 });
  expect(await cluster.plan()).toMatchObject({ step: 'one', phase: 'Running' });
  expect((await cluster.plan())['message']).toContain('shop/first');
});
