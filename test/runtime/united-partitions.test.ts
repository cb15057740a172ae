import { afterEach, describe, expect, test } from 'vitest';
import type { PlanBound, Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createUnitedWorld, planFor, SHOP, united, type UnitedWorld, type Web } from './united-world.ts';

let world: UnitedWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

async function created(...how: Parameters<typeof createUnitedWorld>): Promise<UnitedWorld> {
  world = await createUnitedWorld(...how);
  return world;
}

type Partitions = Record<string, number>;

/** Five pods, of which the zones a, b and c have 1, 2 and 2. */
const web = (image: string, partitions: Partitions = {}, more: Web = {}): Web => ({
  image,
  ...more,
  spec: {
    replicas: 5,
    updateStrategy: { type: 'Manual', manualUpdate: { partitions: { b: 0, ...partitions } } },
    ...more.spec,
  },
});

const boundBy = (partitions: Partitions): PlanBound => ({
  partitions: Object.entries(partitions).map(([subset, count]) => ({ subset, count })),
});

const NONE: PlanBound = { partition: 0 };
const REST: readonly Step[] = [{ id: 'rest', update: { to: '100%' } }];
const BY_ZONE: readonly Step[] = [
  { id: 'zone-b', update: { to: '100%', subsets: ['b'] } },
  { id: 'one', approve: {} },
  ...REST,
];
const KEPT = { a: 9, c: 1 };
/** After a plan with KEPT: zone-a has only one pod. */
const AFTER = { a: { 'web:1': 1 }, b: { 'web:2': 2 }, c: { 'web:1': 1, 'web:2': 1 } };

/** The plan from web:1 to web:2 has succeeded with KEPT. */
async function kept(): Promise<UnitedWorld> {
  const self = await created();
  await self.apply(united(web('web:1', KEPT)));
  const plan = planFor(web('web:1'), web('web:2'), REST, boundBy(KEPT));
  await self.apply(plan, united(web('web:2', KEPT)));
  expect(await self.plan()).toMatchObject({ phase: 'Succeeded' });
  return self;
}

async function deletePod({ user, clock }: UnitedWorld, subset: string, image: string): Promise<void> {
  const { items } = await user.list(resources.Pod, { namespace: SHOP });
  const isIt = (pod: KubeObject): boolean =>
    pod.metadata.labels?.['apps.kruise.io/subset-name'] === subset &&
    JSON.stringify(pod['spec']).includes(image);
  const name = items.find(isIt)?.metadata.name ?? '';
  await user.delete(resources.Pod, { namespace: SHOP, name });
  await clock.advance(60_000);
}

describe('partitions of subsets', () => {
  test('keep so many pods of each on the old revision, at most all of it (UD-21)', async () => {
    const self = await kept();
    expect(await self.pods()).toEqual(AFTER);
    expect(await self.held()).toMatch(/^Bound: 2 pods stay on the old revision because of the partition/);
    expect(((await self.target()) as { status?: object }).status).toMatchObject({
      subsetStatuses: [
        { name: 'a', replicas: 1, partition: 1 },
        { name: 'b', replicas: 2, partition: 0 },
        { name: 'c', replicas: 2, partition: 1 },
      ],
    });
    expect(self.errors).toEqual([]);
  });

  test('hold for pods that are lost, and for those of another size', async () => {
    const self = await kept();
    await deletePod(self, 'c', 'web:1');
    expect(await self.pods()).toEqual(AFTER);
    await deletePod(self, 'c', 'web:2');
    expect(await self.pods()).toEqual(AFTER);
    await self.set({ replicas: 8 });
    expect(await self.pods()).toEqual({
      a: { 'web:1': 2 },
      b: { 'web:2': 3 },
      c: { 'web:1': 1, 'web:2': 2 },
    });
    // Without a plan a lower partition lets none of them go.
    await self.set({ updateStrategy: { manualUpdate: { partitions: { a: 0 } } } });
    await deletePod(self, 'a', 'web:1');
    expect(await self.pods()).toMatchObject({ a: { 'web:1': 2 } });
    await self.set({ replicas: 5, updateStrategy: { manualUpdate: { partitions: KEPT } } });
    expect(await self.pods()).toEqual(AFTER);
  });

  test('stay until a plan loosens them, which goes on from there', async () => {
    const self = await kept();
    await self.apply(united(web('web:2', { c: 1 })));
    expect(await self.pods()).toEqual(AFTER);
    expect(await self.held()).toMatch(/^NoPlan: .*partition/);
    await self.apply(planFor(web('web:1'), web('web:2'), REST, boundBy({ c: 1 })));
    expect(await self.plan()).toMatchObject({ phase: 'Succeeded' });
    expect(await self.pods()).toEqual({ ...AFTER, a: { 'web:2': 1 } });
    await self.apply(planFor(web('web:1'), web('web:2'), REST, NONE), united(web('web:2')));
    expect(await self.pods()).toEqual({ a: { 'web:2': 1 }, b: { 'web:2': 2 }, c: { 'web:2': 2 } });
    expect(await self.held()).toBe('');
  });

  test('of the manifest hold beside those of the plan, and the step says that it waits for them', async () => {
    const self = await created();
    await self.apply(united(web('web:1')));
    await self.apply(planFor(web('web:1'), web('web:2'), REST), united(web('web:2', { c: 1 })));
    expect(await self.pods()).toEqual({
      a: { 'web:2': 1 },
      b: { 'web:2': 2 },
      c: { 'web:1': 1, 'web:2': 1 },
    });
    await self.clock.advance(30 * 60_000);
    expect(await self.plan()).toMatchObject({ phase: 'Running', boundedBy: 'partition' });
    await self.apply(united(web('web:2')));
    expect(await self.plan()).toMatchObject({ phase: 'Succeeded' });
  });

  test('of all pods make a plan wait for lower ones', async () => {
    const self = await created();
    const all = { a: 9, b: 9, c: 9 };
    await self.apply(united(web('web:1')));
    await self.apply(planFor(web('web:1'), web('web:2'), REST, boundBy(all)), united(web('web:2', all)));
    await self.clock.advance(30 * 60_000);
    expect(await self.plan()).toMatchObject({ phase: 'Running', boundedBy: 'partition' });
    expect(await self.pods()).toEqual({ a: { 'web:1': 1 }, b: { 'web:1': 2 }, c: { 'web:1': 2 } });
  });

  test('hold within a step for one subset', async () => {
    const self = await created();
    const steps: readonly Step[] = [
      { id: 'zone-c', update: { to: '100%', subsets: ['c'] } },
      { id: 'one', approve: {} },
      ...REST,
    ];
    await self.apply(united(web('web:1', KEPT)));
    await self.apply(planFor(web('web:1'), web('web:2'), steps, boundBy(KEPT)), united(web('web:2', KEPT)));
    expect(await self.plan()).toMatchObject({ phase: 'AwaitingApproval' });
    expect(await self.pods()).toEqual({
      a: { 'web:1': 1 },
      b: { 'web:1': 2 },
      c: { 'web:1': 1, 'web:2': 1 },
    });
    await self.approve('one');
    expect(await self.pods()).toEqual(AFTER);
  });

  test('leave their pods where a next rollout goes back that has not taken their subset', async () => {
    const self = await kept();
    await self.apply(
      planFor([web('web:2'), web('web:1')], web('web:3'), BY_ZONE, boundBy(KEPT)),
      united(web('web:3', KEPT)),
    );
    expect(await self.plan()).toMatchObject({ phase: 'AwaitingApproval' });
    expect(await self.pods()).toEqual({ ...AFTER, b: { 'web:3': 2 } });
    await self.apply(united(web('web:2', KEPT)));
    expect(await self.plan()).toMatchObject({ phase: 'Reverted' });
    expect(await self.pods()).toEqual(AFTER);
  });

  test('leave none in a subset that a next rollout has taken on, and that goes back', async () => {
    const self = await kept();
    await self.apply(
      planFor([web('web:2'), web('web:1')], web('web:3'), REST, boundBy(KEPT)),
      united(web('web:3', KEPT)),
    );
    expect(await self.plan()).toMatchObject({ phase: 'Succeeded' });
    const { c, ...others } = await self.pods();
    expect(others).toEqual({ a: { 'web:1': 1 }, b: { 'web:3': 2 } });
    expect(c).toMatchObject({ 'web:3': 1 });
    await self.apply(united(web('web:2', KEPT)));
    expect(await self.plan()).toMatchObject({ phase: 'Reverted' });
    expect(await self.pods()).toEqual({ a: { 'web:1': 1 }, b: { 'web:2': 2 }, c: { 'web:2': 2 } });
  });

  test('hold without a plan, too, where the policy is Auto', async () => {
    const self = await created({ policy: 'Auto' });
    await self.apply(united(web('web:1')));
    await self.apply(united(web('web:2', { a: 1, c: 1 })));
    expect(await self.pods()).toEqual(AFTER);
    await self.apply(united(web('web:2')));
    expect(await self.pods()).toEqual({ a: { 'web:2': 1 }, b: { 'web:2': 2 }, c: { 'web:2': 2 } });
  });

  test('are ignored for Deployments (UD-22)', async () => {
    const self = await created({ workloads: true });
    const of = (image: string): Web => web(image, KEPT, { field: 'deploymentTemplate' });
    await self.apply(united(of('web:1')));
    await self.apply(planFor(of('web:1'), of('web:2'), REST), united(of('web:2')));
    expect(await self.plan()).toMatchObject({ phase: 'Succeeded' });
    expect(await self.pods()).toEqual({ a: { 'web:2': 1 }, b: { 'web:2': 2 }, c: { 'web:2': 2 } });
    expect(await self.held()).toBe('');
  });
});
