import { afterEach, describe, expect, test } from 'vitest';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { type SidecarWorld, sidecarWorld } from './sidecar-world.ts';
import { cloneSet, planOf, templateOf } from './stage.ts';

const MINUTE = 60_000;
const SOAKING: Step[] = [
  { id: 'one', update: { to: 1 } },
  { id: 'soak', soak: { for: '10m' } },
  { id: 'all', update: { to: '100%' } },
];
const ALL: Step[] = [{ id: 'all', update: { to: '100%' } }];
const { PodDisruptionBudget, RolloutPlan, CloneSet } = resources;
const web = { namespace: 'shop', name: 'web' };

let present: SidecarWorld | undefined;
afterEach(async () => {
  await present?.stop();
  present = undefined;
});

/** A CloneSet of three pods with the sidecar `log:1`. */
async function ready(
  prepare: (world: SidecarWorld['world']) => void = () => undefined,
): Promise<SidecarWorld> {
  const cluster = await sidecarWorld();
  present = cluster;
  prepare(cluster.world);
  await cluster.set('log:1');
  await cluster.user.create(CloneSet, cloneSet('web', 'web:1'));
  await cluster.clock.advance(MINUTE);
  return cluster;
}

async function rollOut({ user }: SidecarWorld, steps: Step[]): Promise<void> {
  await user.create(RolloutPlan, planOf('web', 'web:1', 'web:2', { steps }));
  const body = { spec: { template: templateOf('web', 'web:2') } };
  await user.patch(CloneSet, web, { type: 'merge', body });
}

async function planOfWeb({ user }: SidecarWorld): Promise<JsonObject> {
  return objectOf((await user.get(RolloutPlan, { namespace: 'shop', name: 'cloneset-web' }))['status']);
}

/** Restarts of this container, over all pods. */
function restartsOf(pods: readonly Pod[], container: string): number {
  const statuses = pods.flatMap(({ status }) => status?.containerStatuses ?? []);
  return statuses.reduce((sum, each) => sum + (each.name === container ? (each.restartCount ?? 0) : 0), 0);
}

const budget = (maxUnavailable: number) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: web,
  spec: { maxUnavailable, selector: { matchLabels: { app: 'web' } } },
});

describe('neither is judged by the containers of the other', () => {
  test('a sidecar crashes while its CloneSet soaks', async () => {
    const cluster = await ready(({ images }) => images.set('log:1', { crashAfterMs: 5 * MINUTE, times: 1 }));
    await rollOut(cluster, SOAKING);
    await cluster.clock.advance(30 * MINUTE);
    expect(restartsOf(await cluster.pods(), 'log')).toBe(3);
    expect(await planOfWeb(cluster)).toMatchObject({ phase: 'Succeeded' });
    expect(cluster.errors).toEqual([]);
  });

  test('a sidecar that never comes back holds the soak, and does not fail it', async () => {
    const cluster = await ready(({ images }) => images.set('log:1', { crashAfterMs: 5 * MINUTE }));
    cluster.world.images.set('log:1', { crashAfterMs: 3_000 });
    await rollOut(cluster, SOAKING);
    await cluster.clock.advance(60 * MINUTE);
    expect(await planOfWeb(cluster)).toMatchObject({ phase: 'Soaking', waitingOn: 'Pods' });
  });

  test('an application crashes while the set soaks', async () => {
    const cluster = await ready(({ images }) => images.set('web:1', { crashAfterMs: 5 * MINUTE, times: 1 }));
    await cluster.set('log:2', SOAKING);
    await cluster.clock.advance(30 * MINUTE);
    expect(restartsOf(await cluster.pods(), 'main')).toBe(3);
    expect(await cluster.plan()).toMatchObject({ phase: 'Succeeded' });
    expect(cluster.errors).toEqual([]);
  });

  test('the set changes the pods that its CloneSet soaks on, and has changed before', async () => {
    const cluster = await ready();
    await rollOut(cluster, SOAKING);
    await cluster.clock.advance(2 * MINUTE);
    expect(await planOfWeb(cluster)).toMatchObject({ phase: 'Soaking' });
    await cluster.set('log:2', ALL);
    await cluster.until('Succeeded');
    expect(await planOfWeb(cluster)).toMatchObject({ phase: 'Soaking' });
    await cluster.clock.advance(20 * MINUTE);
    expect(await planOfWeb(cluster)).toMatchObject({ phase: 'Succeeded' });
    expect(await cluster.images()).toEqual({ 'log:2': 3 });
  });
});

describe('a PodDisruptionBudget that allows nothing', () => {
  test('holds the set without a deadline, which names it, until it allows more', async () => {
    const cluster = await ready();
    await cluster.user.create(PodDisruptionBudget, budget(0));
    await cluster.clock.advance(MINUTE);
    await cluster.set('log:2', ALL);
    await cluster.clock.advance(30 * MINUTE);
    expect(await cluster.images()).toEqual({ 'log:1': 3 });
    const { phase, message } = await cluster.plan();
    expect([phase, message]).toEqual([
      'Running',
      expect.stringMatching(
        /^waits for pods: 0 of 3 are updated and available \(shop\/web-\w+ and 2 more: PodDisruptionBudget shop\/web allows 0 unavailable pods\)$/,
      ),
    ]);
    await cluster.user.patch(PodDisruptionBudget, web, {
      type: 'merge',
      body: { spec: { maxUnavailable: 1 } },
    });
    await cluster.until('Succeeded');
    expect(await cluster.images()).toEqual({ 'log:2': 3 });
    expect(cluster.errors).toEqual([]);
  });

  test('does not hold the CloneSet, which has a budget of its own', async () => {
    const cluster = await ready();
    await cluster.user.create(PodDisruptionBudget, budget(0));
    await rollOut(cluster, ALL);
    await cluster.clock.advance(10 * MINUTE);
    expect(await planOfWeb(cluster)).toMatchObject({ phase: 'Succeeded' });
  });
});
