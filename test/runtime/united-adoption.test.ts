import { afterEach, describe, expect, test } from 'vitest';
import { createRuntime, type Runtime, type RuntimeOptions } from '../../runtime/runtime.ts';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { compareCodePoints } from '../../semantics/values/canonical-json.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { type Left, storeOpenKruiseUnited } from './openkruise-united.ts';
import { createUnitedWorld, planFor, SHOP, united, type UnitedWorld, zones } from './united-world.ts';

let world: UnitedWorld | undefined;
/** The pods that OpenKruise has left. */
let atFirst: string[] = [];
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

const BOTH: Left['children'] = [
  { subset: 'a', letters: 'x2k4d', pods: 2, updated: 2 },
  { subset: 'b', letters: '7hqzt', pods: 2, updated: 2 },
];
/** Zone a is through, and half of zone b. */
const IN_THE_MIDDLE: Left['children'] = [
  { subset: 'a', letters: 'x2k4d', pods: 2, updated: 2 },
  { subset: 'b', letters: '7hqzt', pods: 2, updated: 1 },
];

/** What OpenKruise has left is taken over. */
async function left(
  { children, image, kept = {} }: { children: Left['children']; image: string; kept?: Partitions },
  policy: RuntimeOptions['policy'] = 'Required',
): Promise<UnitedWorld> {
  let runtime: Runtime | undefined;
  const self = (world = await createUnitedWorld({
    policy,
    start(options) {
      runtime = createRuntime(options);
      return { start: () => undefined, stop: () => runtime?.stop() };
    },
  }));
  await storeOpenKruiseUnited(self, { before: united(web('web:1')), after: keeping(kept, image), children });
  atFirst = await uids(self);
  runtime?.start();
  await self.clock.advance(180_000);
  return self;
}

async function uids({ user }: UnitedWorld): Promise<string[]> {
  const { items } = await user.list(resources.Pod, { namespace: SHOP });
  return items.map(({ metadata: { uid = '' } }) => uid).sort(compareCodePoints);
}

async function childrenOf({ user }: UnitedWorld): Promise<[string, unknown][]> {
  const { items } = await user.list(resources.CloneSet, { namespace: SHOP });
  return items.map(({ metadata, spec }) => [metadata.name, objectOf(spec)['replicas']]);
}

/** No pod that OpenKruise has left was deleted, and none has restarted. */
async function untouched(self: UnitedWorld): Promise<void> {
  const { items } = await self.user.list(resources.Pod, { namespace: SHOP });
  const restarts = items.map(({ status }) => {
    const { containerStatuses = [] } = (status ?? {}) as { containerStatuses?: { restartCount: number }[] };
    return containerStatuses[0]?.restartCount ?? 0;
  });
  expect(restarts).toEqual(items.map(() => 0));
  expect(await uids(self)).toEqual(expect.arrayContaining(atFirst));
}

const web = (image: string, names = 'ab', replicas = 4) => ({
  ...{ image, subsets: zones(names), spec: { replicas } },
});

type Partitions = Record<string, number>;

/** With partitions of its subsets. */
const keeping = (partitions: Partitions, image: string): KubeObject => {
  const given = web(image);
  const isNone = Object.keys(partitions).length === 0;
  const spec = isNone
    ? given.spec
    : { ...given.spec, updateStrategy: { type: 'Manual', manualUpdate: { partitions } } };
  return united({ ...given, spec });
};

describe('a UnitedDeployment of OpenKruise', () => {
  test('keeps its children under their names, and their pods', async () => {
    const self = await left({ children: BOTH, image: 'web:1' });
    expect(await self.held()).toBe('');
    expect(await childrenOf(self)).toEqual([
      ['web-a-x2k4d', 2],
      ['web-b-7hqzt', 2],
    ]);
    await self.set({ replicas: 6 });
    expect(await childrenOf(self)).toEqual([
      ['web-a-x2k4d', 3],
      ['web-b-7hqzt', 3],
    ]);
    await untouched(self);
    expect((await self.target())['status']).toMatchObject({
      replicas: 6,
      readyReplicas: 6,
      updatedReplicas: 6,
    });
    expect(self.errors).toEqual([]);
  });

  test('takes its children to the next template by a plan', async () => {
    const self = await left({ children: BOTH, image: 'web:1' });
    await self.apply(planFor(web('web:1'), web('web:2'), STEPS), united(web('web:2')));
    expect(await self.pods()).toEqual({ a: { 'web:2': 2 }, b: { 'web:1': 2 } });
    await self.approve('gate');
    expect(await self.pods()).toEqual({ a: { 'web:2': 2 }, b: { 'web:2': 2 } });
    expect(await self.plan()).toMatchObject({ phase: 'Succeeded' });
    expect((await childrenOf(self)).map(([name]) => name)).toEqual(['web-a-x2k4d', 'web-b-7hqzt']);
  });

  test('waits for a plan in the middle of a rollout, and every pod stays', async () => {
    const self = await left({ children: IN_THE_MIDDLE, image: 'web:2' });
    const pods = { a: { 'web:2': 2 }, b: { 'web:1': 1, 'web:2': 1 } };
    expect(await self.pods()).toEqual(pods);
    expect(await self.held()).toMatch(/^NoPlan/);
    expect((await self.target())['status']).toMatchObject({ replicas: 4, updatedReplicas: 3 });
    await untouched(self);
    const before = await uids(self);
    await self.apply(planFor(web('web:1'), web('web:2'), [{ id: 'all', update: { to: '100%' } }]));
    expect(await self.pods()).toEqual({ a: { 'web:2': 2 }, b: { 'web:2': 2 } });
    expect(await self.plan()).toMatchObject({ phase: 'Succeeded' });
    // One pod was left to update.
    const after = await uids(self);
    expect(before.filter((uid) => !after.includes(uid))).toHaveLength(1);
    expect(self.errors).toEqual([]);
  });

  describe('that keeps a pod by a partition', () => {
    const HALF = { 'web:1': 1, 'web:2': 1 };
    const pods = { a: { 'web:2': 2 }, b: HALF };
    const all: Step[] = [{ id: 'all', update: { to: '100%' } }];

    test('keeps it, with a plan, until one lets it go', async () => {
      const self = await left({ children: IN_THE_MIDDLE, image: 'web:2', kept: { b: 1 } });
      expect(await self.pods()).toEqual(pods);
      expect(await self.held()).toMatch(/^NoPlan/);
      const bound = { partitions: [{ subset: 'b', count: 1 }] };
      await self.apply(planFor(web('web:1'), web('web:2'), all, bound));
      expect([await self.pods(), (await self.plan())['phase']]).toEqual([pods, 'Succeeded']);
      expect(await self.held()).toMatch(/^Bound: 1 pod stays/);
      await untouched(self);
      // One that is lost comes back where it was.
      for (const { metadata } of (await self.user.list(resources.Pod, { namespace: SHOP })).items)
        await self.user.delete(resources.Pod, { namespace: SHOP, name: metadata.name });
      await self.clock.advance(180_000);
      expect(await self.pods()).toEqual(pods);
      await self.apply(
        planFor([web('web:1'), web('web:2')], web('web:2'), all, { partition: 0 }),
        keeping({ b: 0 }, 'web:2'),
      );
      expect(await self.pods()).toEqual({ a: { 'web:2': 2 }, b: { 'web:2': 2 } });
      expect(self.errors).toEqual([]);
    });

    test('keeps it in Auto, until git lets it go', async () => {
      const self = await left({ children: IN_THE_MIDDLE, image: 'web:2', kept: { b: 1 } }, 'Auto');
      expect(await self.pods()).toEqual(pods);
      await untouched(self);
      await self.apply(keeping({ b: 0 }, 'web:2'));
      expect(await self.pods()).toEqual({ a: { 'web:2': 2 }, b: { 'web:2': 2 } });
    });

    test('follows a partition that is raised before it is taken over', async () => {
      const self = await left({ children: IN_THE_MIDDLE, image: 'web:2', kept: { a: 1, b: 2 } }, 'Auto');
      // What OpenKruise has updated stays.
      expect(await self.pods()).toEqual(pods);
      await untouched(self);
    });
  });

  test('goes on in Auto where OpenKruise has stopped', async () => {
    const self = await left({ children: IN_THE_MIDDLE, image: 'web:2' }, 'Auto');
    expect(await self.pods()).toEqual({ a: { 'web:2': 2 }, b: { 'web:2': 2 } });
    expect(await self.held()).toBe('');
  });

  test('makes lost pods again on the revision that they were on', async () => {
    const self = await left({ children: IN_THE_MIDDLE, image: 'web:2' });
    const { items } = await self.user.list(resources.Pod, { namespace: SHOP });
    for (const { metadata } of items)
      await self.user.delete(resources.Pod, { namespace: SHOP, name: metadata.name });
    await self.clock.advance(180_000);
    expect(await self.pods()).toEqual({ a: { 'web:2': 2 }, b: { 'web:1': 1, 'web:2': 1 } });
  });

  test('goes back with git in the middle of a rollout', async () => {
    const self = await left({ children: IN_THE_MIDDLE, image: 'web:2' });
    await self.apply(united(web('web:1')));
    await self.clock.advance(300_000);
    expect(await self.pods()).toEqual({ a: { 'web:1': 2 }, b: { 'web:1': 2 } });
  });

  test('empties the younger of two children of one subset, and deletes it then (UD-28)', async () => {
    const twice = [...BOTH, { subset: 'a', letters: 'zzzzz', pods: 2, updated: 2 }];
    const self = await left({ children: twice, image: 'web:1' });
    await self.clock.advance(180_000);
    expect(await childrenOf(self)).toEqual([
      ['web-a-x2k4d', 2],
      ['web-b-7hqzt', 2],
    ]);
    expect(await self.pods()).toEqual({ a: { 'web:1': 2 }, b: { 'web:1': 2 } });
  });

  test('takes over no child that somebody makes later', async () => {
    const self = await left({ children: BOTH, image: 'web:1' });
    const [first] = (await self.user.list(resources.CloneSet, { namespace: SHOP })).items;
    if (first === undefined) throw new Error('there is no child');
    const { labels = {}, ownerReferences = [] } = first.metadata;
    const { annotations: _, ...metadata } = {
      name: 'web-a-later',
      namespace: SHOP,
      labels,
      ownerReferences,
      annotations: {},
    };
    await self.user.create(resources.CloneSet, {
      ...first,
      metadata,
      spec: { ...objectOf(first['spec']), replicas: 0 },
    });
    await self.clock.advance(180_000);
    expect(await childrenOf(self)).toEqual([
      ['web-a-later', 0],
      ['web-a-x2k4d', 2],
      ['web-b-7hqzt', 2],
    ]);
  });

  test('gives a new subset a child under a name of its own, and keeps the others', async () => {
    const self = await left({ children: BOTH, image: 'web:1' });
    const before = await uids(self);
    await self.apply(united(web('web:1', 'abc', 6)));
    expect((await childrenOf(self)).map(([name]) => name)).toEqual(['web-a-x2k4d', 'web-b-7hqzt', 'web-c']);
    expect(await uids(self)).toEqual(expect.arrayContaining(before));
    await self.apply(united(web('web:1', 'bc', 4)));
    expect((await childrenOf(self)).map(([name]) => name)).toEqual(['web-b-7hqzt', 'web-c']);
  });
});

const STEPS: readonly Step[] = [
  { id: 'a', update: { to: '100%', subsets: ['a'] } },
  { id: 'gate', approve: {} },
  { id: 'rest', update: { to: '100%' } },
];
