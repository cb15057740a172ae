import { afterEach, describe, expect, test, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { deployOutputs } from '../../deploy/generate/outputs.ts';
import { authorized, type ResourceAttributes, serviceAccount, type World } from 'kruise-sandbox';
import { crds } from '../../schemas/generated/crds.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { isRole, permissionsOf, without } from '../deploy/roles.ts';
import { grant } from '../deploy/scenario.ts';
import { rackDefinitions } from './definitions.ts';
import { aisleKind, rackKind } from './kind.ts';
import { registered } from './registered.ts';
import { createRackCluster, type RackCluster } from './world.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('./registered.ts'));

const user = serviceAccount('kruise-system', 'kruise-runtime');
const made = deployOutputs(registered, [...crds, ...rackDefinitions]);
const roles = parseAllDocuments(made.get('deploy/rbac/runtime.yaml') ?? '').map(
  (document) => document.toJS() as KubeObject,
);

let scene: RackCluster | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

const textOf = ({ verb, resource, subresource }: ResourceAttributes): string =>
  `${verb} ${[resource, subresource].filter((part) => part !== '').join('/')}`;

/** A step of a rollout under these roles: what was asked for, and what of it was refused. */
async function underRoles(kind: typeof rackKind, objects: readonly KubeObject[]) {
  const asked = new Set<string>();
  const refused = new Set<string>();
  const watched = (world: World) => {
    grant(world, objects);
    return authorized(world, user, (attributes, isAllowed) => {
      (isAllowed ? asked : refused).add(textOf(attributes));
    });
  };
  scene = await createRackCluster(kind, watched);
  await scene.change('db:1', 'db:2');
  return { asked, refused, images: await scene.images() };
}

describe.each([rackKind, aisleKind])('the role that is made for a $id.kind', (kind) => {
  const { plural } = kind.resource;

  test('gives what its rollout takes', async () => {
    const { refused, images } = await underRoles(kind, roles);
    expect([...refused]).toEqual([]);
    expect(images).toEqual(['db:2', 'db:1', 'db:1', 'db:1']);
  });

  test('gives no more of the kind than that', async () => {
    const { asked } = await underRoles(kind, roles);
    const own = permissionsOf(roles.filter(isRole)).filter(({ resource }) => resource.startsWith(plural));
    expect(own.map(({ verb, resource }) => `${verb} ${resource}`).sort()).toEqual(
      [...asked].filter((each) => each.split(' ')[1]?.startsWith(plural)).sort(),
    );
    expect(own).toHaveLength(3);
  });

  test('is missed where it lacks the status', async () => {
    const status = permissionsOf(roles).find(({ resource }) => resource === `${plural}/status`);
    if (status === undefined) throw new Error('the status may not be written');
    const { refused } = await underRoles(kind, without(roles, status));
    expect([...refused]).toEqual([`patch ${plural}/status`]);
  });
});
