import { afterEach, describe, expect, test } from 'vitest';
import { reviewRights, rightsText } from '../../runtime/review-rights.ts';
import {
  claimRights,
  componentRights,
  kindsWithin,
  launchRights,
  neededRights,
  nodeRights,
  type Right,
  optionalRights,
  resizeRights,
} from '../../runtime/rights.ts';
import { createHttpCluster } from '../../runtime/api/http-cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { accountConnection, permit } from '../runtime/permitted.ts';
import { createSite, type Site } from '../runtime/process-world.ts';
import { RESIZE_ANNOTATION } from '../../semantics/template/update-policy.ts';
import { cloneSet } from '../runtime/stage.ts';
import { base, clusterWide, COMPONENTS, isRole, namespaced, permissionsOf } from './roles.ts';

const lease = { namespace: 'kruise-system', name: 'kruise' };
const wide = { namespace: undefined, lease };
const narrow = { namespace: 'shop', lease: { namespace: 'shop', name: 'kruise-shop' } };

/**
 * What a look at the rights leaves out: it is asked for where it is used, and what is refused then is borne. Policies alone ask for
 * the verb `be-confined`.
 */
const ELSEWHERE =
  /^be-confined runtimes$|^get (customresourcedefinitions|validatingadmissionpolic|leases\/kruise-manager)/;

const said = ({ verb, resource, subresource, name }: Right): string =>
  `${verb} ${[resource.plural, subresource, resource === resources.Namespace ? undefined : name]
    .filter((part) => part !== undefined)
    .join('/')}`;

let site: Site | undefined;
afterEach(async () => {
  await site?.close();
  site = undefined;
});

test.each([
  ['in every namespace, without components', wide, base(), nodeRights()],
  [
    'in every namespace',
    wide,
    clusterWide(),
    [...nodeRights(), ...componentRights('distributions', kinds, wide)],
  ],
  [
    'in every namespace, with all components',
    wide,
    clusterWide(...COMPONENTS),
    [
      ...nodeRights(),
      ...componentRights('native-workloads', kinds, wide),
      ...componentRights('distributions', kinds, wide),
      ...componentRights('secrets', kinds, wide),
      ...componentRights('container-exec', kinds, wide),
    ],
  ],
  // Nodes are in none.
  ['in one namespace', narrow, namespaced('shop'), [...componentRights('native-workloads', kinds, narrow)]],
] as const)('what is asked for at the start is what the role gives, %s', (_where, place, objects, more) => {
  const given = permissionsOf(objects)
    .map(({ verb, resource }) => `${verb} ${resource}`)
    .filter((each) => !ELSEWHERE.test(each));
  const within = kindsWithin(kinds, place);
  const asked = [
    ...neededRights(within, place),
    ...optionalRights(place),
    ...claimRights(within, place),
    ...resizeRights(within, place),
    ...launchRights(within, place),
    ...more,
  ].map(said);
  expect([...new Set(asked)].sort()).toEqual([...new Set(given)].sort());
});

test('in words', () => {
  const of = (verb: string, resource: Right['resource'], more: Partial<Right> = {}): Right => ({
    verb,
    resource,
    ...more,
  });
  expect(
    rightsText([
      of('get', resources.Pod),
      of('patch', resources.Pod),
      of('delete', resources.Pod),
      of('patch', resources.Pod, { subresource: 'status' }),
      of('list', resources.RolloutPlan),
      of('watch', resources.RolloutPlan),
      of('get', resources.Lease, { name: 'kruise' }),
    ]),
  ).toBe(
    'get, patch and delete pods; patch pods/status; list and watch rolloutplans.plan.kruise.io; get leases.coordination.k8s.io/kruise',
  );
});

const SIZED = { namespace: 'shop', name: 'web' };

/** A CloneSet of one pod that is resized in place. */
function sized(cpu: string): KubeObject {
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu } } }] },
  };
  const made = cloneSet('web', '', { replicas: 1, template });
  return { ...made, metadata: { ...made.metadata, annotations: { [RESIZE_ANNOTATION]: 'true' } } };
}

/** The rules of the runtime's role, without these verbs. */
function rulesWithout(...lacking: readonly string[]) {
  return clusterWide(...COMPONENTS)
    .filter(isRole)
    .flatMap(({ rules }) => rules)
    .map((rule) => ({
      ...rule,
      verbs: rule.verbs.filter((verb) => !lacking.includes(`${verb} ${rule.resources[0]}`)),
    }))
    .filter(({ verbs }) => verbs.length > 0);
}

describe('a process that may not do all it has to', () => {
  test('ends at the start, with everything that is missing in one sentence', async () => {
    site = await createSite(20);
    permit(site.world, 'narrow', rulesWithout('patch pods', 'patch pods/status', 'watch rolloutplans'));
    const connection = accountConnection(site, 'narrow');
    const process = await site.start({ connection, election: { ...lease, identity: 'a' } });
    expect(await process.failed).toEqual({
      problem:
        'narrow lacks rights that the runtime needs in the cluster: watch rolloutplans.plan.kruise.io; patch pods; patch pods/status',
      help: 'bind the ClusterRole of deploy/ to it, or manage one namespace with --namespace',
      isFinal: true,
    });
    expect(site.lines.filter(({ msg }) => msg === 'acquired the lease')).toEqual([]);
  });

  test('learns in one sentence, too, that it may not see the one namespace that it is to look after', async () => {
    site = await createSite(20);
    const own = {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      verbs: ['get', 'update', 'create'],
    };
    const rules = rulesWithout('list namespaces', 'watch namespaces', 'delete pods');
    permit(site.world, 'narrow', [...rules, own]);
    const connection = accountConnection(site, 'narrow');
    const election = { namespace: 'shop', name: 'kruise-shop', identity: 'a' };
    const process = await site.start({ connection, election, namespace: 'shop' });
    expect(await process.failed).toMatchObject({
      problem:
        'narrow lacks rights that the runtime needs in namespace shop: delete pods; get namespaces/shop',
      help: 'bind the Role of deploy/ to it in namespace shop',
    });
  });

  test('goes on without Events, and says so', async () => {
    site = await createSite(20);
    const here = site;
    permit(here.world, 'quiet', rulesWithout('create events', 'patch events'));
    const connection = accountConnection(here, 'quiet');
    await here.start({ connection, election: { ...lease, namespace: 'default', identity: 'a' } });
    await here.until('a leader', () => here.lines.some(({ msg }) => msg === 'acquired the lease'));
    expect(here.lines.map(({ msg }) => msg)).toContain(
      'some Events are not written: the runtime may not create and patch events',
    );
  });

  test('goes on without resizes, and says so, until it has the right', async () => {
    site = await createSite(40);
    const here = site;
    const revoke = permit(here.world, 'sizeless', rulesWithout('patch pods/resize'));
    const connection = accountConnection(here, 'sizeless');
    await here.start({ connection, election: { ...lease, namespace: 'default', identity: 'a' } });
    await here.until('a leader', () => here.lines.some(({ msg }) => msg === 'acquired the lease'));
    expect(here.lines.map(({ msg }) => msg)).toContain(
      'no container is resized in place: the runtime may not patch pods/resize; the runtime looks again every five minutes',
    );
    revoke();
    permit(here.world, 'sizeless', rulesWithout());
    const hasRight = (): boolean =>
      here.lines.some(({ msg }) => msg === 'containers are resized in place from now on');
    await here.until('the right', hasRight, 80_000);
  }, 120_000);

  test('learns that it may not resize any more when a resize is forbidden', async () => {
    site = await createSite(10);
    const here = site;
    const revoke = permit(here.world, 'shrinking', rulesWithout());
    const connection = accountConnection(here, 'shrinking');
    const election = { ...lease, namespace: 'default', identity: 'a' };
    await here.start({ connection, election, policy: 'Auto' });
    await here.until('a leader', () => here.lines.some(({ msg }) => msg === 'acquired the lease'));
    const user = here.world.cluster('user');
    await user.create(resources.CloneSet, sized('1'));
    await here.until('ready pods', async () => {
      const { status } = (await user.get(resources.CloneSet, SIZED)) as {
        status?: { readyReplicas?: number };
      };
      return status?.readyReplicas === 1;
    });
    revoke();
    permit(here.world, 'shrinking', rulesWithout('patch pods/resize'));
    const { spec } = sized('2');
    await user.patch(resources.CloneSet, SIZED, { type: 'merge', body: { spec } as JsonObject });
    await here.until('the answer', () =>
      here.lines.some(
        ({ msg }) =>
          msg === 'no container is resized in place: the runtime cannot patch pods/resize any more',
      ),
    );
  });

  test('goes on without launch orders, and says so', async () => {
    site = await createSite(20);
    const here = site;
    permit(here.world, 'orderless', rulesWithout('get configmaps'));
    const connection = accountConnection(here, 'orderless');
    await here.start({ connection, election: { ...lease, namespace: 'default', identity: 'a' } });
    await here.until('a leader', () => here.lines.some(({ msg }) => msg === 'acquired the lease'));
    expect(here.lines.map(({ msg }) => msg)).toContain(
      'off (component launch-everywhere): no pod with a launch order of its containers is created, and one of another owner waits, but for namespaces with a RoleBinding to kruise-runtime-launch: the runtime may not get configmaps in the cluster',
    );
  });

  test('goes on without native workloads, and says so, until it has the right', async () => {
    site = await createSite(20);
    const here = site;
    const revoke = permit(here.world, 'childless', rulesWithout('list jobs', 'create jobs'));
    const connection = accountConnection(here, 'childless');
    await here.start({ connection, election: { ...lease, namespace: 'default', identity: 'a' } });
    await here.until('a leader', () => here.lines.some(({ msg }) => msg === 'acquired the lease'));
    const off = here.lines.filter(({ msg }) => String(msg).startsWith('off'));
    expect(off.map(({ msg, level }) => [level, msg])).toEqual([
      [
        'info',
        'off (component native-workloads): no AdvancedCronJob or UnitedDeployment creates jobs, deployments or statefulsets: the runtime may not create jobs in the cluster',
      ],
      [
        'info',
        'off (component cascading-protection): no Namespace and no definition is protected by policy.kruise.io/delete-protection=Cascading: the runtime may not get and patch namespaces; get, list, watch and patch customresourcedefinitions.apiextensions.k8s.io in the cluster',
      ],
    ]);
    expect(here.lines.filter(({ msg }) => /AdvancedCronJob is managed/.test(String(msg)))).toEqual([]);
    revoke();
    permit(here.world, 'childless', rulesWithout());
    const isOn = (): boolean =>
      here.lines.some(({ msg }) => msg === 'the component native-workloads is on from now on');
    await here.until('the right', isOn, 60_000);
  }, 90_000);

  test('goes on without a view of claims, and says so', async () => {
    site = await createSite(20);
    const here = site;
    permit(here.world, 'claimless', rulesWithout('list persistentvolumeclaims'));
    const connection = accountConnection(here, 'claimless');
    await here.start({ connection, election: { ...lease, namespace: 'default', identity: 'a' } });
    await here.until('a leader', () => here.lines.some(({ msg }) => msg === 'acquired the lease'));
    expect(here.lines.map(({ msg }) => msg)).toContain(
      'no CloneSet with claim templates is managed: the runtime may not list persistentvolumeclaims',
    );
  });

  test('is not kept out by a server that answers no questions about rights', async () => {
    site = await createSite(20);
    const cluster = createHttpCluster({
      connection: site.connection,
      clock: site.clock,
      random: () => 0,
      userAgent: 'test',
    });
    const unknown = { ...resources.SelfSubjectAccessReview, group: 'nobody.example' };
    const deaf = {
      ...cluster,
      create: async (_: unknown, body: Parameters<typeof cluster.create>[1]) => cluster.create(unknown, body),
    };
    expect(await reviewRights(deaf, neededRights(kinds, wide))).toEqual({ lacking: [], unclear: undefined });
    cluster.close();
  });
});
