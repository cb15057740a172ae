import { afterEach, describe, expect, test } from 'vitest';
import { createVirtualClock, createWorld, type VirtualClock, type World } from 'kruise-sandbox';
import { createRuntime, type Runtime } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { LAST_WRITE, NAMESPACE } from '../fixtures/openkruise/objects.ts';
import { hashOf, type Recorded, recorded, TICK } from '../fixtures/openkruise/recorded.ts';
import { resourceOfKind, type Stored, timeAt } from '../fixtures/openkruise/recorded-parts.ts';
import { MATCHED_ANNOTATION } from '../../semantics/workloadspread/resource.ts';
import { cloneSet } from './stage.ts';

const byText = (a: string, b: string): number => (a < b ? -1 : 1);

const MINUTE = 60_000;
const READS = new Set(['get', 'list', 'watch']);

interface Site {
  world: World;
  clock: VirtualClock;
  user: Cluster;
  /** What the runtime has written but for Events, status, and its Lease, as `verb resource name`. */
  writes(): string[];
  /** The target, and all objects that were recorded with it, by kind and name. */
  target(): Promise<KubeObject>;
  there(): Promise<Map<string, KubeObject>>;
  stop(): Promise<void>;
}

let running: Site | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

async function put(manager: Cluster, { resource, object }: Stored): Promise<KubeObject> {
  const created = await manager.create(resource, object);
  const { status } = object as { status?: JsonObject };
  if (status === undefined) return created;
  const at = { ...(resource.namespaced && { namespace: NAMESPACE }), name: object.metadata.name };
  return manager.patch(resource, at, { type: 'merge', body: { status } }, { subresource: 'status' });
}

/** Stores what OpenKruise leaves, and takes it over. */
async function takenOver({ kind, target, owned }: Recorded): Promise<Site> {
  const clock = createVirtualClock(LAST_WRITE);
  const namespaces = ['default', NAMESPACE, 'kruise-system'];
  const empty = createWorld({ clock, crds, nodes: 0, kubeletsByHand: false, namespaces });
  const manager = empty.cluster('kruise-manager');
  for (const name of ['node-1', 'node-2'])
    await manager.create(resources.Node, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
  const stored = await put(manager, { resource: resourceOfKind(kind), object: target });
  const objects = owned(stored);
  for (const each of objects) await put(manager, each);
  const restored = empty.state();
  empty.stop();
  const world = createWorld({ clock, crds, restored, seed: 2, namespaces: [] });
  const errors: unknown[] = [];
  const runtime: Runtime = createRuntime({
    cluster: world.cluster('kruise'),
    clock,
    policy: 'Auto',
    adopt: true,
    onError: (_, error) => errors.push(error),
  });
  const user = world.cluster('user');
  running = {
    world,
    clock,
    user,
    writes: () =>
      world.log
        .filter(
          ({ user: who, verb, resource, subresource, code }) =>
            who === 'kruise' &&
            code < 300 &&
            !READS.has(verb) &&
            resource !== 'events' &&
            subresource !== 'status',
        )
        .map(({ verb, resource, name = '' }) => `${verb} ${resource} ${name}`),
    target: () =>
      user.get(resourceOfKind(kind), locationOf({ resource: resourceOfKind(kind), object: target })),
    there: async () => {
      const found = await Promise.all(
        objects.map(({ resource, object }) => user.get(resource, locationOf({ resource, object }))),
      );
      return new Map(
        found.map((each) => [`${each.kind} ${each.metadata.namespace ?? ''}/${each.metadata.name}`, each]),
      );
    },
    stop: async () => {
      await runtime.stop();
      world.stop();
      expect(errors).toEqual([]);
    },
  };
  runtime.start();
  await clock.advance(5 * MINUTE);
  return running;
}

const locationOf = ({ resource, object: { metadata } }: Stored) => ({
  ...(resource.namespaced && { namespace: metadata.namespace ?? NAMESPACE }),
  name: metadata.name,
});

/** What the runtime writes beyond status while it takes over. */
const WRITES: Readonly<Record<string, readonly string[]>> = {
  StatefulSet: ['patch controllerrevisions web-6b9d5c8f74', ...['web-0', 'web-1', 'web-2'].map(labelled)],
  DaemonSet: ['patch controllerrevisions web-7d4f9b8c5d', ...['web-x2k4d', 'web-y2k4d'].map(labelled)],
  BroadcastJob: [],
  AdvancedCronJob: ['create controllerrevisions nightly-67c64bdb58'],
  PodUnavailableBudget: ['create poddisruptionbudgets budget-evictions'],
  ResourceDistribution: ['patch configmaps settings'],
  WorkloadSpread: [],
  UnitedDeployment: [
    'create controllerrevisions web-a-x2k4d-7599cfb77b',
    'create controllerrevisions web-7569fd794f',
    'patch controllerrevisions web-7569fd794f',
    'patch clonesets web-a-x2k4d',
  ],
  // They are over.
  ContainerRecreateRequest: [],
  ImagePullJob: [],
  ImageListPullJob: [],
  NodeImage: [],
};

/**
 * What has gone on by itself: the second pod of the run has ended, and so has the job of the list. The revision of a UnitedDeployment is
 * written anew, as it holds the templates of pods here.
 */
const GONE_ON: Readonly<Record<string, JsonObject>> = {
  BroadcastJob: { active: 0, succeeded: 2 },
  ImageListPullJob: { active: 0, completed: 1, succeeded: 1 },
  UnitedDeployment: { currentRevision: 'web-7569fd794f', updatedRevision: 'web-7569fd794f' },
};

/** The label `pod-template-hash`, which other kinds of OpenKruise have. */
function labelled(pod: string): string {
  return `patch pods ${pod}`;
}

test('every kind has recorded objects of OpenKruise: here, or in a table of its own', () => {
  const elsewhere = ['CloneSet', 'SidecarSet'];
  expect([...recorded.map(({ kind }) => kind), ...elsewhere].sort()).toEqual(
    kinds.map(({ id }) => id.kind).sort(),
  );
});

describe('what OpenKruise leaves is taken over as it is', () => {
  test.each(recorded)('$kind', async (each) => {
    const site = await takenOver(each);
    const before = each.owned(await site.target());
    const after = await site.there();
    expect(after.size).toBe(before.length);
    for (const { object } of before) {
      const now = after.get(`${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`);
      expect(now?.metadata.labels ?? {}).toMatchObject(object.metadata.labels ?? {});
      expect(now?.metadata.annotations ?? {}).toMatchObject(object.metadata.annotations ?? {});
      expect(now?.['data']).toEqual(object['data']);
      if (object.kind === 'Pod')
        expect(objectOf(now?.['status'])['containerStatuses']).toEqual([
          expect.objectContaining({ restartCount: 0 }),
        ]);
    }
    expect([...new Set(site.writes())]).toEqual(WRITES[each.kind]);
    const { status } = await site.target();
    expect(objectOf(status)).toMatchObject({ ...objectOf(each.target['status']), ...GONE_ON[each.kind] });
  });
});

/** Whose controller is the target, as OpenKruise refers to it. */
const ownersOf = ({ metadata: { ownerReferences = [] } }: KubeObject) =>
  ownerReferences.map(({ apiVersion, kind, name, controller, blockOwnerDeletion }) =>
    [apiVersion, kind, name, controller === true, blockOwnerDeletion === true].join(' '),
  );
const owner = (kind: string, name: string): string[] => [`apps.kruise.io/v1beta1 ${kind} ${name} true true`];
const podsOf = async ({ user }: Site): Promise<KubeObject[]> =>
  (await user.list(resources.Pod, { namespace: NAMESPACE })).items;

/** A further pod, by its name or by what it is named after. */
async function madeHere(site: Site, before: ReadonlySet<string>): Promise<KubeObject> {
  const [made, ...more] = (await podsOf(site)).filter(({ metadata }) => !before.has(metadata.uid ?? ''));
  if (made === undefined || more.length > 0) throw new Error(`${more.length + 1} were made`);
  return made;
}
const uidsOf = async (site: Site): Promise<Set<string>> =>
  new Set((await podsOf(site)).map(({ metadata }) => metadata.uid ?? ''));

/** Changes the image, lets a pod be lost, and reads what OpenKruise's manager compares: revisions by their bytes, pods by labels. */
async function updatedOnRevisions(kind: string, site: Site, label: (name: string) => string): Promise<void> {
  const { user, clock } = site;
  const at = { namespace: NAMESPACE, name: 'web' };
  const image = [{ op: 'replace' as const, path: '/spec/template/spec/containers/0/image', value: 'web:2' }];
  await user.patch(resourceOfKind(kind), at, { type: 'json', body: image });
  await clock.advance(5 * MINUTE);
  const before = await uidsOf(site);
  const [first] = await podsOf(site);
  await user.delete(resources.Pod, { namespace: NAMESPACE, name: first?.metadata.name ?? '' });
  await clock.advance(2 * MINUTE);
  const target = await site.target();
  const { items } = await user.list(resources.ControllerRevision, { namespace: NAMESPACE });
  const live = items.find(({ metadata, revision }) => revision === 2 && metadata.name.startsWith('web-'));
  const { template } = target['spec'] as { template: JsonObject };
  expect(live?.['data']).toEqual({ spec: { template: { ...template, $patch: 'replace' } } });
  expect(live && ownersOf(live)).toEqual(owner(kind, 'web'));
  const wanted = label(live?.metadata.name ?? '');
  const pods = await podsOf(site);
  expect(pods.map(({ metadata }) => metadata.labels?.['controller-revision-hash'])).toEqual(
    pods.map(() => wanted),
  );
  expect(objectOf(target['status'])['updateRevision']).toBe(wanted);
  expect(ownersOf(await madeHere(site, before))).toEqual(owner(kind, 'web'));
}

/** What was made or changed here is what OpenKruise's manager knows its own by. */
const BACK: Readonly<Record<string, (site: Site) => Promise<void>>> = {
  StatefulSet: async (site) => {
    await updatedOnRevisions('StatefulSet', site, (name) => name);
    for (const { metadata } of await podsOf(site))
      expect(metadata.labels).toMatchObject({
        'statefulset.kubernetes.io/pod-name': metadata.name,
        'lifecycle.apps.kruise.io/state': 'Normal',
      });
  },
  DaemonSet: (site) => updatedOnRevisions('DaemonSet', site, (name) => name.slice('web-'.length)),
  async BroadcastJob(site) {
    const before = await uidsOf(site);
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-3' } };
    await site.user.create(resources.Node, node);
    await site.clock.advance(10_000);
    const made = await madeHere(site, before);
    const { metadata } = await site.target();
    expect(made.metadata.labels).toMatchObject({
      'broadcastjob-name': 'scan',
      'broadcastjob-controller-uid': metadata.uid,
    });
    expect(ownersOf(made)).toEqual(owner('BroadcastJob', 'scan'));
  },
  async AdvancedCronJob(site) {
    await site.clock.advance(30 * MINUTE);
    const next = { namespace: NAMESPACE, name: `nightly-${TICK + 3600}` };
    const child = await site.user.get(resourceOfKind('BroadcastJob'), next);
    expect(child.metadata.annotations?.['apps.kruise.io/scheduled-at']).toBe(timeAt(-1800));
    expect(ownersOf(child)).toEqual(owner('AdvancedCronJob', 'nightly'));
    expect(objectOf((await site.target())['status'])).toMatchObject({
      type: 'BroadcastJob',
      lastScheduleTime: timeAt(-1800),
    });
  },
  async PodUnavailableBudget(site) {
    const before = await uidsOf(site);
    const [first] = await podsOf(site);
    const { labels } = first?.metadata ?? {};
    await site.user.create(resources.Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'd', namespace: NAMESPACE, ...(labels !== undefined && { labels }) },
      spec: { containers: [{ name: 'main', image: 'web:1' }] },
    });
    await site.clock.advance(MINUTE);
    const linked = await madeHere(site, before);
    expect(linked.metadata.annotations).toMatchObject({
      'pub.kruise.io/related-pub': 'budget',
      'kruise.io/related-pub': 'budget',
    });
    expect(objectOf((await site.target())['status'])).toMatchObject({
      currentAvailable: 4,
      totalReplicas: 3,
    });
    // It is found by its owner, to be deleted on the way back.
    const { items } = await site.user.list(resources.PodDisruptionBudget, { namespace: NAMESPACE });
    expect(items.map(({ metadata }) => metadata.ownerReferences?.[0]?.kind)).toEqual([
      'PodUnavailableBudget',
    ]);
  },
  async ResourceDistribution(site) {
    const body = { spec: { resource: { data: { color: 'blue' } } } };
    await site.user.patch(
      resourceOfKind('ResourceDistribution'),
      { name: 'shared' },
      { type: 'merge', body },
    );
    await site.clock.advance(MINUTE);
    const { resource } = (await site.target())['spec'] as { resource: JsonObject };
    for (const copy of (await site.there()).values()) {
      expect(copy['data']).toEqual({ color: 'blue' });
      expect(copy.metadata.annotations).toMatchObject({
        'kruise.io/resourcedistribution.resource.from': 'shared',
        'kruise.io/resourcedistribution.resource.hashcode': hashOf(resource),
      });
      expect(ownersOf(copy)).toEqual(owner('ResourceDistribution', 'shared'));
    }
  },
  async UnitedDeployment({ user, clock, target }) {
    const at = { namespace: NAMESPACE, name: 'web' };
    await user.patch(resources.UnitedDeployment, at, { type: 'merge', body: { spec: { replicas: 3 } } });
    await clock.advance(MINUTE);
    const { items } = await user.list(resources.CloneSet, { namespace: NAMESPACE });
    expect(items.map(({ metadata, spec }) => [metadata.name, objectOf(spec)['replicas']])).toEqual([
      ['web-a-x2k4d', 3],
    ]);
    expect(objectOf((await target())['status'])['conditions']).toEqual([]);
  },
  async ImageListPullJob({ target, writes }) {
    expect(objectOf((await target())['status'])['succeeded']).toBe(1);
    expect(writes()).toEqual([]);
  },
  async NodeImage({ target }) {
    expect(objectOf((await target())['status'])['desired']).toBe(1);
  },
  async ContainerRecreateRequest({ target }) {
    expect(objectOf((await target())['status'])['phase']).toBe('Completed');
  },
  async ImagePullJob({ target }) {
    expect(objectOf((await target())['status'])['succeeded']).toBe(3);
  },
  async WorkloadSpread({ user, clock }) {
    await user.create(resources.CloneSet, cloneSet('web', 'web:1', { replicas: 3 }));
    await clock.advance(MINUTE);
    const { items } = await user.list(resources.Pod, { namespace: NAMESPACE });
    expect(
      items.map(({ metadata: { annotations } }) => annotations?.[MATCHED_ANNOTATION] ?? '').sort(byText),
    ).toEqual([
      '{"name":"spread","subset":"a"}',
      '{"name":"spread","subset":"a"}',
      '{"name":"spread","subset":"b"}',
    ]);
  },
};

test.each(recorded)('what was done here is what OpenKruise knows its own by: $kind', async (each) => {
  await BACK[each.kind]?.(await takenOver(each));
  expect(Object.keys(BACK)).toContain(each.kind);
});
