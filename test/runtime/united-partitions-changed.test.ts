import { afterEach, describe, expect, test } from 'vitest';
import type { PlanBound, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { SUBSET_LABEL } from '../../semantics/children/subset-keys.ts';
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

/** Ten pods, of which the zones a, b and c have 3, 3 and 4. */
const web = (image: string, partitions: Partitions = {}): Web => ({
  image,
  spec: {
    replicas: 10,
    updateStrategy: { type: 'Manual', manualUpdate: { partitions: { b: 0, ...partitions } } },
  },
});

const boundBy = (partitions: Partitions): PlanBound => ({
  partitions: Object.entries(partitions).map(([subset, count]) => ({ subset, count })),
});

const REST: readonly Step[] = [{ id: 'rest', update: { to: '100%' } }];
const BY_ZONE: readonly Step[] = [
  { id: 'zone-a', update: { to: '100%', subsets: ['a'] } },
  { id: 'one', approve: {} },
  ...REST,
];
const BY_ZONES: readonly Step[] = [
  { id: 'zone-a', update: { to: '100%', subsets: ['a'] } },
  { id: 'zone-b', update: { to: '100%', subsets: ['b'] } },
  ...REST,
];
const BY_PERCENT: readonly Step[] = [
  { id: 'most', update: { to: '90%' } },
  { id: 'two', approve: {} },
  ...REST,
];

/** The plan from web:1 to web:2 has taken zone-a, and waits. */
async function withZoneA(): Promise<UnitedWorld> {
  const self = await created();
  await self.apply(united(web('web:1')));
  await self.apply(planFor(web('web:1'), web('web:2'), BY_ZONE), united(web('web:2')));
  expect(await self.pods()).toEqual({ a: { 'web:2': 3 }, b: { 'web:1': 3 }, c: { 'web:1': 4 } });
  return self;
}

/** The plan from web:1 to web:2 has succeeded with such partitions. */
async function kept(partitions: Partitions): Promise<UnitedWorld> {
  const self = await created();
  await self.apply(united(web('web:1', partitions)));
  const plan = planFor(web('web:1'), web('web:2'), REST, boundBy(partitions));
  await self.apply(plan, united(web('web:2', partitions)));
  expect(await self.plan()).toMatchObject({ phase: 'Succeeded' });
  return self;
}

describe('a partition that is raised for a subset that is through', () => {
  test.each([
    ['for all pods', REST],
    ['for one subset, and then for all pods', BY_ZONE],
    ['for one subset after the other', BY_ZONES],
  ])('keeps no pod of another one: steps %s', async (_what, steps) => {
    const self = await withZoneA();
    const bound = { a: 2 };
    await self.apply(planFor(web('web:1'), web('web:2'), steps, boundBy(bound)), united(web('web:2', bound)));
    if ((await self.plan())['phase'] === 'AwaitingApproval') await self.approve('one');
    await self.clock.advance(10 * 60_000);
    expect(await self.plan()).toMatchObject({ phase: 'Succeeded' });
    expect(await self.pods()).toEqual({ a: { 'web:2': 3 }, b: { 'web:2': 3 }, c: { 'web:2': 4 } });
    expect(await self.held()).toBe('');
    expect(self.errors).toEqual([]);
  });

  test('lets a step by percent have no more pods than it is for', async () => {
    const self = await withZoneA();
    const bound = { a: 2 };
    await self.apply(
      planFor(web('web:1'), web('web:2'), BY_PERCENT, boundBy(bound)),
      united(web('web:2', bound)),
    );
    expect(await self.plan()).toMatchObject({ phase: 'AwaitingApproval' });
    expect(await self.pods()).toEqual({
      a: { 'web:2': 3 },
      b: { 'web:2': 3 },
      c: { 'web:1': 1, 'web:2': 3 },
    });
    await self.approve('two');
    expect(await self.plan()).toMatchObject({ phase: 'Succeeded' });
    expect(await self.pods()).toMatchObject({ c: { 'web:2': 4 } });
  });
});

describe('a partition of all pods, in a plan for subsets', () => {
  test('is refused, and no pod is updated', async () => {
    const self = await created();
    await self.apply(united(web('web:1')));
    await self.apply(planFor(web('web:1'), web('web:2'), REST, { partition: 4 }), united(web('web:2')));
    expect(await self.held()).toMatch(/^UnsupportedSemantics: .*a partition of all pods/);
    expect(await self.pods()).toEqual({ a: { 'web:1': 3 }, b: { 'web:1': 3 }, c: { 'web:1': 4 } });
  });
});

describe('a partition that moves to another subset', () => {
  test.each([[{ b: 2 }], [{ b: 3 }], [{ a: 1, b: 1 }]])('lets the pods of the first go: %j', async (next) => {
    const self = await kept({ a: 2 });
    expect(await self.pods()).toMatchObject({ a: { 'web:1': 2, 'web:2': 1 } });
    await self.apply(planFor(web('web:1'), web('web:2'), REST, boundBy(next)), united(web('web:2', next)));
    await self.clock.advance(10 * 60_000);
    expect(await self.plan()).toMatchObject({ phase: 'Succeeded' });
    const a = 'a' in next ? { 'web:1': 1, 'web:2': 2 } : { 'web:2': 3 };
    expect(await self.pods()).toEqual({ a, b: { 'web:2': 3 }, c: { 'web:2': 4 } });
    expect(await self.held()).toMatch('a' in next ? /^Bound: 1 pod stays/ : /^$/);
  });
});

describe('pods that a partition keeps in a subset of which a later rollout has taken one', () => {
  const bound = { c: 3 };
  const steps: readonly Step[] = [
    { id: 'c', update: { to: 1, subsets: ['c'] } },
    { id: 'one', approve: {} },
    ...REST,
  ];

  async function oneTaken(): Promise<UnitedWorld> {
    const self = await kept(bound);
    await self.apply(
      planFor([web('web:2'), web('web:1')], web('web:3'), steps, boundBy(bound)),
      united(web('web:3', bound)),
    );
    expect(await self.plan()).toMatchObject({ phase: 'AwaitingApproval' });
    expect(await self.pods()).toMatchObject({ a: { 'web:2': 3 }, c: { 'web:1': 2, 'web:2': 1, 'web:3': 1 } });
    return self;
  }

  test('go back with it to the stable revision, also those that it has not taken', async () => {
    const self = await oneTaken();
    await self.apply(united(web('web:2', bound)));
    expect(await self.plan()).toMatchObject({ phase: 'Reverted' });
    expect(await self.pods()).toEqual({ a: { 'web:2': 3 }, b: { 'web:2': 3 }, c: { 'web:2': 4 } });
    expect(await self.held()).toBe('');
    expect(self.errors).toEqual([]);
  });

  test.each([
    ['web:1', 'web:2', { 'web:1': 1, 'web:2': 2, 'web:3': 1 }],
    ['web:2', 'web:2', { 'web:1': 2, 'web:2': 1, 'web:3': 1 }],
    ['web:3', 'web:3', { 'web:1': 2, 'web:2': 1, 'web:3': 1 }],
  ])(
    'are made on the stable revision, but for those taken, if they are lost: %s becomes %s',
    async (image, _, c) => {
      const self = await oneTaken();
      await lose(self, 'c', image);
      expect(await self.pods()).toMatchObject({ a: { 'web:2': 3 }, b: { 'web:2': 3 }, c });
      expect(self.errors).toEqual([]);
    },
  );
});

/** Deletes a pod of a subset with this image, and waits. */
async function lose({ user, clock }: UnitedWorld, subset: string, image: string): Promise<void> {
  const { items } = await user.list(resources.Pod, { namespace: SHOP });
  const found = items.find(
    ({ metadata, spec }) =>
      metadata.labels?.[SUBSET_LABEL] === subset && JSON.stringify(spec).includes(`"${image}"`),
  );
  if (found === undefined) throw new Error(`no pod of ${subset} is on ${image}`);
  await user.delete(resources.Pod, { namespace: SHOP, name: found.metadata.name });
  await clock.advance(180_000);
}
