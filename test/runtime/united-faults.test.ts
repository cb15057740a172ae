import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { FIELDS } from '../../semantics/uniteddeployment/resource.ts';
import { objectOf, textOf } from '../../semantics/values/read.ts';
import { createUnitedWorld, podTemplate, SHOP, united, type UnitedWorld, zones } from './united-world.ts';

const MINUTE = 60_000;

let world: UnitedWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

/** OpenKruise uniteddeployment, section 10: what went wrong there, by number. */
describe('a fault of OpenKruise', () => {
  test.each(FIELDS)('3: a selector of expressions alone breaks the children (UD-41): %s', async (field) => {
    const self = (world = await createUnitedWorld({ workloads: true }));
    const selector = { matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] };
    const template = { [field]: { spec: { selector, template: podTemplate('web:1') } } };
    await self.apply(united({ spec: { replicas: 3, selector, template } }));
    expect(await self.pods()).toEqual({ a: { 'web:1': 1 }, b: { 'web:1': 1 }, c: { 'web:1': 1 } });
    expect([await self.held(), self.errors]).toEqual(['', []]);
  });

  test('4: the history of CloneSets is not found by the selector (UD-43)', async () => {
    const self = (world = await createUnitedWorld({ policy: 'Auto' }));
    for (const image of ['web:1', 'web:2']) await self.apply(united({ image, spec: { replicas: 3 } }));
    const { uid } = (await self.target()).metadata;
    const { items } = await self.user.list(resources.ControllerRevision, {
      namespace: SHOP,
      labelSelector: 'app=web',
    });
    const own = items.filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === uid);
    expect(new Set(own.map(({ revision }) => revision))).toEqual(new Set([1, 2]));
  });

  test('5: a limit below zero, where more pods are ready than there are to be', async () => {
    const self = (world = await createUnitedWorld());
    const web = (replicas: number) =>
      united({
        child: { updateStrategy: { rollingUpdate: { maxUnavailable: 1 } } },
        spec: {
          replicas,
          topology: {
            subsets: zones('ab'),
            scheduleStrategy: { type: 'Adaptive', adaptive: { reserveUnschedulablePods: true } },
          },
        },
      });
    const seen = new Set<unknown>();
    self.world.onCommit(({ resource, object }) => {
      if (!resource.startsWith('clonesets')) return;
      const { rollingUpdate } = objectOf(objectOf(object['spec'])['updateStrategy']);
      seen.add(objectOf(rollingUpdate)['maxUnavailable']);
    });
    await self.apply(web(6));
    self.world.nodes.cordon('node-a');
    const { items } = await self.user.list(resources.Pod, { namespace: SHOP });
    for (const { metadata } of items.slice(0, 3))
      await self.user.delete(resources.Pod, { namespace: SHOP, name: metadata.name });
    await self.clock.advance(2 * MINUTE);
    await self.apply(web(2));
    self.world.nodes.uncordon('node-a');
    await self.clock.advance(10 * MINUTE);
    expect(await self.pods()).toEqual({ a: { 'web:1': 2 } });
    expect([...seen].every((most) => typeof most === 'number' && most >= 1)).toBe(true);
    // The pods without a node were left out of it.
    expect(seen.size).toBeGreaterThan(1);
  });

  test('6: a child of no subset that the status knows ends every pass', async () => {
    const self = (world = await createUnitedWorld());
    await self.apply(united({ spec: { replicas: 3 } }));
    const status = { subsetStatuses: null, subsetReplicas: null } as unknown as JsonObject;
    const body = { status, spec: { topology: { subsets: zones('bc') } } };
    await self.user.patch(
      resources.UnitedDeployment,
      { namespace: SHOP, name: 'web' },
      { type: 'merge', body },
    );
    await self.clock.advance(3 * MINUTE);
    expect(await self.pods()).toEqual({ b: { 'web:1': 1 }, c: { 'web:1': 2 } });
    const { subsetStatuses } = (await self.target())['status'] as { subsetStatuses: { name: string }[] };
    expect(subsetStatuses.map(({ name }) => name)).toEqual(['b', 'c']);
    expect(self.errors).toEqual([]);
  });

  test('14: a pod without the label of a reservation is never counted again', async () => {
    const self = (world = await createUnitedWorld());
    const topology = {
      subsets: zones('ab'),
      scheduleStrategy: { type: 'Adaptive', adaptive: { reserveUnschedulablePods: true } },
    };
    await self.apply(united({ spec: { replicas: 3, topology } }));
    const labelSelector = textOf(objectOf((await self.target())['status'])['labelSelector']);
    const counted = await self.user.list(resources.Pod, {
      namespace: SHOP,
      labelSelector,
    });
    expect(counted.items).toHaveLength(3);
  });
});
