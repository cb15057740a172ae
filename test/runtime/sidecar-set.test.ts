import { afterEach, describe, expect, test } from 'vitest';
import { compareCodePoints } from '../../semantics/values/canonical-json.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { type SidecarWorld, sidecarWorld } from './sidecar-world.ts';
import { cloneSet, planOf, templateOf } from './stage.ts';

let scene: SidecarWorld | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

const ALL = [{ id: 'all', update: { to: '100%' } }];
const CANARY = [
  { id: 'canary', update: { to: '20%', atLeast: 1 } },
  { id: 'agree', approve: {} },
  { id: 'rest', update: { to: '100%', window: { maxUnavailable: 2 } } },
];

async function ready(replicas: number): Promise<SidecarWorld> {
  scene = await sidecarWorld();
  await scene.set('log:1');
  await scene.deployment('web', replicas);
  await scene.bare('alone');
  return scene;
}

describe('pods of a Deployment and a bare pod', () => {
  test('are injected and counted', async () => {
    const cluster = await ready(3);
    expect(await cluster.images()).toEqual({ 'log:1': 4 });
    expect(await cluster.status()).toMatchObject({
      matchedPods: 4,
      updatedPods: 4,
      readyPods: 4,
      updatedReadyPods: 4,
    });
    expect(cluster.errors).toEqual([]);
  });

  test('are held without a plan', async () => {
    const cluster = await ready(3);
    await cluster.set('log:2');
    await cluster.clock.advance(60_000);
    expect(await cluster.images()).toEqual({ 'log:1': 4 });
    expect(await cluster.status()).toMatchObject({
      conditions: [
        {
          type: 'plan.kruise.io/Held',
          reason: 'NoPlan',
          message: expect.stringContaining('the template of SidecarSet log changed') as string,
        },
      ],
    });
  });

  test('are updated in place under a plan, and none is made anew', async () => {
    const cluster = await ready(3);
    const before = (await cluster.pods()).map(({ metadata }) => metadata.uid ?? '').sort(compareCodePoints);
    await cluster.set('log:2', ALL);
    await cluster.until('Succeeded');
    expect(await cluster.images()).toEqual({ 'log:2': 4 });
    expect((await cluster.pods()).map(({ metadata }) => metadata.uid ?? '').sort(compareCodePoints)).toEqual(
      before,
    );
    expect(await cluster.status()).toMatchObject({ updatedReadyPods: 4 });
    expect(cluster.errors).toEqual([]);
  });

  test('pods that are made during the canary get the stable sidecar, and go along with the rest', async () => {
    const cluster = await ready(4);
    await cluster.set('log:2', CANARY);
    await cluster.until('AwaitingApproval');
    expect(await cluster.images()).toEqual({ 'log:1': 4, 'log:2': 1 });
    await cluster.scale('web', 7);
    expect(await cluster.images()).toEqual({ 'log:1': 7, 'log:2': 1 });
  });

  test('git revert in the middle takes the pods back, and new ones stay on the stable sidecar', async () => {
    const cluster = await ready(4);
    await cluster.set('log:2', CANARY);
    await cluster.until('AwaitingApproval');
    await cluster.set('log:1');
    await cluster.until('Reverted');
    expect(await cluster.images()).toEqual({ 'log:1': 5 });
    await cluster.scale('web', 6);
    expect(await cluster.images()).toEqual({ 'log:1': 7 });
  });

  test('a revert by a command takes them back, though the set has changed in what new pods get only', async () => {
    const cluster = await ready(4);
    await cluster.set('log:2', CANARY);
    await cluster.until('AwaitingApproval');
    const env = [{ name: 'LEVEL', value: 'debug' }];
    await cluster.set('log:3', undefined, { containers: [{ name: 'log', image: 'log:3', env }] });
    await cluster.clock.advance(10_000);
    await cluster.user.create(resources.ClusterRolloutCommand, {
      apiVersion: 'plan.kruise.io/v1alpha1',
      kind: 'ClusterRolloutCommand',
      metadata: { name: 'back' },
      spec: { target: { group: 'apps.kruise.io', kind: 'SidecarSet', name: 'log' }, action: 'Revert' },
    });
    await cluster.until('Reverted');
    expect(await cluster.images()).toEqual({ 'log:1': 5 });
    expect(cluster.errors).toEqual([]);
  });

  test('pods that are made in the last step get the new sidecar', async () => {
    const cluster = await ready(3);
    await cluster.set('log:2', [{ id: 'all', update: { to: '100%', window: { maxUnavailable: 0 } } }]);
    await cluster.clock.advance(20_000);
    await cluster.scale('web', 5);
    expect(await cluster.images()).toEqual({ 'log:1': 4, 'log:2': 2 });
  });

  test('a namespace that the set does not select stays as it is', async () => {
    scene = await sidecarWorld();
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } };
    await scene.set('log:1', undefined, { namespaceSelector });
    await scene.bare('in', 'shop');
    await scene.bare('out', 'other');
    expect(await scene.images()).toEqual({ 'log:1': 1, none: 1 });
    expect(await scene.status()).toMatchObject({ matchedPods: 1 });
  });
});

describe('pods of a workload that is rolled out at the same time', () => {
  test('neither loses a write of the other, and neither is judged by the containers of the other', async () => {
    scene = await sidecarWorld();
    const { user, clock } = scene;
    await scene.set('log:1', undefined, { updateStrategy: { maxUnavailable: 2 } });
    const manifest = cloneSet('web', 'web:1', { replicas: 4 });
    await user.create(resources.CloneSet, manifest);
    await clock.advance(60_000);
    expect(await scene.images()).toEqual({ 'log:1': 4 });
    const soak = { id: 'soak', soak: { for: '2m' } };
    const steps = [{ id: 'one', update: { to: 1 } }, soak, { id: 'all', update: { to: '100%' } }];
    await user.create(resources.RolloutPlan, planOf('web', 'web:1', 'web:2', { steps }));
    const at = { namespace: 'shop', name: 'web' };
    const body = { spec: { template: templateOf('web', 'web:2') } };
    await user.patch(resources.CloneSet, at, { type: 'merge', body });
    await scene.set('log:2', ALL, { updateStrategy: { maxUnavailable: 2 } });
    await scene.until('Succeeded');
    await clock.advance(10 * 60_000);
    expect(await scene.images()).toEqual({ 'log:2': 4 });
    const plan = await user.get(resources.RolloutPlan, { namespace: 'shop', name: 'cloneset-web' });
    expect(plan['status']).toMatchObject({ phase: 'Succeeded' });
    const images = (await scene.pods()).map(
      ({ spec }) => spec.containers.find(({ name }) => name === 'main')?.image,
    );
    expect(images).toEqual(Array(4).fill('web:2'));
    expect(scene.errors).toEqual([]);
  });

  test('hot pairs take turns in its pods meanwhile', async () => {
    scene = await sidecarWorld();
    const { user, clock } = scene;
    const upgradeStrategy = { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'empty:1' };
    const hot = (image: string): JsonObject => ({
      updateStrategy: { maxUnavailable: 2 },
      containers: [{ name: 'log', image, upgradeStrategy }],
    });
    await scene.set('log:1', undefined, hot('log:1'));
    await user.create(resources.CloneSet, cloneSet('web', 'web:1', { replicas: 4 }));
    await clock.advance(60_000);
    await user.create(resources.RolloutPlan, planOf('web', 'web:1', 'web:2', { steps: ALL }));
    const body = { spec: { template: templateOf('web', 'web:2') } };
    await user.patch(resources.CloneSet, { namespace: 'shop', name: 'web' }, { type: 'merge', body });
    await scene.set('log:2', ALL, hot('log:2'));
    await scene.until('Succeeded', 30 * 60_000);
    await clock.advance(10 * 60_000);
    const images = (await scene.pods()).map(({ spec }) => spec.containers.map(({ image }) => image));
    expect(images.map(String)).toEqual(Array(4).fill('empty:1,log:2,web:2'));
    const plan = await user.get(resources.RolloutPlan, { namespace: 'shop', name: 'cloneset-web' });
    expect(plan['status']).toMatchObject({ phase: 'Succeeded' });
    expect(scene.errors).toEqual([]);
  });
});
