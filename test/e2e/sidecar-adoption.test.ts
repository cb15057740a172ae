import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { documents } from './manifests.ts';
import { eventually } from './rollouts/programs.ts';
import { inSidecarCluster, type SidecarCluster } from './sidecar-cluster.ts';
import { type Bundle, makeBundle, setIn } from './sidecars.ts';
import { type Kubectl, suite } from './suite.ts';

let bundle: Bundle;

beforeAll(async () => {
  bundle = await makeBundle();
}, 60_000);

afterAll(() => bundle.remove());

/** The sidecar of the set with the defaults of OpenKruise, as its hash has it (OpenKruise sidecarset, 5.6). */
const sidecar = (image: string) =>
  `{"name":"proxy",${image}"resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent","podInjectPolicy":"AfterAppContainer","upgradeStrategy":{"upgradeType":"ColdUpgrade"},"shareVolumePolicy":{"type":"disabled"}}`;

function hashOf(image: string): string {
  const hex = createHash('sha256')
    .update(`{"containers":[${sidecar(image)}]}`)
    .digest('hex');
  return [...hex].map((c) => 'bcdfghjklmnpqrstvwxz2456789'[c.charCodeAt(0) % 27]).join('');
}

const IMAGE = '"image":"example.com/proxy:1",';
const HASH = hashOf(IMAGE);
const IMAGELESS = hashOf('');

/** What OpenKruise has written on a pod: the present records, or those of its first releases. */
type Records = (set: string, revision: string) => Record<string, unknown>;

const present: Records = (set, revision) => {
  const entry = (hash: string, more: object = {}): string =>
    JSON.stringify({
      [set]: {
        updateTimestamp: '2026-01-02T03:04:05Z',
        hash,
        sidecarSetName: set,
        sidecarList: ['proxy'],
        ...more,
      },
    });
  return {
    'kruise.io/sidecarset-hash': entry(HASH, { controllerRevision: revision }),
    'kruise.io/sidecarset-hash-without-image': entry(IMAGELESS),
    'kruise.io/sidecarset-injected-list': set,
  };
};

const first: Records = (set) => ({
  'kruise.io/sidecarset-hash': JSON.stringify({ [set]: HASH }),
  'kruise.io/sidecarset-hash-without-image': JSON.stringify({ [set]: IMAGELESS }),
  'kruise.io/sidecarset-injected-list': set,
});

/** A pod as OpenKruise's webhook has left it. */
const injectedPod = (name: string, annotations: Record<string, unknown>) => `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  labels: { app: web }
  annotations: ${JSON.stringify(annotations)}
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - { name: main, image: 'example.com/web:1' }
    - { name: proxy, image: 'example.com/proxy:1', env: [{ name: IS_INJECTED, value: 'true' }] }
`;

/** It takes over the pods that are there. */
const replicaSet = `apiVersion: apps/v1
kind: ReplicaSet
metadata: { name: web }
spec:
  replicas: 2
  selector:
    matchLabels: { app: web }
  template:
    metadata:
      labels: { app: web }
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - { name: main, image: 'example.com/web:1' }
`;

/** The revision that OpenKruise keeps of the content of the set, in the namespace of the runtime: that of its kubeconfig. */
const revisionOf = (set: string, uid: string, name: string) =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      labels: { 'kruise.io/sidecarset-name': set, 'controller.kubernetes.io/hash': name.slice(-10) },
      annotations: {
        'kruise.io/sidecarset-hash': HASH,
        'kruise.io/sidecarset-hash-without-image': IMAGELESS,
      },
      ownerReferences: [
        {
          apiVersion: 'apps.kruise.io/v1alpha1',
          kind: 'SidecarSet',
          name: set,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    revision: 1,
    data: {
      spec: {
        $patch: 'replace',
        containers: [JSON.parse(sidecar(IMAGE))],
        imagePullSecrets: null,
        initContainers: null,
        patchPodMetadata: null,
        volumes: null,
      },
    },
  });

/** Two ready pods of a ReplicaSet, as they are before OpenKruise's manager is replaced. */
async function begin(k: Kubectl, cluster: SidecarCluster, records: Records, revision: string): Promise<void> {
  const annotations = records(k.namespace, revision);
  const pods = ['web-a', 'web-b'].map((name) => injectedPod(name, annotations));
  await eventually('pods', async () => (await k.raw('apply -f -', documents(...pods))).code === 0);
  await cluster.ready(2);
  await k.run('create -f -', replicaSet);
  await cluster.until('their owner', async () => {
    const owners = await cluster.each('{.metadata.ownerReferences[*].kind}');
    return owners.join() === 'ReplicaSet,ReplicaSet';
  });
}

/** What must stay of each pod: it is the same one, with the same records, and no container has restarted. */
const asItWas = (cluster: SidecarCluster) =>
  cluster.each(
    '{.metadata.uid} {.metadata.annotations} {.status.containerStatuses[*].containerID} {.status.containerStatuses[*].restartCount}',
  );

const restartsOf = (cluster: SidecarCluster, container: string) =>
  cluster.each(`{.status.containerStatuses[?(@.name=="${container}")].restartCount}`);

/** Rolls the next image out over pods that have been taken over. */
async function update(k: Kubectl, cluster: SidecarCluster): Promise<void> {
  const uids = await cluster.each('{.metadata.uid}');
  const change = { before: setIn(k), after: setIn(k, 'example.com/proxy:2') };
  await cluster.rollOut(change, 'Succeeded');
  expect(await cluster.each('{.spec.containers[*].image}')).toEqual(
    Array(2).fill('example.com/web:1 example.com/proxy:2'),
  );
  expect(await cluster.each('{.metadata.uid}')).toEqual(uids);
  expect(await restartsOf(cluster, 'main')).toEqual(['0', '0']);
  expect(await restartsOf(cluster, 'proxy')).toEqual(['1', '1']);
}

suite(
  'sidecar-adoption',
  (test) => {
    test('pods that OpenKruise has injected count as updated, and the next image goes in place', async (k) => {
      await inSidecarCluster(bundle, k, async (cluster) => {
        const revision = `${k.namespace}-7c9d54f6b8`;
        await begin(k, cluster, present, revision);
        const before = await asItWas(cluster);
        await cluster.inject(setIn(k));
        const { out: uid } = await k.raw(`get sidecarset ${k.namespace} -o jsonpath={.metadata.uid}`);
        expect(await k.run('create -f -', revisionOf(k.namespace, uid, revision))).toBe(
          'controllerrevision.apps/NAMESPACE-7c9d54f6b8 created',
        );
        cluster.startRuntime();
        await cluster.recorded(2);
        expect(await k.run(`get sidecarset ${k.namespace} --no-headers`)).toMatchInlineSnapshot(
          `NAMESPACE   2   2   2   AGE`,
        );
        expect(await asItWas(cluster)).toEqual(before);
        const revisions = 'get controllerrevisions -o name';
        expect(await k.run(revisions)).toBe('controllerrevision.apps/NAMESPACE-7c9d54f6b8');

        await update(k, cluster);
        expect(await cluster.stopRuntime()).toBe(0);
      });
    });

    test('pods with the records of the first releases count as updated, too', async (k) => {
      await inSidecarCluster(bundle, k, async (cluster) => {
        await begin(k, cluster, first, '');
        const before = await asItWas(cluster);
        await cluster.inject(setIn(k));
        cluster.startRuntime();
        await cluster.recorded(2);
        expect(await asItWas(cluster)).toEqual(before);

        await update(k, cluster);
        const [record] = await cluster.each(String.raw`{.metadata.annotations.kruise\.io/sidecarset-hash}`);
        expect(JSON.parse(record ?? '')).toMatchObject({
          [k.namespace]: { sidecarSetName: k.namespace, sidecarList: ['proxy'] },
        });
        expect(await cluster.stopRuntime()).toBe(0);
      });
    });
  },
  { workloads: true },
);
