import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { FIELDS, type TemplateField } from '../../semantics/uniteddeployment/resource.ts';
import {
  createUnitedWorld,
  planFor,
  podTemplate,
  SHOP,
  united,
  type UnitedWorld,
  zones,
} from './united-world.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

let world: UnitedWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

/** Their children lose the highest ordinals first, and make one pod after the other. */
const ORDERED: readonly TemplateField[] = ['statefulSetTemplate', 'advancedStatefulSetTemplate'];

/** Subsets of which the last one takes what the others do not. */
const most = (count: number): JsonObject[] =>
  zones('abc').map((subset) => ({ ...subset, ...(subset['name'] !== 'c' && { maxReplicas: count }) }));

const web = (replicas: number, image: string, field: TemplateField): KubeObject =>
  united({
    ...{ image, field },
    spec: { replicas, topology: { subsets: most(2), scheduleStrategy: { type: 'Adaptive' } } },
  });

/** Zone b takes no further pods, or does again. */
function cordon({ world: { nodes } }: UnitedWorld, on: boolean): void {
  nodes[on ? 'cordon' : 'uncordon']('node-b');
}

async function sizes({ pods }: UnitedWorld): Promise<Record<string, number>> {
  const found = Object.entries(await pods());
  return Object.fromEntries(
    found.map(([subset, images]) => [subset, Object.values(images).reduce((sum, each) => sum + each, 0)]),
  );
}

async function subsetsIn({ target }: UnitedWorld): Promise<JsonObject[]> {
  return ((await target())['status'] as { subsetStatuses: JsonObject[] }).subsetStatuses;
}

const uids = async ({ user }: UnitedWorld): Promise<Set<string | undefined>> =>
  new Set((await user.list(resources.Pod, { namespace: SHOP })).items.map(({ metadata }) => metadata.uid));

async function withFullZone(field: TemplateField, replicas: number, wait: number): Promise<UnitedWorld> {
  const self = (world = await createUnitedWorld({ workloads: true }));
  cordon(self, true);
  const { user, clock } = self;
  await user.create(resources.UnitedDeployment, web(replicas, 'web:1', field));
  await clock.advance(wait);
  return self;
}

describe.each(FIELDS)('a UnitedDeployment with a %s whose pods go where there is room', (field) => {
  test('moves a pod that has had no node for 31 s, and says which subset is full (UD-29)', async () => {
    const self = await withFullZone(field, 3, 25 * SECOND);
    expect(await sizes(self)).toEqual({ a: 2, b: 1 });
    await self.clock.advance(20 * SECOND);
    expect(await sizes(self)).toEqual({ a: 2, c: 1 });
    expect(await subsetsIn(self)).toMatchObject([
      { name: 'a', replicas: 2 },
      {
        ...{ name: 'b', replicas: 0 },
        conditions: [
          {
            ...{ type: 'Schedulable', status: 'False', reason: 'reschedule' },
            message: 'a pod had no node after 30s',
          },
        ],
      },
      { name: 'c', replicas: 1 },
    ]);
    await self.set({ replicas: 5 });
    expect(await sizes(self)).toEqual({ a: 2, c: 3 });
    expect(self.errors).toEqual([]);
  });

  test('takes new pods there again after 300 s, and moves none that is ready (UD-30)', async () => {
    const self = await withFullZone(field, 4, MINUTE);
    expect(await sizes(self)).toEqual({ a: 2, c: 2 });
    cordon(self, false);
    const before = await uids(self);
    await self.clock.advance(6 * MINUTE);
    expect(await uids(self)).toEqual(before);
    expect((await subsetsIn(self))[1]).toMatchObject({
      conditions: [{ type: 'Schedulable', status: 'True', reason: 'recover' }],
    });
    await self.set({ replicas: 5 });
    expect(await sizes(self)).toEqual({ a: 2, b: 1, c: 2 });
    expect([...(await uids(self))]).toEqual(expect.arrayContaining([...before]));
  });

  if (!ORDERED.includes(field))
    test('leaves pods in the last subset that have no room anywhere, until another one takes them', async () => {
      const self = await withFullZone(field, 0, MINUTE);
      for (const name of ['node-a', 'node-c']) self.world.nodes.cordon(name);
      await self.set({ replicas: 2 });
      expect(await sizes(self)).toEqual({ c: 2 });
      self.world.nodes.uncordon('node-a');
      await self.clock.advance(10 * MINUTE);
      expect(await sizes(self)).toEqual({ a: 2 });
      expect(self.errors).toEqual([]);
    });
});

describe.each(FIELDS)('a plan of one with a %s', (field) => {
  const from = { image: 'web:1', subsets: most(2), field };
  const to = { image: 'web:2', subsets: most(2), field };
  const plan = (): KubeObject =>
    planFor(from, to, [
      { id: 'b', update: { to: '100%', subsets: ['b'] } },
      { id: 'gate', approve: {} },
      { id: 'rest', update: { to: '100%' } },
    ]);

  if (!ORDERED.includes(field))
    test('moves a pod at the stable revision, and updates no other pod for it', async () => {
      const self = (world = await createUnitedWorld({ workloads: true }));
      await self.apply(web(6, 'web:1', field));
      await self.apply(plan(), web(6, 'web:2', field));
      expect(await self.pods()).toEqual({ a: { 'web:1': 2 }, b: { 'web:2': 2 }, c: { 'web:1': 2 } });
      cordon(self, true);
      await self.user.delete(resources.Pod, {
        namespace: SHOP,
        name: await firstIn(self, 'b'),
      });
      await self.clock.advance(2 * MINUTE);
      expect(await self.pods()).toEqual({ a: { 'web:1': 2 }, b: { 'web:2': 1 }, c: { 'web:1': 3 } });
      await self.approve('gate');
      await self.clock.advance(5 * MINUTE);
      expect(await self.pods()).toEqual({ a: { 'web:2': 2 }, b: { 'web:2': 1 }, c: { 'web:2': 3 } });
    });

  test('does not hide by moving its pods that no node fits the template', async () => {
    const self = (world = await createUnitedWorld({ policy: 'Auto', workloads: true }));
    await self.apply(web(6, 'web:1', field));
    const nowhere = { ...podTemplate('web:2') };
    nowhere['spec'] = { ...(nowhere['spec'] as JsonObject), nodeSelector: { disk: 'none' } };
    const selector = { matchLabels: { app: 'web' } };
    await self.set({ template: { [field]: { spec: { selector, template: nowhere } } } });
    await self.clock.advance(10 * MINUTE);
    expect((await subsetsIn(self)).map(({ replicas }) => replicas)).toEqual([2, 2, 2]);
    expect(Object.values(await self.pods()).map((images) => images['web:2'] ?? 0)).toContain(1);
  });
});

async function firstIn({ user }: UnitedWorld, subset: string): Promise<string> {
  const { items } = await user.list(resources.Pod, { namespace: SHOP });
  const found = items.find(({ metadata }) => metadata.labels?.['apps.kruise.io/subset-name'] === subset);
  return found?.metadata.name ?? '';
}
