import { authorized, createVirtualClock, createWorld, serviceAccount } from 'kruise-sandbox';
import { afterEach, expect, test } from 'vitest';
import { creationPath, disruptionPath } from '../../../runtime/admit/configuration.ts';
import { createReviews } from '../../../runtime/admit/reviews.ts';
import { createAdmissionCaches } from '../../../runtime/admit/sources.ts';
import { crds } from '../../../schemas/generated/crds.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { injectorsOf, judgingKinds } from '../../../semantics/kinds/admitting.ts';
import { listOf, objectOf, textOf } from '../../../semantics/values/read.ts';
import { workloadSpreadKind } from '../../../semantics/workloadspread/kind.ts';
import { matchedOf } from '../../../semantics/workloadspread/matched.ts';
import { permissionsOf } from '../../deploy/roles.ts';
import { grant } from '../../deploy/scenario.ts';
import { shipped } from '../../security/shipped.ts';
import { deploymentOf, podOf, spreadOfDeployment } from '../../semantics/workloadspread/gates.ts';

const ADMISSION = serviceAccount('kruise-system', 'kruise-admission');
const own = shipped('components/admission-spreads').filter(({ kind }) => /Role(Binding)?$/.test(kind));
const roles = [...own, ...shipped('components/admission').filter(({ kind }) => /Role(Binding)?$/.test(kind))];
const deployments = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};
const at = { namespace: 'shop', name: 'spread' };

let end = (): void => {};
afterEach(() => end());

/** Two that answer by the roles that are shipped, in turn. */
async function setup(spread: KubeObject) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({
    clock,
    namespaces: ['default', 'shop', 'kruise-system'],
    nodes: 0,
    crds: [...crds],
  });
  grant(world, roles);
  const admin = world.cluster('admin');
  const { uid: _uid, ...metadata } = spread.metadata;
  await admin.create(resources.WorkloadSpread, { ...spread, metadata });
  const { uid: _own, ...named } = deploymentOf(6).metadata;
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: 'web:1' }] },
  };
  const spec = { ...objectOf(deploymentOf(6)['spec']), template };
  await admin.create(deployments, { ...deploymentOf(6), metadata: named, spec });
  let patches = 0;
  const used = new Set<string>();
  const refused = new Set<string>();
  const kind = workloadSpreadKind;
  const running = [0, 1].map(() => {
    const cluster = authorized(world, ADMISSION, ({ verb, resource }, isAllowed) => {
      (isAllowed ? used : refused).add(`${verb} ${resource}`);
      if (verb === 'patch') patches += 1;
    });
    const common = { cluster, clock, random: () => 0.5, kinds: [kind] };
    const caches = createAdmissionCaches({
      ...common,
      injectors: injectorsOf([kind]),
      kinds: judgingKinds([kind]),
      stateNamespace: 'kruise-system',
      policy: 'Required',
      onError() {},
      onSync() {},
      onLeftOut() {},
    });
    caches.start();
    const options = {
      ...common,
      caches,
      accounts: [],
      onReviewed() {},
      onDisruption() {},
      onUnrecorded() {},
    };
    return { caches, reviews: createReviews(options) };
  });
  await clock.advance(1_000);
  end = () => {
    for (const { caches } of running) caches.stop();
    world.stop();
  };

  async function answered(path: string, requests: readonly JsonObject[]): Promise<JsonObject[]> {
    const about = { resource: { group: '', resource: 'pods' }, namespace: 'shop' };
    const answers = requests.map((request, index) =>
      Promise.resolve(running[index % 2]?.reviews.get(path)?.({ request: { ...about, ...request } })),
    );
    await clock.advance(10_000);
    return (await Promise.all(answers)).map((answer) => objectOf(answer?.['response']));
  }

  /** The subsets of so many pods that are created at once. */
  async function created(count: number, more: JsonObject = {}): Promise<(string | undefined)[]> {
    const { metadata: of, spec: podSpec } = podOf('x', undefined, { spec: { schedulingGates: [] } });
    const object = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { generateName: 'web-h1-', labels: of.labels, ownerReferences: of.ownerReferences },
      spec: podSpec,
    } as unknown as JsonObject;
    const requests = Array.from({ length: count }, (_, n) => ({
      uid: `r${n}`,
      operation: 'CREATE',
      object,
      ...more,
    }));
    return (await answered(creationPath(kind), requests)).map((response) => {
      expect(response['allowed']).toBe(true);
      const patch = listOf(JSON.parse(Buffer.from(textOf(response['patch']), 'base64').toString() || '[]'));
      const annotations = patch.find((each) => each['path'] === '/metadata/annotations')?.['value'];
      return matchedOf({ metadata: { annotations } } as unknown as KubeObject)?.subset;
    });
  }
  const placesOf = async (): Promise<JsonObject[]> => {
    const { status } = await admin.get(resources.WorkloadSpread, at);
    return listOf(objectOf(objectOf(status)['versionedSubsetStatuses'])['h1']);
  };
  const deleted = (pod: KubeObject): Promise<JsonObject[]> =>
    answered(disruptionPath(kind), [
      { uid: 'd', operation: 'DELETE', name: pod.metadata.name, oldObject: pod as unknown as JsonObject },
    ]);
  return { admin, created, deleted, placesOf, used, refused, writes: () => patches };
}

test('WS-31: ten pods at once at two webhooks: exactly as many are in a as its cap says', async () => {
  const { created, placesOf } = await setup(spreadOfDeployment({ a: 3, b: null }));
  const found = await created(10);
  expect(found.filter((subset) => subset === 'a')).toHaveLength(3);
  expect(found.filter((subset) => subset === 'b')).toHaveLength(7);
  const [a, b] = await placesOf();
  expect([Object.keys(objectOf(a?.['creatingPods'])).length, a?.['missingReplicas'], b]).toEqual([
    ...[3, 0],
    { name: 'b', replicas: 0, missingReplicas: -1 },
  ]);
});

test('WS-7: a dry run shows a pod in its subset, and takes no place', async () => {
  const { created, placesOf } = await setup(spreadOfDeployment({ a: 1 }));
  expect(await created(2, { dryRun: true })).toEqual(['a', 'a']);
  expect(await placesOf()).toEqual([]);
});

test('the roles that are shipped are enough, and none of its own is too many', async () => {
  const { admin, created, deleted, placesOf, used, refused } = await setup(
    spreadOfDeployment({ a: '50%', b: '50%' }),
  );
  expect((await created(7)).map(String).sort()).toEqual(['a', 'a', 'a', 'b', 'b', 'b', 'undefined']);
  const [a, b] = await placesOf();
  const counted = [{ ...a, replicas: 3, creatingPods: {} }, b];
  const status = { versionedSubsetStatuses: { h1: counted } } as unknown as JsonObject;
  await admin.patch(
    resources.WorkloadSpread,
    at,
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  );
  const pod = podOf('web-1', 'a', { spec: { schedulingGates: [] } });
  const { uid: _uid, resourceVersion: _version, ...metadata } = pod.metadata;
  const stored = await admin.create(resources.Pod, { ...pod, metadata });
  expect(await deleted(stored)).toEqual([{ uid: 'd', allowed: true }]);
  expect(Object.keys(objectOf((await placesOf())[0]?.['deletingPods']))).toEqual(['web-1']);
  expect([...refused]).toEqual([]);
  const given = permissionsOf(own).map(({ verb, resource }) => `${verb} ${resource.replace('/status', '')}`);
  // What the targets of the other kinds would need.
  const unused = /^get (replicasets|statefulsets|jobs)/;
  expect(given.filter((each) => !used.has(each) && !unused.test(each))).toEqual([]);
});

test('pods that are asked for at the same moment have their places on record in few writes', async () => {
  const { created, placesOf, writes } = await setup(spreadOfDeployment({ a: 150, b: null }));
  const found = await created(200);
  expect(found.filter((subset) => subset === 'a')).toHaveLength(150);
  expect(found.filter((subset) => subset === 'b')).toHaveLength(50);
  expect(Object.keys(objectOf((await placesOf())[0]?.['creatingPods']))).toHaveLength(150);
  // Two webhooks meet conflicts; each writes what has waited meanwhile.
  expect(writes()).toBeLessThan(20);
});
