import { afterEach, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { sampled } from '../lanes.ts';
import { type SidecarWorld, sidecarWorld } from '../runtime/sidecar-world.ts';

const MINUTE = 60_000;
const STEPS = [
  { id: 'one', update: { to: 1 } },
  { id: 'soak', soak: { for: '1m' } },
  { id: 'all', update: { to: '100%' } },
];

let cluster: SidecarWorld;
afterEach(async () => {
  await cluster.stop();
});

/** Pods of a tenant that are never ready, for reasons that are none of the set. */
const pods: Record<string, JsonObject> = {
  'whose own container is never ready': { containers: [{ name: 'main', image: 'main:unready' }] },
  'whose readiness gate nobody opens': { readinessGates: [{ conditionType: 'never' }] },
  'that no node has room for': { nodeSelector: { no: 'node' } },
  'that nothing schedules': { schedulingGates: [{ name: 'never' }] },
  'that no scheduler knows': { schedulerName: 'none' },
  'whose own init container cannot start': { initContainers: [{ name: 'first', image: 'main:missing' }] },
};

/** Creates pods of a tenant in one namespace. */
async function attack(spec: JsonObject, count: number): Promise<void> {
  for (let at = 0; at < count; at++)
    await cluster.user.create(resources.Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `evil-${at}`, namespace: 'other', labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'main:1' }], ...spec },
    });
  await cluster.clock.advance(5_000);
}

/** Two pods of a Deployment whose sidecar is updated, one at a time. */
async function ready(policy: 'Auto' | 'Required'): Promise<void> {
  cluster = await sidecarWorld({ policy });
  cluster.world.images.set('main:unready', { neverReady: true });
  cluster.world.images.set('main:missing', { pullError: true });
  await cluster.set('log:1');
  await cluster.deployment('web', 2);
}

/** The images of the sidecar in the pods of the others. */
async function others(): Promise<string[]> {
  const own = (await cluster.pods()).filter(({ metadata }) => metadata.namespace === 'shop');
  return own.map((pod) => pod.spec.containers.find(({ name }) => name === 'log')?.image ?? 'none');
}

const updated = async (): Promise<void> => {
  await cluster.until('Succeeded', 5 * MINUTE);
  expect(await others()).toEqual(['log:2', 'log:2']);
};

/** When a tenant creates them, and that all pods of others are updated, or go back. */
const times: Record<string, (create: () => Promise<void>) => Promise<void>> = {
  'before a plan': async (create) => {
    await ready('Required');
    await create();
    await cluster.set('log:2', STEPS);
    await updated();
  },
  'in its soak': async (create) => {
    await ready('Required');
    await cluster.set('log:2', STEPS);
    await cluster.until('Soaking');
    await create();
    await updated();
  },
  'while new pods get the change already': async (create) => {
    await ready('Required');
    const stop = { id: 'stop', approve: {} };
    await cluster.set('log:2', [{ id: 'all', update: { to: '100%', window: { maxUnavailable: 1 } } }, stop]);
    await create();
    await cluster.until('AwaitingApproval', 5 * MINUTE);
    expect(await others()).toEqual(['log:2', 'log:2']);
  },
  'before git goes back': async (create) => {
    await ready('Required');
    await cluster.set('log:2', STEPS);
    await cluster.until('Succeeded', 5 * MINUTE);
    await create();
    await cluster.set('log:1');
    await cluster.until('Reverted', 5 * MINUTE);
    expect((await cluster.images())['log:2']).toBeUndefined();
  },
  'in Auto': async (create) => {
    await ready('Auto');
    await create();
    await cluster.set('log:2');
    await cluster.clock.advance(3 * MINUTE);
    expect(await others()).toEqual(['log:2', 'log:2']);
  },
};

// One pod, and so many that they are most of all: those that never begin cost nothing.
const cases = Object.entries(pods).flatMap(([which, spec]) =>
  Object.keys(times).flatMap((when) =>
    (/own container|readiness/.test(which) ? [1] : [1, 5]).map(
      (count) => [count, which, when, spec] as const,
    ),
  ),
);

test.each(sampled('pods that are never ready', cases, 6))(
  '%i of a tenant, %s, made %s, keep no pod of others from its update',
  async (count, _which, when, spec) => {
    await times[when]?.(() => attack(spec, count));
  },
);
