import { setTimeout as pause } from 'node:timers/promises';
import { isReady } from '../../../semantics/pod/readiness.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { eventually } from './programs.ts';
import type { World } from './world.ts';

/** What has become of evictions while pods are updated. */
interface Evicted {
  /** Most pods that were not ready, or gone, at the same time, since all were ready. */
  worst: number;
  passed: number;
  refused: number;
}

/** Milliseconds between two looks, with an eviction each. */
const EVERY_MS = 100;
const MERGE = 'application/merge-patch+json';

/** Updates all pods of a CloneSet under a budget in place, and evicts ready ones that are not updated yet until that is over. */
export async function evictedInRollout(
  { server: { rest } }: World,
  namespace: string,
  { pods: count, slots }: { pods: number; slots: number },
): Promise<Evicted> {
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const budgets = `/apis/policy.kruise.io/v1beta1/namespaces/${namespace}/podunavailablebudgets`;
  const sets = `/apis/apps.kruise.io/v1beta1/namespaces/${namespace}/clonesets`;
  const guards = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
  const all = async (): Promise<Pod[]> => ((await rest('GET', pods)) as { items: Pod[] }).items;
  const template = (image: string): object => ({
    metadata: { labels: { app: 'web' } },
    spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image }] },
  });
  await rest('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace, annotations: { 'plan.kruise.io/policy': 'Auto' } },
  });
  await rest('POST', budgets, {
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: 'PodUnavailableBudget',
    metadata: { name: 'web' },
    spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: slots },
  });
  await rest('POST', sets, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name: 'web' },
    spec: {
      replicas: count,
      selector: { matchLabels: { app: 'web' } },
      updateStrategy: { rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', maxUnavailable: count } },
      template: template('example.com/web:1'),
    },
  });
  await eventually('all pods are ready, and evictions are counted', async () => {
    const { items } = (await rest('GET', guards)) as {
      items: { status?: { disruptionsAllowed?: number } }[];
    };
    const ready = (await all()).filter(isReady);
    return ready.length === count && items[0]?.status?.disruptionsAllowed === slots;
  });
  await rest('PATCH', `${sets}/web`, { spec: { template: template('example.com/web:2') } }, MERGE);
  const found: Evicted = { worst: 0, passed: 0, refused: 0 };
  for (let turn = 0; ; turn++) {
    const present = (await all()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const ready = present.filter(isReady);
    found.worst = Math.max(found.worst, count - ready.length);
    const old = ready.filter(({ spec }) => spec.containers[0]?.image === 'example.com/web:1');
    if (ready.length === count && old.length === 0) return found;
    // Those that are new are left alone: while pods are evicted, never all are ready.
    const pod = old[turn % Math.max(old.length, 1)];
    if (pod !== undefined) {
      const { name } = pod.metadata;
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
      const passes = await rest('POST', `${pods}/${name}/eviction`, eviction).then(
        () => true,
        () => false,
      );
      if (passes) found.passed += 1;
      else found.refused += 1;
    }
    await pause(EVERY_MS);
  }
}
