import type { Case } from './case.ts';
import { claimTemplates } from './manifest.ts';
import { type ClusterSnapshot, hasAvailable, type Stored } from './snapshot.ts';
import { uses, withVolumes } from './storage.ts';
import type { RolloutCase } from './suite.ts';

const NATIVE = 'apps/v1';
const OURS = 'apps.kruise.io/v1beta1';

/** StatefulSet `web` of two pods with a claim each, of Kubernetes or of OpenKruise: all else is the same. */
function manifest(apiVersion: typeof NATIVE | typeof OURS, storageClass: string): string {
  return [
    `apiVersion: ${apiVersion}`,
    'kind: StatefulSet',
    'metadata:',
    '  name: web',
    'spec:',
    '  replicas: 2',
    '  serviceName: web',
    '  selector: { matchLabels: { app: web } }',
    ...claimTemplates(storageClass),
    '  template:',
    '    metadata: { labels: { app: web } }',
    '    spec:',
    '      terminationGracePeriodSeconds: 1',
    '      containers:',
    '        - name: nginx',
    '          image: nginx:1.25',
    '          volumeMounts: [{ name: data, mountPath: /data }]',
    '',
  ].join('\n');
}

/** Whether both pods run, ready, and are controlled by an object of this version; undefined: by none. */
function runUnder({ pods }: ClusterSnapshot, apiVersion: string | undefined): boolean {
  return (
    pods.length === 2 &&
    pods.every(
      (pod) =>
        isReady(pod) &&
        pod.metadata.ownerReferences?.find(({ controller }) => controller === true)?.['apiVersion'] ===
          apiVersion,
    )
  );
}

function isReady({ status }: Stored): boolean {
  const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string }[] };
  return conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True');
}

/** Deletes the object with the group of these, and waits until nobody controls its pods. */
async function orphan(c: Case, resource: string): Promise<void> {
  await c.kubectl(`delete ${resource} web --cascade=orphan`);
  await c.until('the pods are released', (snapshot) => runUnder(snapshot, undefined));
}

/** Records who controls the pods, their revisions and restarts, and how many have the claim and the volume of before. */
async function compare(c: Case, before: readonly string[]): Promise<void> {
  await c.show();
  const columns = [
    'NAME:.metadata.name',
    'OWNER:.metadata.ownerReferences[*].apiVersion',
    'REVISION:.metadata.labels.controller-revision-hash',
    'RESTARTS:.status.containerStatuses[*].restartCount',
  ];
  await c.kubectl(`get pods -o custom-columns=${columns.join(',')}`);
  await c.retained();
  const now = await uses(c);
  c.note(`${now.filter((use) => before.includes(use)).length} of ${now.length} have the claim of before.`);
}

/** Workloads that change between a kind of Kubernetes and one of OpenKruise. */
export const handovers: RolloutCase[] = [
  {
    golden: 'from-apps-v1-and-back.txt',
    title: 'a StatefulSet of Kubernetes becomes one of OpenKruise, and goes back, without a restart',
    kind: 'StatefulSet',
    needs: 'controllers',
    async play(c) {
      await withVolumes(c, 2, async () => {
        const at = (apiVersion: typeof NATIVE | typeof OURS): string => manifest(apiVersion, c.namespace);
        await c.commit(at(NATIVE));
        await c.sync();
        const { pods } = await c.until('two pods', (snapshot) => runUnder(snapshot, NATIVE));
        // Each controller of Kubernetes hashes templates in its own way.
        const revision = pods[0]?.metadata.labels?.['controller-revision-hash'] ?? '';
        c.name(revision.slice('web-'.length), 'REVISION');
        await c.mark();
        const before = await uses(c);

        c.note('The StatefulSet of OpenKruise:');
        await c.commit(at(OURS));
        await orphan(c, 'statefulsets.apps');
        await c.sync();
        await c.until('two pods', (snapshot) => runUnder(snapshot, OURS) && hasAvailable(snapshot, 2));
        await compare(c, before);

        c.note('The StatefulSet of Kubernetes again:');
        await c.commit(at(NATIVE));
        await orphan(c, 'statefulsets.apps.kruise.io');
        await c.sync();
        await c.until('two pods', (snapshot) => runUnder(snapshot, NATIVE));
        await compare(c, before);
        await c.kubectl('rollout status statefulsets.apps/web --timeout=30s');
      });
    },
  },
];
