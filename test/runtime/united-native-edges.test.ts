import { afterEach, describe, expect, test } from 'vitest';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { childKindOf } from '../../semantics/uniteddeployment/child-kinds.ts';
import { createUnitedWorld, planFor, SHOP, united, type UnitedWorld, type Web } from './united-world.ts';

let world: UnitedWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

const quotas: Resource = {
  ...{ group: '', version: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas' },
  namespaced: true,
};
const BY_ZONE: readonly Step[] = [
  { id: 'zone-b', update: { to: '100%', subsets: ['b'] } },
  { id: 'one', approve: {} },
  { id: 'rest', update: { to: '100%' } },
];

async function created(): Promise<UnitedWorld> {
  world = await createUnitedWorld({ workloads: true });
  return world;
}

/** Lets no pod be created beside so many. */
async function limit({ user, clock }: UnitedWorld, pods: number): Promise<void> {
  const metadata = { name: 'pods', namespace: SHOP };
  const spec = { hard: { pods: String(pods) } };
  await user.create(quotas, { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec });
  await clock.advance(10_000);
}

async function templateOf({ user }: UnitedWorld, field: Web['field'], name: string): Promise<string> {
  const { spec } = await user.get(childKindOf(field).resource, { namespace: SHOP, name });
  return JSON.stringify((spec as JsonObject)['template']).match(/web:\d/)?.[0] ?? '';
}

describe.each(['deploymentTemplate', 'statefulSetTemplate'] as const)('children of %s', (field) => {
  const of = (web: Web = {}): Web => ({ field, ...web, spec: { replicas: 5, ...web.spec } });

  test('an empty zone that no step has named gets the pods of a larger size at once, on its own template', async () => {
    const self = await created();
    const subsets: JsonObject[] = [{ name: 'b', maxReplicas: 3 }, { name: 'd' }];
    const web = (image: string, replicas = 3): Web => of({ image, subsets, spec: { replicas } });
    await self.apply(united(web('web:1')));
    await self.apply(planFor(web('web:1'), web('web:2'), BY_ZONE), united(web('web:2')));
    expect(await self.pods()).toEqual({ b: { 'web:2': 3 } });
    expect(await templateOf(self, field, 'web-d')).toBe('web:1');
    await self.set({ replicas: 10 });
    await self.clock.advance(60_000);
    expect(await self.plan()).toMatchObject({ phase: 'AwaitingApproval' });
    expect(await self.pods()).toEqual({ b: { 'web:2': 3 }, d: { 'web:1': 7 } });
    await self.set({ replicas: 2 });
    await self.set({ replicas: 6 });
    await self.clock.advance(60_000);
    expect(await self.pods()).toEqual({ b: { 'web:2': 3 }, d: { 'web:1': 3 } });
    await self.approve('one');
    await self.clock.advance(60_000);
    expect(await self.plan()).toMatchObject({ phase: 'Succeeded' });
    expect(await self.pods()).toEqual({ b: { 'web:2': 3 }, d: { 'web:2': 3 } });
  });

  test('a way back ends with the earlier template, though a quota lets no pod leave it', async () => {
    const self = await created();
    self.world.images.set('web:2', { neverReady: true });
    await self.apply(united(of({ image: 'web:1' })));
    // A StatefulSet deletes a pod before it makes the next one.
    await limit(self, field === 'deploymentTemplate' ? 5 : 4);
    await self.apply(
      planFor(of({ image: 'web:1' }), of({ image: 'web:2' }), BY_ZONE),
      united(of({ image: 'web:2' })),
    );
    expect(await templateOf(self, field, 'web-b')).toBe('web:2');
    await self.apply(united(of({ image: 'web:1' })));
    expect(await templateOf(self, field, 'web-b')).toBe('web:1');
    self.most();
    await self.user.delete(quotas, { namespace: SHOP, name: 'pods' });
    await self.clock.advance(60 * 60_000);
    expect(await self.plan()).toMatchObject({ phase: 'Reverted' });
    expect([self.most()['web:2'] ?? 0, await self.pods()]).toEqual([
      0,
      { a: { 'web:1': 1 }, b: { 'web:1': 2 }, c: { 'web:1': 2 } },
    ]);
  });

  test('a zone that has lost its only pod waits for the one before it', async () => {
    const self = await created();
    const three = (image: string): Web => of({ image, spec: { replicas: 3 } });
    self.world.images.set('web:2', { neverReady: true });
    await self.apply(united(three('web:1')));
    const steps: Step[] = [{ id: 'all', update: { to: '100%' } }];
    await self.apply(planFor(three('web:1'), three('web:2'), steps), united(three('web:2')));
    expect(await self.plan()).toMatchObject({ phase: 'Running' });
    const { items } = await self.user.list(resources.Pod, { namespace: SHOP });
    const lost = items.find(({ metadata: { name } }) => name.startsWith('web-c-'));
    await limit(self, 3);
    await self.user.delete(resources.Pod, { namespace: SHOP, name: lost?.metadata.name ?? '' });
    await self.clock.advance(5 * 60_000);
    expect(await templateOf(self, field, 'web-a')).toBe('web:2');
    expect(await templateOf(self, field, 'web-c')).toBe('web:1');
  });
});
