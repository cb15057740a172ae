import { afterEach, describe, expect, test, vi } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { createFleetCluster, type FleetCluster, zones } from './world.ts';

vi.mock('../../../semantics/registry/registered.ts', () => import('./registered.ts'));

let scene: FleetCluster | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

async function created(...how: Parameters<typeof createFleetCluster>): Promise<FleetCluster> {
  scene = await createFleetCluster(...how);
  return scene;
}

const statusOf = (object: KubeObject): Record<string, unknown> =>
  (object['status'] ?? {}) as Record<string, unknown>;
const allOn = (image: string) => ({ a: { [image]: 5 }, b: { [image]: 3 }, c: { [image]: 2 } });

describe('a root and its children', () => {
  test('are made at once at first contact, and the children need no plan', async () => {
    const { pods, target, rack, errors, denied } = await created();
    expect(await pods()).toEqual(allOn('db:1'));
    expect(statusOf(await target())).toMatchObject({
      replicas: 10,
      availableReplicas: 10,
      updatedReplicas: 10,
    });
    expect(statusOf(await rack('a'))).toMatchObject({ conditions: [], replicas: 5 });
    expect([errors, denied]).toEqual([[], []]);
  });

  test('are held without a plan', async () => {
    const { change, pods, target, most } = await created();
    await change('db:2');
    expect(await pods()).toEqual(allOn('db:1'));
    expect(most().images['db:2']).toBeUndefined();
    expect(statusOf(await target())).toMatchObject({
      conditions: [{ type: 'plan.kruise.io/Held', reason: 'NoPlan' }],
    });
  });

  test('go step by step, with no more pods on the new revision than a step allows, and one at a time', async () => {
    const { change, approve, pods, plan, most, target, errors } = await created();
    await change('db:2', 'db:1');
    expect(statusOf(await plan())).toMatchObject({ phase: 'AwaitingApproval', step: 'one', updated: '2/10' });
    expect(await pods()).toEqual({ ...allOn('db:1'), a: { 'db:1': 3, 'db:2': 2 } });
    expect(most()).toMatchObject({ images: { 'db:2': 2 }, missing: 1 });
    await approve('one');
    expect(statusOf(await plan())).toMatchObject({ step: 'two', updated: '5/10' });
    expect(await pods()).toEqual({ ...allOn('db:1'), a: { 'db:2': 5 } });
    expect(most()).toMatchObject({ images: { 'db:2': 5 }, missing: 1 });
    await approve('two');
    expect(statusOf(await plan())).toMatchObject({ phase: 'Succeeded', updated: '10/10' });
    expect(await pods()).toEqual(allOn('db:2'));
    expect(most()).toMatchObject({ missing: 1 });
    expect(statusOf(await target())).toMatchObject({ updatedAvailableReplicas: 10, conditions: [] });
    expect(errors).toEqual([]);
  });

  test('one that changes as a whole waits until all of it fits', async () => {
    const subsets = [{ name: 'a', slots: 5, whole: true }, ...zones(0, 3, 2).slice(1)];
    const { change, approve, pods, most } = await created({ subsets });
    await change('db:2', 'db:1');
    expect(await pods()).toEqual({ ...allOn('db:1'), b: { 'db:1': 1, 'db:2': 2 } });
    await approve('one');
    expect(await pods()).toEqual({ ...allOn('db:2'), a: { 'db:1': 5 } });
    expect(most()).toMatchObject({ images: { 'db:2': 5 }, missing: 1 });
    await approve('two');
    expect(await pods()).toEqual(allOn('db:2'));
  });

  test('go back with git in the middle of a rollout', async () => {
    const { change, approve, pods, plan, most } = await created();
    await change('db:2', 'db:1');
    await approve('one');
    expect(await pods()).toMatchObject({ a: { 'db:2': 5 } });
    await change('db:1');
    expect(statusOf(await plan())).toMatchObject({ phase: 'Reverted' });
    expect(await pods()).toEqual(allOn('db:1'));
    expect(most()).toMatchObject({ images: { 'db:2': 5 }, missing: 1 });
  });

  test('stay within a step while the allocator moves pods between zones', async () => {
    const { change, approve, set, pods, most, plan } = await created();
    await change('db:2', 'db:1');
    await approve('one');
    most();
    await set({ subsets: zones(2, 6, 2) });
    expect(await pods()).toEqual({ a: { 'db:2': 2 }, b: { 'db:1': 3, 'db:2': 3 }, c: { 'db:1': 2 } });
    expect(most().images['db:2']).toBeLessThanOrEqual(5);
    await set({ subsets: zones(6, 2, 2) });
    expect(most().images['db:2']).toBeLessThanOrEqual(5);
    expect(statusOf(await plan())).toMatchObject({ updated: '5/10' });
    await approve('two');
    expect(await pods()).toEqual({ a: { 'db:2': 6 }, b: { 'db:2': 2 }, c: { 'db:2': 2 } });
  });

  test('a zone that is no more goes with its pods, and one that is new comes on the stable revision', async () => {
    const { change, set, pods, most } = await created();
    await change('db:2', 'db:1');
    most();
    const [, ...others] = zones(5, 3, 2);
    await set({ subsets: [...others, { name: 'd', slots: 5 }] });
    expect(await pods()).toEqual({ b: { 'db:2': 2, 'db:1': 1 }, c: { 'db:1': 2 }, d: { 'db:1': 5 } });
    expect(most().images['db:2']).toBeLessThanOrEqual(2);
  });
});
