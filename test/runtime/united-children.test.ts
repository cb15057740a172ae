import { afterEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createUnitedWorld, podTemplate, SHOP, united, type UnitedWorld, zones } from './united-world.ts';

let world: UnitedWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

async function created(): Promise<UnitedWorld> {
  world = await createUnitedWorld();
  return world;
}

const three = (names = 'abc'): KubeObject => united({ subsets: zones(names), spec: { replicas: 3 } });
const AT_A = { namespace: SHOP, name: 'web-a' };

/** Changes a child, and removes its subset before the runtime has seen that. */
async function removedWith({ apply, user }: UnitedWorld, body: object): Promise<void> {
  await apply(three());
  const changed = user.patch(resources.CloneSet, AT_A, { type: 'merge', body: body as never });
  await Promise.all([changed, apply(three('bc'))]);
}

describe('a child of a UnitedDeployment that others have touched', () => {
  test.each([
    ['its share was removed by hand', { metadata: { annotations: { 'plan.kruise.io/share': null } } }],
    ['its template was edited', { spec: { template: podTemplate('web:evil') } }],
  ])('is emptied and deleted with its subset: %s', async (_what, body) => {
    const self = await created();
    await removedWith(self, body);
    const { items } = await self.user.list(resources.CloneSet, { namespace: SHOP });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['web-b', 'web-c']);
    const pods = await self.pods();
    expect(Object.keys(pods)).toEqual(['b', 'c']);
    expect(self.errors).toEqual([]);
  });

  test('is reported as missing while another CloneSet has its name', async () => {
    const { apply, user, target, pods, clock, world: sandbox } = await created();
    const selector = { matchLabels: { app: 'other' } };
    await user.create(resources.CloneSet, {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'CloneSet',
      metadata: AT_A,
      spec: {
        ...{ replicas: 0, selector },
        template: { ...podTemplate('web:9'), metadata: { labels: selector.matchLabels } },
      },
    });
    await apply(three());
    expect((await target())['status']).toMatchObject({
      conditions: [
        {
          ...{ type: 'SubsetFailure', status: 'True', reason: 'NameTaken' },
          message:
            'a CloneSet web-a exists that web does not control; delete it, or remove its other owner, so that subset a gets its own',
        },
      ],
    });
    expect(await pods()).toEqual({ b: { 'web:1': 1 }, c: { 'web:1': 1 } });
    const before = sandbox.log.length;
    await clock.advance(10 * 60_000);
    const tries = sandbox.log.slice(before).filter(({ verb, code }) => verb === 'create' && code === 409);
    // It is not asked for each second.
    expect(tries.length).toBeGreaterThan(10);
    expect(tries.length).toBeLessThan(40);
    await user.delete(resources.CloneSet, AT_A);
    await clock.advance(60_000);
    expect(await pods()).toEqual({ a: { 'web:1': 1 }, b: { 'web:1': 1 }, c: { 'web:1': 1 } });
    expect(JSON.stringify((await target())['status'])).not.toContain('SubsetFailure');
  });

  test('is left alone where its record is lost, and the message says so', async () => {
    const { apply, user, held, pods, clock } = await created();
    await apply(three());
    const { items } = await user.list(resources.ControllerRevision, { namespace: SHOP });
    for (const { metadata } of items)
      if (metadata.ownerReferences?.[0]?.kind === 'UnitedDeployment')
        await user.delete(resources.ControllerRevision, { namespace: SHOP, name: metadata.name });
    await clock.advance(5 * 60_000);
    expect(await held()).toBe(
      'UnsupportedSemantics: this runtime does not execute children of which its revisions have no record: restore the ControllerRevisions of web, or delete its children',
    );
    expect(await pods()).toEqual({ a: { 'web:1': 1 }, b: { 'web:1': 1 }, c: { 'web:1': 1 } });
  });
});
