import type { VirtualClock } from 'kruise-sandbox';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { listOf, objectOf } from '../../semantics/values/read.ts';

const at = { namespace: 'shop', name: 'spread' };
const MINUTE = 60_000;

/** A WorkloadSpread counts the pods of a workload that is not there. Returns whether it has. */
export async function runSpreads(admin: Cluster, clock: VirtualClock): Promise<boolean> {
  await admin.create(resources.WorkloadSpread, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'WorkloadSpread',
    metadata: at,
    spec: {
      targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'none' },
      subsets: [{ name: 'a', maxReplicas: 2 }, { name: 'b' }],
    },
  });
  // Its target is looked up, though it is not there.
  await admin.create(resources.WorkloadSpread, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'WorkloadSpread',
    metadata: { ...at, name: 'of-a-job' },
    spec: { targetRef: { apiVersion: 'batch/v1', kind: 'Job', name: 'none' }, subsets: [{ name: 'a' }] },
  });
  await clock.advance(MINUTE);
  const { status } = await admin.get(resources.WorkloadSpread, at);
  return listOf(objectOf(status)['subsetStatuses']).length === 2;
}
