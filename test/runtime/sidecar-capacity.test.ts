import { afterEach, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { HELD_CONDITION } from '../../semantics/plan/held-condition.ts';
import { type SidecarWorld, sidecarWorld } from './sidecar-world.ts';

const STEPS = [
  { id: 'all', update: { to: '100%' } },
  { id: 'soak', soak: { for: '2m' } },
];

let cluster: SidecarWorld;
afterEach(async () => {
  await cluster.stop();
});

const shop = async () => (await cluster.pods()).filter(({ metadata }) => metadata.namespace === 'shop');

/** Recreates the four pods of a Deployment while the plan of a set soaks that newly requests so much, on nodes of 8. */
async function recreateWith(cpu: string): Promise<void> {
  const log = { name: 'log', image: 'log:2', resources: { requests: { cpu } } };
  await cluster.set('log:2', STEPS, { containers: [log] });
  await cluster.until('Soaking');
  for (const { metadata } of await shop())
    await cluster.user.delete(resources.Pod, { namespace: 'shop', name: metadata.name });
  await cluster.clock.advance(30_000);
}

async function ready(): Promise<void> {
  cluster = await sidecarWorld();
  await cluster.set('log:1');
  await cluster.deployment('web', 4);
  await cluster.recorded();
}

test.each([
  ['fits in no node', '9'],
  ['leaves one pod without a node', '8'],
])('a plan whose change %s does not succeed, and says so', async (_what, cpu) => {
  await ready();
  for (const name of ['a', 'b', 'c']) await cluster.bare(name, 'other');
  await recreateWith(cpu);
  await cluster.clock.advance(600_000);
  expect((await cluster.plan())['phase']).toBe('Soaking');
  const held = await cluster.condition(HELD_CONDITION);
  expect(held?.reason).toBe('NoCapacity');
  expect(held?.message).toContain('Insufficient cpu');
});

/** Creates a pod of a tenant that gets no node. */
async function stranded(name: string, spec: JsonObject): Promise<void> {
  await cluster.user.create(resources.Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'other', labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: 'main:1' }], ...spec },
  });
}

test('a change that requests more waits for no pod that it keeps from no node', async () => {
  await ready();
  await stranded('before-the-change', { nodeSelector: { no: 'node' } });
  await recreateWith('1');
  await stranded('gated', { schedulingGates: [{ name: 'never' }] });
  await cluster.until('Succeeded');
  expect(await cluster.images()).toEqual({ 'log:1': 1, 'log:2': 5 });
});
