import type { VirtualClock } from 'kruise-sandbox';
import type { OffComponent } from '../../runtime/components.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { pullJob, shownPull } from '../fixtures/pull-jobs.ts';
import { runRecreateRequests, runSignals } from './recreate-requests.ts';

const namespace = 'shop';
const MINUTE = 60_000;
const PULLED = '1 desired, 0 active, 1 succeeded, 0 failed: job has completed';

/** Restarts of containers, and a job that pulls an image ahead. */
export async function runRequests(
  admin: Cluster,
  clock: VirtualClock,
  off: readonly OffComponent[],
  seesNodes: boolean,
): Promise<boolean> {
  const isOn = !off.some(({ component }) => component === 'container-exec');
  return (
    (await runRecreateRequests(admin, clock)) &&
    (await runSignals(admin, clock, isOn)) &&
    runPullJobs(admin, clock, seesNodes)
  );
}

/**
 * Pulls an image to one node, in a job that OpenKruise has left a finalizer of. Returns whether the node has it, and job and pods are gone
 * after their time. Where no nodes are seen, the job alone, once it is deleted.
 */
async function runPullJobs(admin: Cluster, clock: VirtualClock, seesNodes: boolean): Promise<boolean> {
  const job = pullJob('ahead', {
    image: 'ahead:1',
    imagePullPolicy: 'Always',
    selector: { names: ['node-1'] },
    completionPolicy: { ttlSecondsAfterFinished: 120 },
  });
  job.metadata.finalizers = ['apps.kruise.io/deletion-protection'];
  await admin.create(resources.ImagePullJob, job);
  await clock.advance(MINUTE);
  if (!seesNodes) await admin.delete(resources.ImagePullJob, { namespace, name: 'ahead' });
  const shown = seesNodes
    ? shownPull(await admin.get(resources.ImagePullJob, { namespace, name: 'ahead' }))
    : PULLED;
  await clock.advance(5 * MINUTE);
  const { items } = await admin.list(resources.ImagePullJob, { namespace });
  const { items: pods } = await admin.list(resources.Pod, {
    namespace,
    labelSelector: 'plan.kruise.io/pull',
  });
  return shown === PULLED && items.length === 0 && pods.length === 0;
}
