import { beforeAll, describe, expect, test } from 'vitest';
import { createVirtualClock, createWorld, type ResourceAttributes, serviceAccount } from 'kruise-sandbox';
import { clusterWide, COMPONENTS, launchIn, namespaced, permissionsOf, without } from './roles.ts';
import { grant, longDay, type Terms } from './scenario.ts';

const shipped: Terms = {
  objects: [...clusterWide(), launchIn('shop')],
  user: serviceAccount('kruise-system', 'kruise-runtime'),
  only: undefined,
};
const full: Terms = { ...shipped, objects: clusterWide(...COMPONENTS) };
const narrow: Terms = {
  objects: namespaced('shop'),
  user: serviceAccount('shop', 'kruise-runtime'),
  only: 'shop',
};
const patience = { timeout: 300_000 };

/** A Role reaches neither definitions, policies nor OpenKruise's Lease: the runtime for one namespace does without them. */
const isUsual = ({ only }: Terms, asked: ResourceAttributes): boolean =>
  only !== undefined && (isBeyondRoles(asked) || isOnNodes(asked));

const isBeyondRoles = ({ verb, resource, name }: ResourceAttributes): boolean =>
  verb === 'get' &&
  (resource === 'customresourcedefinitions' ||
    resource.startsWith('validatingadmissionpolic') ||
    (resource === 'leases' && name === 'kruise-manager'));

/** Jobs on nodes need a further role, without which they are held. */
const isOnNodes = ({ verb, resource, namespace }: ResourceAttributes): boolean =>
  verb === 'list' && (resource === 'nodes' || (resource === 'pods' && namespace === ''));

/** What runs on every node begins in one namespace only where a further role lets the runtime list nodes. */
const ON_NODES = ['delete broadcastjobs', 'get daemonsets', 'delete imagepulljobs'];
const isTested = ({ only }: Terms, permission: string): boolean =>
  permission !== CONFINED && (only === undefined ? permission !== TWICE : !ON_NODES.includes(permission));

/** That of the whole cluster is enough: the role for orders of containers has it for where it is bound without the other. */
const TWICE = 'create configmaps';

/** The policies ask for it, about the runtime. */
const CONFINED = 'be-confined runtimes';

const said = ({ verb, resource, subresource }: ResourceAttributes): string =>
  `${verb} ${[resource, subresource].filter((part) => part !== '').join('/')}`;

describe.each([
  ['in every namespace, as it is shipped', shipped],
  ['in every namespace, with all components', full],
  ['in one namespace', narrow],
])('the runtime %s', (_where, terms) => {
  let day: Awaited<ReturnType<typeof longDay>>;
  beforeAll(async () => {
    day = await longDay(terms);
  }, patience.timeout);

  test('does all it has to do under its role', () => {
    const { refused, failed } = day;
    expect(failed).toEqual([]);
    expect(refused.filter((asked) => !isUsual(terms, asked))).toEqual([]);
  });

  test('is refused something without any one permission of it', patience, () => {
    const { asked } = day;
    const rows = permissionsOf(terms.objects).map((permission) => {
      const world = createWorld({
        clock: createVirtualClock(0),
        namespaces: ['shop', 'kruise-system'],
        nodes: 0,
        crds: [],
      });
      grant(world, without(terms.objects, permission));
      const refused = asked.filter(
        (each) => !isUsual(terms, each) && !world.server.authorizer.authorize(terms.user, each).allowed,
      );
      world.stop();
      return { permission: `${permission.verb} ${permission.resource}`, refused: refused.map(said) };
    });
    expect(
      rows.filter(({ refused, permission }) => refused.length === 0 && isTested(terms, permission)),
    ).toEqual([]);
    expect(rows.length).toBeGreaterThan(25);
    for (const { permission, refused } of rows)
      for (const each of refused) expect(permission).toMatch(new RegExp(`^${each}(/|$)`));
  });
});
