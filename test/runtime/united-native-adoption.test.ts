import { afterEach, describe, expect, test } from 'vitest';
import { createRuntime, type Runtime, type RuntimeOptions } from '../../runtime/runtime.ts';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { compareCodePoints } from '../../semantics/values/canonical-json.ts';
import { type Left, storeOpenKruiseUnited } from './openkruise-united.ts';
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

/** Zone a has the template of the change, and zone b has yet to get it. */
const IN_THE_MIDDLE: Left['children'] = [
  { subset: 'a', letters: 'x2k4d', pods: 2, updated: 2 },
  { subset: 'b', letters: '7hqzt', pods: 2, updated: 0 },
];
const REST: readonly Step[] = [{ id: 'rest', update: { to: '100%' } }];

async function uids({ user }: UnitedWorld): Promise<string[]> {
  const { items } = await user.list(resources.Pod, { namespace: SHOP });
  return items.map(({ metadata: { uid = '' } }) => uid).sort(compareCodePoints);
}

describe.each(['deploymentTemplate', 'statefulSetTemplate'] as const)(
  'a UnitedDeployment of OpenKruise with %s',
  (field) => {
    const web = (image: string): Web => ({ field, image, subsets: zones('ab'), spec: { replicas: 4 } });

    /** OpenKruise is stopped in the middle of a rollout, and what it leaves is taken over. Also returns the pods that were there. */
    async function left(policy: RuntimeOptions['policy']): Promise<[UnitedWorld, string[]]> {
      let runtime: Runtime | undefined;
      const self = (world = await createUnitedWorld({
        ...{ policy, workloads: true },
        start(options) {
          runtime = createRuntime(options);
          return { start: () => undefined, stop: () => runtime?.stop() };
        },
      }));
      const states = { before: united(web('web:1')), after: united(web('web:2')) };
      await storeOpenKruiseUnited(self, { ...states, children: IN_THE_MIDDLE });
      const pods = await uids(self);
      runtime?.start();
      await self.clock.advance(180_000);
      return [self, pods];
    }

    const MIDDLE = { a: { 'web:2': 2 }, b: { 'web:1': 2 } };

    test('waits for a plan in the middle of a rollout, and every pod stays', async () => {
      const [self, before] = await left('Required');
      expect(await self.pods()).toEqual(MIDDLE);
      expect(await self.held()).toMatch(/^NoPlan/);
      expect(await uids(self)).toEqual(before);
      await self.apply(planFor(web('web:1'), web('web:2'), REST));
      expect(await self.plan()).toMatchObject({ phase: 'Succeeded' });
      expect(await self.pods()).toEqual({ a: { 'web:2': 2 }, b: { 'web:2': 2 } });
      // The zone that was through stays as it is.
      const after = await uids(self);
      expect(before.filter((uid) => after.includes(uid))).toHaveLength(2);
      expect(self.errors).toEqual([]);
    });

    test('goes on in Auto, a zone at a time', async () => {
      const [self] = await left('Auto');
      expect(await self.pods()).toEqual({ a: { 'web:2': 2 }, b: { 'web:2': 2 } });
      expect(await self.held()).toBe('');
    });

    test('goes back with git, and the zone that was not begun keeps its pods', async () => {
      const [self, before] = await left('Required');
      await self.apply(united(web('web:1')));
      await self.clock.advance(300_000);
      expect(await self.pods()).toEqual({ a: { 'web:1': 2 }, b: { 'web:1': 2 } });
      const after = await uids(self);
      expect(before.filter((uid) => after.includes(uid))).toHaveLength(2);
    });

    test('takes a size from its root while the change waits, in the zone that has it as well', async () => {
      const [self, before] = await left('Required');
      await self.set({ replicas: 6 });
      expect(await self.pods()).toEqual({ a: { 'web:2': 3 }, b: { 'web:1': 3 } });
      expect(await uids(self)).toEqual(expect.arrayContaining(before));
      expect(await self.held()).toMatch(/^NoPlan/);
    });
  },
);
