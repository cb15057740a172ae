import { afterEach, describe, expect, test } from 'vitest';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { SIZE_ANNOTATION } from '../../semantics/children/subset-keys.ts';
import { childKindOf } from '../../semantics/uniteddeployment/child-kinds.ts';
import { objectOf } from '../../semantics/values/read.ts';
import {
  createUnitedWorld,
  planFor,
  SHOP,
  united,
  type UnitedWorld,
  type Web,
  zones,
} from './united-world.ts';

let world: UnitedWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

const REST: readonly Step[] = [{ id: 'rest', update: { to: '100%' } }];
const SECOND = 1000;
const MINUTE = 60 * SECOND;

describe.each(['deploymentTemplate', 'cloneSetTemplate'] as const)(
  'the size of a child of %s that others change',
  (field) => {
    const { resource } = childKindOf(field);
    const at = { namespace: SHOP, name: 'web-b' };
    /** Zones of 1, 2 and 2 pods. */
    const web = (image: string): Web => ({ field, image, spec: { replicas: 5 } });

    async function created(): Promise<UnitedWorld> {
      world = await createUnitedWorld({ workloads: true });
      await world.apply(united(web('web:1')));
      return world;
    }

    async function sizeOf({ user }: UnitedWorld): Promise<unknown> {
      return objectOf((await user.get(resource, at))['spec'])['replicas'];
    }

    async function scale({ user }: UnitedWorld, replicas: number): Promise<void> {
      const patch = { type: 'merge', body: { spec: { replicas } } } as const;
      await user.patch(resource, at, patch, { subresource: 'scale', fieldManager: 'autoscaler' });
    }

    /** An autoscaler of the child looks at it every 15 s. Returns how often the runtime has written its size. */
    async function autoscaled(self: UnitedWorld, minutes: number, size = 4): Promise<number> {
      let writes = 0;
      for (let time = 0; time < minutes * MINUTE; time += 15 * SECOND) {
        if ((await sizeOf(self)) !== size) {
          writes += 1;
          await scale(self, size);
        }
        await self.clock.advance(15 * SECOND);
      }
      return writes;
    }

    async function failure(self: UnitedWorld): Promise<string> {
      const { conditions = [] } = objectOf((await self.target())['status']) as {
        conditions?: { type: string; reason: string; message: string }[];
      };
      const found = conditions.find(({ type }) => type === 'SubsetFailure');
      return found === undefined ? '' : `${found.reason}: ${found.message}`;
    }

    test('is written back at once, the first time', async () => {
      const self = await created();
      await scale(self, 4);
      await self.clock.advance(MINUTE);
      expect(await sizeOf(self)).toBe(2);
      expect(await failure(self)).toBe('');
    });

    test('stays where they change it again, and the runtime does not write in turns', async () => {
      const self = await created();
      // At first as they change it, then after the first pause of 10 and of 20 minutes.
      expect(await autoscaled(self, 35)).toBeLessThanOrEqual(4);
      expect(await sizeOf(self)).toBe(4);
      expect(await self.pods()).toEqual({ a: { 'web:1': 1 }, b: { 'web:1': 4 }, c: { 'web:1': 2 } });
      expect(await failure(self)).toMatch(
        /^SizeChanged: the size of .* web-b .*autoscaler.*UnitedDeployment web/,
      );
      const { items } = await self.user.list(resources.Event, { namespace: SHOP });
      const told = items.filter((each) => (each as { reason?: string }).reason === 'SubsetFailure');
      expect(told.length).toBeLessThanOrEqual(3);
      expect(told.length).toBeGreaterThan(0);
      expect(self.errors).toEqual([]);
    });

    test('keeps no rollout from its end, and is its own again once nobody changes it', async () => {
      const self = await created();
      await autoscaled(self, 3);
      await self.apply(planFor(web('web:1'), web('web:2'), REST), united(web('web:2')));
      await self.clock.advance(4 * MINUTE);
      expect(await self.plan()).toMatchObject({ phase: 'Succeeded' });
      expect(await self.pods()).toEqual({ a: { 'web:2': 1 }, b: { 'web:2': 4 }, c: { 'web:2': 2 } });
      await self.clock.advance(15 * MINUTE);
      expect(await sizeOf(self)).toBe(2);
      expect(await failure(self)).toBe('');
    });

    test('follows another size of the root at once', async () => {
      const self = await created();
      await autoscaled(self, 3);
      await self.set({ replicas: 9 });
      expect(await sizeOf(self)).toBe(3);
    });
  },
);

test('a child that changes as a whole has the size on record that it is given, also where its part has no room', async () => {
  const { resource } = childKindOf('deploymentTemplate');
  const subsets = [...zones('a'), ...zones('b', { replicas: '30%' }), ...zones('c', { replicas: '20%' })];
  const web = (image: string): Web => ({
    ...{ image, field: 'deploymentTemplate', subsets },
    spec: { replicas: 10 },
  });
  const by = (subset: string): Step[] => [
    { id: subset, update: { to: '100%', subsets: [subset] } },
    { id: 'one', approve: {} },
    ...REST,
  ];
  const self = await createUnitedWorld({ workloads: true });
  world = self;
  const records = async (): Promise<[unknown, string][]> =>
    (await self.user.list(resource, { namespace: SHOP })).items.map((child) => [
      objectOf(child['spec'])['replicas'],
      child.metadata.annotations?.[SIZE_ANNOTATION] ?? '',
    ]);
  await self.apply(united(web('web:1')));
  await self.apply(planFor(web('web:1'), web('web:2'), by('c')), united(web('web:2')));
  await self.apply(planFor(web('web:1'), web('web:2'), by('b')));
  for (const replicas of [5, 20]) {
    await self.set({ replicas });
    for (const [size, record] of await records())
      expect(record).toMatch(new RegExp(`^${String(size)} at [^,]*$`));
  }
});
