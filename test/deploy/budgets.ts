import type { VirtualClock } from 'kruise-sandbox';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
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
  // The name is taken, by one that is about other pods.
  await admin.create(resources.PodDisruptionBudget, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'of-a-pod-evictions', namespace },
    spec: { selector: { matchLabels: { app: 'other' } }, minAvailable: 1 },
  });
  for (const kind of ['Deployment', 'ReplicaSet', 'StatefulSet'])
    await create(`of-a-${kind.toLowerCase()}`, { targetRef: { apiVersion: 'apps/v1', kind, name: 'web' } });
  await create('of-a-pod', { selector: { matchLabels: labels }, protectTotalReplicas: 1 });
  await clock.advance(2 * MINUTE);
  const { items } = await admin.list(resources.PodUnavailableBudget, { namespace });
  const pod = await admin.get(resources.Pod, { namespace, name: 'guarded' });
  const isLinked = pod.metadata.annotations?.['pub.kruise.io/related-pub'] === 'of-a-pod';
  const least = async (): Promise<unknown> => {
    const { items: guards } = await admin.list(resources.PodDisruptionBudget, { namespace });
    const found = guards.find(({ metadata }) => metadata.name.startsWith('of-a-pod-evictions-'));
    return found && objectOf(found['spec'])['minAvailable'];
  };
  const become = async (spec: JsonObject): Promise<unknown> => {
    const body = { spec };
    await admin.patch(
      resources.PodUnavailableBudget,
      { namespace, name: 'of-a-pod' },
      { type: 'merge', body },
    );
    await clock.advance(MINUTE);
    return least();
  };
  // Its PodDisruptionBudget is created, follows it, and goes.
  const limits = [
    await least(),
    await become({ maxUnavailable: 0 }),
    await become({ protectOperations: ['DELETE'] }),
  ];
  return (
    isLinked &&
    JSON.stringify(limits) === '[0,1,null]' &&
    items.every(({ status }) => objectOf(status)['observedGeneration'] === 1)
  );
}
