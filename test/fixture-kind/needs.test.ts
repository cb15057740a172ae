import { afterEach, describe, expect, test, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { deployOutputs } from '../../deploy/generate/outputs.ts';
import { authorized, serviceAccount, type World } from 'kruise-sandbox';
import { crds } from '../../schemas/generated/crds.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { isOwnedBy } from '../../semantics/owner.ts';
import { permissionsOf, without } from '../deploy/roles.ts';
import { grant } from '../deploy/scenario.ts';
import { cardResource, lockResource } from './cards.ts';
import { rackDefinitions } from './definitions.ts';
import { aisleKind, rackKind } from './kind.ts';
import { registered } from './registered.ts';
import { createRackCluster, type RackCluster, SHOP } from './world.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('./registered.ts'));

const account = serviceAccount('kruise-system', 'kruise-runtime');
const outputs = deployOutputs(registered, [...crds, ...rackDefinitions]);
const roles = parseAllDocuments(outputs.get('deploy/rbac/runtime.yaml') ?? '').map(
  (document) => document.toJS() as KubeObject,
);

let scene: RackCluster | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

/** A scene under these roles, and what it asked for of cards and locks. */
async function underRoles(kind: typeof rackKind, objects: readonly KubeObject[] = roles) {
  const asked = new Set<string>();
  const refused = new Set<string>();
  const made = await createRackCluster(kind, (world: World) => {
    grant(world, objects);
    return authorized(world, account, ({ verb, resource }, isAllowed) => {
      if (!isAllowed) refused.add(`${verb} ${resource}`);
      else if (['configmaps', 'secrets'].includes(resource)) asked.add(`${verb} ${resource}`);
    });
  });
  scene = made;
  const change = async (spec: object): Promise<void> => {
    await made.user.patch(kind.resource, made.at, { type: 'merge', body: { spec } } as never);
    await made.clock.advance(60_000);
  };
  const cards = async (): Promise<string[]> => {
    const { items } = await made.user.list(cardResource, { namespace: SHOP });
    const target = await made.target();
    return items
      .filter((each) => isOwnedBy(each, target))
      .map(({ metadata, data }) => `${metadata.name} ${(data as { image: string }).image}`);
  };
  return { made, asked, refused, change, cards };
}

const lock = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: SHOP },
});

describe.each([rackKind, aisleKind])('a $id.kind', (kind) => {
  test('keeps children of another kind as it wants them, with the role that is made for it', async () => {
    const { made, asked, refused, change, cards } = await underRoles(kind);
    await change({ cards: true });
    expect(await cards()).toEqual(['db-0 db:1', 'db-1 db:1', 'db-2 db:1', 'db-3 db:1']);
    // Somebody else edits one, and deletes another.
    const at = (name: string) => ({ namespace: SHOP, name });
    await made.user.patch(cardResource, at('db-1'), { type: 'merge', body: { data: { image: 'x' } } });
    await made.user.delete(cardResource, at('db-2'));
    await made.clock.advance(5_000);
    expect(await cards()).toEqual(['db-0 db:1', 'db-1 db:1', 'db-2 db:1', 'db-3 db:1']);
    await made.change('db:1', 'db:2');
    expect(await cards()).toEqual(['db-0 db:2', 'db-1 db:1', 'db-2 db:1', 'db-3 db:1']);
    await change({ slots: 2 });
    expect(await cards()).toHaveLength(2);
    await change({ cards: false });
    expect(await cards()).toEqual([]);
    expect([...refused]).toEqual([]);
    const verbs = ['create', 'delete', 'list', 'patch', 'watch'];
    expect([...asked].sort()).toEqual(verbs.map((verb) => `${verb} configmaps`));
    expect(made.errors).toEqual([]);
  });

  test('follows an object that it names, and sees no other', async () => {
    const { made, asked, refused, change } = await underRoles(kind);
    for (const name of ['gate', 'other']) await made.user.create(lockResource, lock(name));
    await change({ lock: 'gate' });
    await made.change('db:1', 'db:2');
    expect(await made.images()).toEqual(['db:1', 'db:1', 'db:1', 'db:1']);
    expect(made.runtime.cacheSizes().find(({ resource }) => resource === 'secrets')?.objects).toBe(1);
    // Another name is known as soon as it was listed.
    await change({ lock: 'other' });
    expect(await made.images()).toEqual(['db:1', 'db:1', 'db:1', 'db:1']);
    await made.user.delete(lockResource, { namespace: SHOP, name: 'other' });
    await made.clock.advance(60_000);
    expect(await made.images()).toEqual(['db:2', 'db:1', 'db:1', 'db:1']);
    expect([...refused]).toEqual([]);
    expect([...asked].filter((each) => each.endsWith('secrets')).sort()).toEqual([
      'list secrets',
      'watch secrets',
    ]);
  });

  test('is held while what it names may not be seen', async () => {
    const listed = permissionsOf(roles).find((each) => each.resource === 'secrets' && each.verb === 'list');
    if (listed === undefined) throw new Error('secrets may not be listed');
    const { made, change } = await underRoles(kind, without(roles, listed));
    await change({ lock: 'gate' });
    const { conditions } = (await made.target())['status'] as { conditions: object[] };
    expect(conditions).toMatchObject([{ type: 'plan.kruise.io/Held', reason: 'NeedUnseen' }]);
    await change({ lock: null });
    await made.change('db:1', 'db:2');
    expect(await made.images()).toEqual(['db:2', 'db:1', 'db:1', 'db:1']);
  });
});
