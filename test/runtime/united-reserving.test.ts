import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { RESERVED_LABEL } from '../../semantics/uniteddeployment/reserved-pods.ts';
import { createUnitedWorld, planFor, SHOP, united, type UnitedWorld, zones } from './united-world.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

let world: UnitedWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

const web = (replicas: number, image = 'web:1', names = 'abc'): KubeObject =>
  united({
    image,
    spec: {
      replicas,
      topology: {
        subsets: zones(names),
        scheduleStrategy: { type: 'Adaptive', adaptive: { reserveUnschedulablePods: true } },
      },
    },
  });

/** By subset, how many pods have which value of the label. */
async function labels({ user }: UnitedWorld): Promise<Record<string, Record<string, number>>> {
  const { items } = await user.list(resources.Pod, { namespace: SHOP });
  const found: Record<string, Record<string, number>> = {};
  for (const { metadata } of items) {
    const values = (found[metadata.labels?.['apps.kruise.io/subset-name'] ?? ''] ??= {});
    const value = metadata.labels?.[RESERVED_LABEL] ?? 'none';
    values[value] = (values[value] ?? 0) + 1;
  }
  return found;
}

async function statusOf({ target }: UnitedWorld): Promise<JsonObject> {
  return (await target())['status'] as JsonObject;
}

async function conditionsIn(self: UnitedWorld): Promise<Record<string, string>> {
  const { subsetStatuses } = (await statusOf(self)) as unknown as {
    subsetStatuses: { name: string; conditions?: { status: string; reason: string }[] }[];
  };
  return Object.fromEntries(
    subsetStatuses.flatMap(({ name, conditions = [] }) =>
      conditions.map(({ status, reason }): [string, string] => [name, `${status} ${reason}`]),
    ),
  );
}

/** Zone a has no room, so that its pods wait there, and others stand in for them in b. */
async function withoutRoom(replicas: number, wait = 2 * MINUTE): Promise<UnitedWorld> {
  const self = (world = await createUnitedWorld());
  self.world.nodes.cordon('node-a');
  await self.user.create(resources.UnitedDeployment, web(replicas));
  await self.clock.advance(wait);
  return self;
}

describe('a UnitedDeployment whose pods stay where they get no node', () => {
  test('has others stand in for them (UD-31, UD-35)', async () => {
    const self = await withoutRoom(2, 20 * SECOND);
    expect(await labels(self)).toEqual({ a: { false: 2 } });
    await self.clock.advance(30 * SECOND);
    expect(await labels(self)).toEqual({ a: { true: 2 }, b: { false: 2 } });
    expect(await statusOf(self)).toMatchObject({
      ...{ replicas: 2, readyReplicas: 2, updatedReplicas: 2, reservedPods: 2 },
      labelSelector: `app=web,${RESERVED_LABEL}=false`,
      subsetStatuses: [
        { name: 'a', replicas: 2, readyReplicas: 0, reservedPods: 2 },
        { name: 'b', replicas: 2, readyReplicas: 2, reservedPods: 0 },
        { name: 'c', replicas: 0 },
      ],
    });
    expect(await conditionsIn(self)).toEqual({ a: 'False reschedule' });
    expect([await self.held(), self.errors]).toEqual(['', []]);
  });

  test('removes these once the others have been ready for 300 s (UD-32)', async () => {
    const self = await withoutRoom(2);
    self.world.nodes.uncordon('node-a');
    await self.clock.advance(4 * MINUTE);
    expect(await labels(self)).toEqual({ a: { true: 2 }, b: { false: 2 } });
    await self.clock.advance(2 * MINUTE);
    expect(await labels(self)).toEqual({ a: { false: 2 } });
    expect(await conditionsIn(self)).toEqual({ a: 'True reschedule' });
    expect(await statusOf(self)).toMatchObject({ replicas: 2, reservedPods: 0 });
  });

  test('has others stand in for new pods of one that has just recovered (UD-33)', async () => {
    const self = await withoutRoom(2);
    await self.set({ replicas: 4 });
    expect(await labels(self)).toEqual({ a: { true: 2 }, b: { false: 4 } });
    self.world.nodes.uncordon('node-a');
    await self.clock.advance(5 * MINUTE);
    const seen = new Set<string>();
    for (let seconds = 0; seconds < 480; seconds += 5) {
      await self.clock.advance(5 * SECOND);
      seen.add(JSON.stringify((await labels(self))['a']));
    }
    // Two have proven that they stay; the next two are reserved at first.
    expect([...seen]).toEqual(expect.arrayContaining(['{"false":2,"true":2}']));
    expect([...seen].at(-1)).toBe('{"false":4}');
    expect(await labels(self)).toEqual({ a: { false: 4 } });
  });

  test('does not trust a subset that is added later, until its pods stay (UD-34)', async () => {
    const self = (world = await createUnitedWorld());
    await self.apply(web(2));
    expect(await labels(self)).toEqual({ a: { false: 2 } });
    await self.user.patch(
      resources.UnitedDeployment,
      { namespace: SHOP, name: 'web' },
      {
        type: 'merge',
        body: { spec: { topology: { subsets: [...zones('d'), ...zones('abc')] } } },
      },
    );
    await self.clock.advance(2 * SECOND);
    expect(await conditionsIn(self)).toEqual({ d: 'False created' });
    await self.clock.advance(MINUTE);
    expect(await labels(self)).toEqual({ a: { false: 2 }, d: { true: 2 } });
    await self.clock.advance(6 * MINUTE);
    expect(await labels(self)).toEqual({ d: { false: 2 } });
  });
});

describe('a plan of a UnitedDeployment whose pods stay where they get no node', () => {
  test('counts those that have a node, and takes the others along', async () => {
    const self = await withoutRoom(2);
    const plan = planFor({}, { image: 'web:2' }, [
      { id: 'half', update: { to: '50%' } },
      { id: 'gate', approve: {} },
      { id: 'rest', update: { to: '100%' } },
    ]);
    await self.apply(plan, web(2, 'web:2'));
    expect((await self.pods())['b']).toEqual({ 'web:1': 1, 'web:2': 1 });
    expect(await self.plan()).toMatchObject({ phase: 'AwaitingApproval', updated: '1/2' });
    await self.approve('gate');
    expect(await self.plan()).toMatchObject({ phase: 'Succeeded', updated: '2/2' });
    expect(await self.pods()).toEqual({ a: { 'web:2': 2 }, b: { 'web:2': 2 } });
    expect(self.errors).toEqual([]);
  });

  test('is not kept from updating a subset by its pods that have no node', async () => {
    const self = (world = await createUnitedWorld());
    await self.apply(web(4));
    self.world.nodes.cordon('node-a');
    const { items } = await self.user.list(resources.Pod, { namespace: SHOP });
    for (const { metadata } of items.slice(0, 2))
      await self.user.delete(resources.Pod, { namespace: SHOP, name: metadata.name });
    await self.clock.advance(2 * MINUTE);
    expect(await labels(self)).toEqual({ a: { false: 2, true: 2 }, b: { false: 2 } });
    await self.apply(
      planFor({}, { image: 'web:2' }, [{ id: 'all', update: { to: '100%' } }]),
      web(4, 'web:2'),
    );
    await self.clock.advance(20 * MINUTE);
    expect(await self.plan()).toMatchObject({ phase: 'Succeeded' });
    expect(await self.pods()).toEqual({ a: { 'web:2': 4 }, b: { 'web:2': 4 } });
  });
});
