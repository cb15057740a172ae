import { afterEach, describe, expect, test } from 'vitest';
import type { RolloutCommandSpec } from '../../schemas/generated/types/rolloutcommand.ts';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { type HotWorld, hotWorld } from './hot-world.ts';

let scene: HotWorld | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

const ALL: Step[] = [{ id: 'all', update: { to: '100%' } }];
const OLD = 'mesh:1 empty:1, mesh-1';

/** Three pods with `mesh:1`, whose set then gets another image under a plan. */
async function upgrading(mesh: string): Promise<HotWorld> {
  const world = await hotWorld();
  scene = world;
  await world.upgrade({ mesh: 'mesh:1' });
  for (const name of ['a', 'b', 'c']) await world.bare(name);
  await world.upgrade({ mesh }, ALL);
  return world;
}

async function command(world: HotWorld, action: RolloutCommandSpec['action'], name: string): Promise<void> {
  const plan = await world.user.get(resources.ClusterRolloutPlan, { name: 'sidecarset-log' });
  await world.user.create(resources.ClusterRolloutCommand, {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'ClusterRolloutCommand',
    metadata: { name },
    spec: {
      target: { kind: 'SidecarSet', name: 'log' },
      action,
      digest: objectOf(plan['spec'])['digest'] ?? '',
      by: 'admin',
    },
  });
}

describe('during a hot upgrade', () => {
  test('Pause: the pod in progress is upgraded to its end, and no other begins', async () => {
    const cluster = await upgrading('mesh:slow');
    await cluster.clock.advance(5_000);
    expect(Object.values(await cluster.halves())).toContain('mesh:1 mesh:slow, mesh-2');
    await command(cluster, 'Pause', 'wait');
    await cluster.clock.advance(300_000);
    expect(Object.values(await cluster.halves()).sort()).toEqual(['empty:1 mesh:slow, mesh-2', OLD, OLD]);
    expect([cluster.outages, cluster.errors]).toEqual([[], []]);
  });

  test('Abort: the pod in progress is taken back', async () => {
    const cluster = await upgrading('mesh:slow');
    await cluster.clock.advance(5_000);
    await command(cluster, 'Abort', 'end');
    await cluster.clock.advance(300_000);
    expect(await cluster.halves()).toEqual({ a: OLD, b: OLD, c: OLD });
    expect([cluster.outages, cluster.errors]).toEqual([[], []]);
  });

  test('Resume after a failure tries again, with a later version', async () => {
    const cluster = await upgrading('mesh:failing');
    await cluster.until('Halted');
    await cluster.clock.advance(30_000);
    await command(cluster, 'Resume', 'again');
    await cluster.until('Running');
    await cluster.until('Halted');
    await cluster.clock.advance(30_000);
    expect(await cluster.halves()).toEqual({ a: OLD, b: OLD, c: OLD });
    cluster.world.images.set('mesh:failing', {});
    await command(cluster, 'Resume', 'repaired');
    await cluster.until('Succeeded');
    const done = 'empty:1 mesh:failing, mesh-2';
    expect(await cluster.halves()).toEqual({ a: done, b: done, c: done });
    expect([cluster.outages, cluster.errors]).toEqual([[], []]);
  });

  test('a node that is away: the pod is left alone, and the upgrade ends when it is back', async () => {
    const cluster = await upgrading('mesh:slow');
    await cluster.clock.advance(2_000);
    const changing = (await cluster.pods()).find(({ spec }) => JSON.stringify(spec).includes('mesh:slow'));
    const { nodeName = '' } = changing?.spec ?? {};
    cluster.world.nodes.stopKubelet(nodeName);
    await cluster.clock.advance(120_000);
    cluster.world.nodes.startKubelet(nodeName);
    await cluster.until('Succeeded', 3_600_000);
    expect(new Set(Object.values(await cluster.halves()))).toEqual(new Set(['empty:1 mesh:slow, mesh-2']));
    expect(cluster.errors).toEqual([]);
  });
});

test('images by digest are upgraded, and flip', async () => {
  scene = await hotWorld();
  const image = (n: number): string => `registry/mesh@sha256:${String(n).repeat(64)}`;
  const upgradeStrategy = { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: image(9) };
  const set = (n: number): JsonObject => ({
    containers: [{ name: 'mesh', image: image(n), upgradeStrategy }],
  });
  await scene.set('', undefined, set(1));
  await scene.bare('a');
  for (const n of [2, 3]) {
    await scene.set('', ALL, set(n));
    await scene.until('Succeeded');
  }
  expect(await scene.halves()).toEqual({ a: `${image(3)} ${image(9)}, mesh-1` });
  expect(scene.errors).toEqual([]);
});
