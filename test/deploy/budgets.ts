import type { VirtualClock } from 'kruise-sandbox';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { objectOf } from '../../semantics/values/read.ts';

const namespace = 'shop';
const MINUTE = 60_000;

/** A budget of each native workload, none of which exists, and one of a pod of nobody, which is linked to it. Returns whether all are counted. */
export async function runBudgets(admin: Cluster, clock: VirtualClock): Promise<boolean> {
  const labels = { app: 'guarded' };
  const create = (name: string, spec: object): Promise<unknown> =>
    admin.create(resources.PodUnavailableBudget, {
      apiVersion: 'policy.kruise.io/v1beta1',
      kind: 'PodUnavailableBudget',
      metadata: { name, namespace },
      spec: { maxUnavailable: 1, ...spec },
    });
  await admin.create(resources.Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'guarded', namespace, labels },
    spec: { containers: [{ name: 'main', image: 'guarded:1' }] },
  });
  for (const kind of ['Deployment', 'ReplicaSet', 'StatefulSet'])
    await create(`of-a-${kind.toLowerCase()}`, { targetRef: { apiVersion: 'apps/v1', kind, name: 'web' } });
  await create('of-a-pod', { selector: { matchLabels: labels }, protectTotalReplicas: 1 });
  await clock.advance(2 * MINUTE);
  const { items } = await admin.list(resources.PodUnavailableBudget, { namespace });
  const pod = await admin.get(resources.Pod, { namespace, name: 'guarded' });
  const isLinked = pod.metadata.annotations?.['pub.kruise.io/related-pub'] === 'of-a-pod';
  return isLinked && items.every(({ status }) => objectOf(status)['observedGeneration'] === 1);
}
