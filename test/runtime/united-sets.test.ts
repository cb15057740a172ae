import { afterEach, describe, expect, test } from 'vitest';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { createUnitedWorld, planFor, SHOP, united, type UnitedWorld, type Web } from './united-world.ts';

let world: UnitedWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

async function created(): Promise<UnitedWorld> {
  world = await createUnitedWorld();
  return world;
}

/** Five pods in StatefulSets, that change one after the other. */
const sets = ({ child, ...web }: Web = {}): Web => ({
  field: 'advancedStatefulSetTemplate',
  child: { serviceName: 'web', ...child },
  ...web,
  spec: { replicas: 5, ...web.spec },
});
const ofSets = (web: Web = {}): KubeObject => united(sets(web));
const allOn = (image: string) => ({ a: { [image]: 1 }, b: { [image]: 2 }, c: { [image]: 2 } });

describe('a UnitedDeployment of StatefulSets', () => {
  test('has pods with ordinals in each subset, and the counts of them', async () => {
    const { apply, pods, child, target, user, errors, held } = await created();
    await apply(ofSets());
    expect([await held(), errors]).toEqual(['', []]);
    expect(await pods()).toEqual(allOn('web:1'));
    expect((await child('b', 'StatefulSet'))['spec']).toMatchObject({
      ...{ replicas: 2, serviceName: 'web' },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    });
    const { items } = await user.list(resources.Pod, { namespace: SHOP });
    expect(items.map(({ metadata }) => metadata.name).sort()).toEqual([
      ...['web-a-0', 'web-b-0', 'web-b-1', 'web-c-0', 'web-c-1'],
    ]);
    expect((await target())['status']).toMatchObject({
      ...{ replicas: 5, readyReplicas: 5, updatedReplicas: 5, updatedReadyReplicas: 5 },
      subsetStatuses: [{ partition: 0 }, { partition: 0 }, { partition: 0 }],
    });
  });

  test('goes step by step, zone by zone, and never has more than a step allows', async () => {
    const { apply, approve, pods, plan, most, child, errors } = await created();
    await apply(ofSets());
    most();
    await apply(planFor(sets(), sets({ image: 'web:2' })), ofSets({ image: 'web:2' }));
    expect(await plan()).toMatchObject({ phase: 'AwaitingApproval', step: 'one', updated: '1/5' });
    expect(await pods()).toEqual({ ...allOn('web:1'), a: { 'web:2': 1 } });
    expect(most()['web:2']).toBe(1);
    await approve('one');
    expect(await plan()).toMatchObject({ phase: 'AwaitingApproval', step: 'two', updated: '2/5' });
    // The highest ordinal is first.
    expect(await pods()).toEqual({ ...allOn('web:1'), a: { 'web:2': 1 }, b: { 'web:1': 1, 'web:2': 1 } });
    const { updateStrategy } = objectOf((await child('b', 'StatefulSet'))['spec']);
    expect(updateStrategy).toMatchObject({ rollingUpdate: { partition: 1 } });
    expect(most()['web:2']).toBe(2);
    await approve('two');
    expect(await plan()).toMatchObject({ phase: 'Succeeded' });
    expect(await pods()).toEqual(allOn('web:2'));
    expect(errors).toEqual([]);
  });

  test('brings a lost pod back on the revision of its ordinal, and goes back with git', async () => {
    const { apply, approve, pods, plan, user, clock, errors } = await created();
    await apply(ofSets());
    await apply(planFor(sets(), sets({ image: 'web:2' })), ofSets({ image: 'web:2' }));
    await approve('one');
    for (const name of ['web-b-0', 'web-b-1', 'web-c-0'])
      await user.delete(resources.Pod, { namespace: SHOP, name });
    await clock.advance(3 * 60_000);
    expect(await pods()).toEqual({ ...allOn('web:1'), a: { 'web:2': 1 }, b: { 'web:1': 1, 'web:2': 1 } });
    await apply(ofSets());
    expect(await plan()).toMatchObject({ phase: 'Reverted' });
    expect(await pods()).toEqual(allOn('web:1'));
    expect(errors).toEqual([]);
  });

  test('takes a zone back whose pods crash in its soak, and only that one', async () => {
    const { apply, pods, plan, clock, most, world: sandbox, errors } = await created();
    sandbox.images.set('web:2', { crashAfterMs: 90_000 });
    await apply(ofSets());
    most();
    const steps: Step[] = [
      { id: 'zone-b', update: { to: '100%', subsets: ['b'] }, onFailure: 'Revert' },
      { id: 'soak', soak: { for: '10m' }, onFailure: 'Revert' },
      { id: 'rest', update: { to: '100%' } },
    ];
    await apply(planFor(sets(), sets({ image: 'web:2' }), steps), ofSets({ image: 'web:2' }));
    await clock.advance(15 * 60_000);
    expect(await plan()).toMatchObject({ phase: 'Reverted', message: expect.stringContaining('web-b') });
    expect(await pods()).toEqual(allOn('web:1'));
    expect(most()['web:2']).toBeLessThanOrEqual(2);
    expect(errors).toEqual([]);
  });

  test('empties a subset that is gone, and is never written without need', async () => {
    const { apply, pods, user, set, child, clock } = await created();
    await apply(ofSets());
    const before = (await child('b', 'StatefulSet')).metadata.generation;
    await clock.advance(30 * 60_000);
    expect((await child('b', 'StatefulSet')).metadata.generation).toBe(before);
    const { topology } = objectOf(ofSets()['spec']);
    await set({ topology: { subsets: (objectOf(topology)['subsets'] as never[]).slice(1) } });
    const { items } = await user.list(resources.StatefulSet, { namespace: SHOP });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['web-b', 'web-c']);
    expect(await pods()).toEqual({ b: { 'web:1': 2 }, c: { 'web:1': 3 } });
  });

  test('is held while children of another kind are there, and says which (UD-27)', async () => {
    const { apply, pods, user, held, clock } = await created();
    const clones = united({ spec: { replicas: 5 } });
    await apply(clones);
    await user.patch(
      resources.UnitedDeployment,
      { namespace: SHOP, name: 'web' },
      {
        type: 'merge',
        body: {
          spec: {
            template: {
              cloneSetTemplate: null,
              advancedStatefulSetTemplate: objectOf(objectOf(ofSets()['spec'])['template'])[
                'advancedStatefulSetTemplate'
              ],
            },
          },
        } as never,
      },
    );
    await clock.advance(3 * 60_000);
    expect(await held()).toBe(
      'UnsupportedSemantics: this runtime does not execute StatefulSets while the CloneSets web-a, web-b, web-c are there: delete these, or set cloneSetTemplate again',
    );
    expect(await pods()).toEqual(allOn('web:1'));
    for (const name of ['web-a', 'web-b', 'web-c'])
      await user.delete(resources.CloneSet, { namespace: SHOP, name });
    await clock.advance(5 * 60_000);
    const { items } = await user.list(resources.StatefulSet, { namespace: SHOP });
    expect(items).toHaveLength(3);
    expect(await pods()).toEqual(allOn('web:1'));
    expect(await held()).toBe('');
  });
});
