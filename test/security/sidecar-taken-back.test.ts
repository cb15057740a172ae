import { afterEach, describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { type SidecarWorld, sidecarWorld } from '../runtime/sidecar-world.ts';
import { approve, command, podIn } from './selection-steps.ts';

const ALL = [{ id: 'all', update: { to: '100%' } }];
const GATED = [{ id: 'agree', approve: {} }, ...ALL];
const NEW_PODS = 'plan.kruise.io/NewPods';
const inShop: JsonObject = {
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
};

let cluster: SidecarWorld;
afterEach(async () => {
  await cluster.stop();
  if (cluster.errors.length > 0)
    throw new Error('the runtime has reported errors', { cause: cluster.errors });
});

async function ready(spec: JsonObject): Promise<void> {
  cluster = await sidecarWorld();
  await cluster.set('log:1', undefined, spec);
  expect(await podIn(cluster, 'first')).toBe('log:1');
}

async function plans(): Promise<KubeObject[]> {
  return (await cluster.user.list(resources.ClusterRolloutPlan, {})).items;
}

async function removePlans(): Promise<void> {
  for (const { metadata } of await plans())
    await cluster.user.delete(resources.ClusterRolloutPlan, { name: metadata.name });
}

/** Writes plan objects again, as an engine does that has gone back. */
async function restore(found: readonly KubeObject[]): Promise<void> {
  await removePlans();
  for (const { apiVersion, kind, metadata, spec } of found as (KubeObject & { spec: JsonObject })[])
    await cluster.user.create(resources.ClusterRolloutPlan, {
      apiVersion,
      kind,
      metadata: { name: metadata.name },
      spec,
    });
}

let made = 0;
const joins = (): Promise<string> => podIn(cluster, `joins-${made++}`, 'other');

/** What git has as the plan once it has taken the commit back. */
const LEFT: [what: string, write: (earlier: readonly KubeObject[]) => Promise<void>][] = [
  ['without a plan', removePlans],
  ['with the plan of before', restore],
  ['and leaves the plan', () => Promise.resolve()],
];

describe('git takes back a commit that changes the selection alone', () => {
  test.each(LEFT)('%s: what was on record before holds again', async (_what, write) => {
    await ready(inShop);
    await cluster.set('log:2', ALL, inShop);
    await cluster.until('Succeeded');
    const earlier = await plans();
    await cluster.set('log:2', ALL, {});
    await cluster.until('Succeeded');
    expect(await joins()).toBe('log:2');
    await write(earlier);
    await cluster.set('log:2', undefined, inShop);
    expect(await cluster.condition(NEW_PODS)).toBeUndefined();
    await removePlans();
    await cluster.set('log:2', undefined, {});
    expect(await joins()).toBe('none');
    expect(await cluster.condition(NEW_PODS)).toMatchObject({ reason: 'SelectionUnplanned' });
  });

  test('and lands it again: its gates hold again', async () => {
    await ready(inShop);
    await cluster.set('log:1', GATED, {});
    const landed = await plans();
    await approve(cluster);
    await cluster.until('Succeeded');
    await removePlans();
    await cluster.set('log:1', undefined, inShop);
    await restore(landed);
    await cluster.set('log:1', undefined, {});
    await cluster.until('AwaitingApproval');
    expect(await joins()).toBe('none');
  });

  test('while its plan waits for an approval: nothing is left of it', async () => {
    await ready(inShop);
    await cluster.set('log:1', GATED, {});
    await cluster.until('AwaitingApproval');
    await cluster.set('log:1', undefined, inShop);
    expect(await cluster.plan()).toMatchObject({
      phase: 'Reverted',
      conditions: [{ type: 'Ready', status: 'True' }],
    });
    expect(await cluster.condition('plan.kruise.io/Held')).toBeUndefined();
  });

  test('that selects fewer: all get it again, as before its plan', async () => {
    await ready({});
    await cluster.set('log:1', ALL, inShop);
    await cluster.until('Succeeded');
    expect(await joins()).toBe('none');
    await cluster.set('log:1', undefined, {});
    expect(await joins()).toBe('log:1');
  });
});

test('a way back past two plans lets no more in later than git selects by then', async () => {
  await ready(inShop);
  await cluster.set('log:1', ALL, {});
  await cluster.until('Succeeded');
  await cluster.set('log:2', ALL, {});
  await cluster.until('Succeeded');
  await removePlans();
  await cluster.set('log:1', undefined, inShop);
  await cluster.clock.advance(60_000);
  await cluster.set('log:1', undefined, {});
  expect(await joins()).toBe('none');
});

describe('under BreakGlass the manifest says who gets sidecars', () => {
  test('and no longer than the command', async () => {
    await ready(inShop);
    await cluster.set('log:2', [{ id: 'one', update: { to: 1 } }, ...GATED], inShop);
    await cluster.until('AwaitingApproval');
    await cluster.set('log:2', undefined, {});
    expect(await joins()).toBe('none');
    const expires = new Date(cluster.clock.now() + 120_000).toISOString();
    await command(cluster, { action: 'BreakGlass', reason: 'outage', expires });
    await cluster.clock.advance(10_000);
    expect(await joins()).toBe('log:2');
    expect(await cluster.condition(NEW_PODS)).toBeUndefined();
    await cluster.clock.advance(180_000);
    expect(await joins()).toBe('none');
    expect(await cluster.condition(NEW_PODS)).toMatchObject({ reason: 'SelectionUnplanned' });
  });
});
