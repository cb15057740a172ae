import { afterEach, describe, expect, test, vi } from 'vitest';
import { resources } from '../../../schemas/wire/resources.ts';
import { readShare, SHARE_ANNOTATION } from '../../../semantics/children/shares.ts';
import { createFleetCluster, type FleetCluster, SHOP } from './world.ts';

vi.mock('../../../semantics/registry/registered.ts', () => import('./registered.ts'));

let scene: FleetCluster | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

const allOn = (image: string) => ({ a: { [image]: 5 }, b: { [image]: 3 }, c: { [image]: 2 } });

describe.each(['CloneSet', 'StatefulSet'] as const)('a root whose children are of the kind %s', (of) => {
  test('gives them shares of its plan, and they have none of their own', async () => {
    scene = await createFleetCluster({ of });
    const { change, approve, pods, plan, most, errors, user } = scene;
    expect(await pods()).toEqual(allOn('db:1'));
    most();
    await change('db:2', 'db:1');
    expect((await plan())['status']).toMatchObject({ phase: 'AwaitingApproval', updated: '2/10' });
    expect(await pods()).toEqual({ ...allOn('db:1'), a: { 'db:1': 3, 'db:2': 2 } });
    expect(most()).toMatchObject({ images: { 'db:2': 2 }, missing: 1 });
    const child = await user.get(resources[of], { namespace: SHOP, name: 'db-a' });
    expect(readShare(child)?.share).toMatchObject({ allowed: 2 });
    await approve('one');
    expect(await pods()).toEqual({ ...allOn('db:1'), a: { 'db:2': 5 } });
    expect(most()).toMatchObject({ images: { 'db:2': 5 }, missing: 1 });
    await approve('two');
    expect((await plan())['status']).toMatchObject({ phase: 'Succeeded', updated: '10/10' });
    expect([await pods(), errors]).toEqual([allOn('db:2'), []]);
  });

  test('has them do nothing that it has not on record', async () => {
    scene = await createFleetCluster({ of });
    const { change, clock, pods, user } = scene;
    await change('db:2', 'db:1');
    const at = { namespace: SHOP, name: 'db-b' };
    const found = await user.get(resources[of], at);
    const { metadata, spec, apiVersion, kind } = found;
    const selector = { matchLabels: { copy: 'x' } };
    const { template } = spec as { template: { metadata?: object } };
    const copied = { ...template, metadata: { ...template.metadata, labels: { copy: 'x' } } };
    await user.create(resources[of], {
      apiVersion,
      kind,
      metadata: {
        name: 'db-d',
        namespace: SHOP,
        annotations: { [SHARE_ANNOTATION]: metadata.annotations?.[SHARE_ANNOTATION] ?? '' },
        ownerReferences: metadata.ownerReferences ?? [],
      },
      spec: { ...(spec as object), selector, template: copied },
    });
    await clock.advance(2 * 60_000);
    const copy = await user.get(resources[of], { namespace: SHOP, name: 'db-d' });
    expect((copy['status'] as { conditions?: object[] } | undefined)?.conditions).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ type: 'plan.kruise.io/Held', reason: 'Unproven' }),
      ]) as object[],
    );
    expect(Object.keys(await pods())).toEqual(['a', 'b', 'c']);
  });
});
