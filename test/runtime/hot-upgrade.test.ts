import { afterEach, describe, expect, test } from 'vitest';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { type HotWorld, hotWorld } from './hot-world.ts';

let scene: HotWorld | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

const ALL: Step[] = [{ id: 'all', update: { to: '100%' } }];
const CANARY: Step[] = [
  { id: 'canary', update: { to: 1 } },
  { id: 'rest', update: { to: '100%', window: { maxUnavailable: 2 } } },
];

/** Three pods with `mesh:1`. */
async function ready(log?: string): Promise<HotWorld> {
  const world = await hotWorld();
  scene = world;
  await world.upgrade({ mesh: 'mesh:1', ...(log !== undefined && { log }) });
  for (const name of ['a', 'b', 'c']) await world.bare(name);
  return world;
}

/** Both images of a pair, whichever half has them. */
const imagesIn = (text: string): string => (text.split(', ')[0] ?? '').split(' ').sort().join(' ');

const each = (text: string): Record<string, string> => ({ a: text, b: text, c: text });

describe('under a plan', () => {
  test('every pod is upgraded and reset, none is recreated, and one half works all the time', async () => {
    const cluster = await ready();
    const uids = async (): Promise<unknown[]> => (await cluster.pods()).map(({ metadata }) => metadata.uid);
    const before = await uids();
    await cluster.upgrade({ mesh: 'mesh:2' }, CANARY);
    await cluster.until('Succeeded');
    expect(await cluster.halves()).toEqual(each('empty:1 mesh:2, mesh-2'));
    expect(await uids()).toEqual(before);
    expect(await cluster.status()).toMatchObject({ updatedReadyPods: 3 });
    expect([cluster.outages, cluster.errors]).toEqual([[], []]);
  });

  test('upgrades flip the halves, and the status shows the phase', async () => {
    const cluster = await ready();
    await cluster.upgrade({ mesh: 'mesh:2' }, ALL);
    await cluster.until('Succeeded');
    await cluster.upgrade({ mesh: 'mesh:slow' }, ALL);
    await cluster.clock.advance(20_000);
    expect(await cluster.status()).toMatchObject({
      conditions: [{ type: 'plan.kruise.io/HotUpgrade', reason: 'Upgrading', message: 'Upgrading: shop/a' }],
    });
    await cluster.until('Succeeded');
    expect(await cluster.halves()).toEqual(each('mesh:slow empty:1, mesh-1'));
    expect(await cluster.status()).not.toHaveProperty('conditions');
    expect([cluster.outages, cluster.errors]).toEqual([[], []]);
  });

  test.each(['mesh:failing', 'mesh:missing', 'mesh:unready'])(
    '%s: the step fails, and the pod is as it was',
    async (image) => {
      const cluster = await ready();
      const before = await cluster.records();
      await cluster.upgrade({ mesh: image }, CANARY);
      await cluster.until('Halted', 1_800_000);
      await cluster.clock.advance(60_000);
      expect(await cluster.halves()).toEqual(each('mesh:1 empty:1, mesh-1'));
      expect(await cluster.records()).toEqual(before);
      expect((await cluster.plan())['message']).toContain(
        image === 'mesh:failing' ? 'restarted' : 'available',
      );
      expect(await cluster.status()).toMatchObject({ updatedPods: 0, readyPods: 3 });
      expect([cluster.outages, cluster.errors]).toEqual([[], []]);
    },
  );

  test('onFailure Revert: all pods are as they were, those of an earlier step, too', async () => {
    const cluster = await ready();
    const before = await cluster.halves();
    const steps: Step[] = [
      { id: 'canary', update: { to: 1 } },
      { id: 'rest', update: { to: '100%' }, onFailure: 'Revert' },
    ];
    await cluster.upgrade({ mesh: 'mesh:2' }, steps);
    await cluster.until('Running');
    cluster.world.images.set('mesh:2', { postStartFails: true });
    await cluster.until('Reverted', 1_800_000);
    expect(before).toEqual(each('mesh:1 empty:1, mesh-1'));
    const images = Object.values(await cluster.halves()).map(imagesIn);
    expect(images).toEqual(Array(3).fill('empty:1 mesh:1'));
    expect([cluster.outages, cluster.errors]).toEqual([[], []]);
  });

  test.each([
    ['while the new half takes over', 12_000],
    ['after it has', 50_000],
  ])('git revert %s', async (_, afterMs) => {
    const cluster = await ready();
    await cluster.upgrade({ mesh: 'mesh:slow' }, ALL);
    await cluster.clock.advance(afterMs);
    await cluster.upgrade({ mesh: 'mesh:1' });
    await cluster.until('Reverted');
    const images = Object.values(await cluster.halves()).map(imagesIn);
    expect(images).toEqual(Array(3).fill('empty:1 mesh:1'));
    expect(await cluster.status()).toMatchObject({ updatedReadyPods: 3 });
    expect([cluster.outages, cluster.errors]).toEqual([[], []]);
  });

  test('a fix: the failed half is on the empty image before it gets the next one', async () => {
    const cluster = await ready();
    await cluster.upgrade({ mesh: 'mesh:failing' }, CANARY);
    await cluster.clock.advance(6_000);
    await cluster.upgrade({ mesh: 'mesh:3' }, CANARY);
    await cluster.until('Succeeded');
    expect(await cluster.halves()).toEqual(each('empty:1 mesh:3, mesh-2'));
    expect([cluster.outages, cluster.errors]).toEqual([[], []]);
  });

  test('new pods of the middle have the stable image, and are upgraded with the rest', async () => {
    const cluster = await ready();
    const approve: Step = { id: 'agree', approve: {} };
    await cluster.upgrade({ mesh: 'mesh:2' }, [...CANARY.slice(0, 1), approve, ...CANARY.slice(1)]);
    await cluster.until('AwaitingApproval');
    await cluster.bare('d');
    expect((await cluster.halves())['d']).toBe('mesh:1 empty:1, mesh-1');
    expect([cluster.outages, cluster.errors]).toEqual([[], []]);
  });
});

describe('with an ordinary container', () => {
  test('both are upgraded', async () => {
    const cluster = await ready('log:1');
    await cluster.upgrade({ mesh: 'mesh:2', log: 'log:2' }, CANARY);
    await cluster.until('Succeeded');
    expect(await cluster.halves()).toEqual(each('empty:1 mesh:2, mesh-2, log:2'));
    expect([cluster.outages, cluster.errors]).toEqual([[], []]);
  });

  test.each([
    ['mesh:failing', 'log:2'],
    ['mesh:missing', 'log:2'],
    ['mesh:2', 'log:missing'],
  ])('%s and %s: both go back', async (mesh, log) => {
    const cluster = await ready('log:1');
    cluster.world.images.set('log:missing', { pullError: true });
    const before = await cluster.records();
    await cluster.upgrade({ mesh, log }, CANARY);
    await cluster.until('Halted', 1_800_000);
    await cluster.clock.advance(60_000);
    expect(await cluster.halves()).toEqual(each('mesh:1 empty:1, mesh-1, log:1'));
    expect(await cluster.records()).toEqual(before);
    expect([cluster.outages, cluster.errors]).toEqual([[], []]);
  });
});

test('without a plan the kubelet tries again, and nothing is taken back', async () => {
  scene = await hotWorld({ policy: 'Auto' });
  await scene.upgrade({ mesh: 'mesh:1' });
  for (const name of ['a', 'b']) await scene.bare(name);
  await scene.upgrade({ mesh: 'mesh:failing' });
  await scene.clock.advance(120_000);
  expect(Object.values(await scene.halves()).sort()).toEqual([
    'mesh:1 empty:1, mesh-1',
    'mesh:1 mesh:failing, mesh-2',
  ]);
  scene.world.images.set('mesh:failing', {});
  await scene.clock.advance(900_000);
  expect(Object.values(await scene.halves())).toEqual(Array(2).fill('empty:1 mesh:failing, mesh-2'));
  expect([scene.outages, scene.errors]).toEqual([[], []]);
});
