import type { VirtualClock } from 'kruise-sandbox';
import type { OffComponent } from '../../runtime/components.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { membersOf } from '../../semantics/imagelistpulljob/child.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { listPullJob } from '../fixtures/list-pull-jobs.ts';
import { nodeImage, shownImages } from '../fixtures/node-images.ts';
import { pullJob, shownPull } from '../fixtures/pull-jobs.ts';
import { runRecreateRequests, runSignals } from './recreate-requests.ts';

const namespace = 'shop';
const MINUTE = 60_000;
const PULLED = '1 desired, 0 active, 1 succeeded, 0 failed: job has completed';

/** Restarts of containers, and jobs that pull images ahead. */
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
    (await runPullJobs(admin, clock, seesNodes)) &&
    (await runLists(admin, clock, seesNodes)) &&
    (!seesNodes || runNodeImage(admin, clock))
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

/**
 * Pulls a list of images that changes. Another object has the name of one of its jobs, until somebody deletes it. Returns whether all that
 * the list has made is gone after its time. Where no nodes are seen, once it is deleted.
 */
async function runLists(admin: Cluster, clock: VirtualClock, seesNodes: boolean): Promise<boolean> {
  const spec = { images: ['ahead:1', 'ahead:2'], selector: { names: ['node-1'] } };
  const at = { namespace, name: 'list' };
  const edit = (images: string[]): Promise<KubeObject> =>
    admin.patch(resources.ImageListPullJob, at, { type: 'merge', body: { spec: { images } } });
  const list = await admin.create(
    resources.ImageListPullJob,
    listPullJob('list', { ...spec, parallelism: 0, completionPolicy: { ttlSecondsAfterFinished: 60 } }),
  );
  await clock.advance(MINUTE);
  const [member] = membersOf({ ...list, spec: { ...objectOf(list['spec']), images: ['other:1'] } }, []).list;
  const taken = member?.name ?? '';
  await admin.create(resources.ImagePullJob, pullJob(taken, { parallelism: 0 }));
  await edit(['ahead:1', 'other:1']);
  await clock.advance(MINUTE);
  await admin.delete(resources.ImagePullJob, { namespace, name: taken });
  await edit(['ahead:1']);
  await admin.patch(resources.ImageListPullJob, at, { type: 'merge', body: { spec: { parallelism: 1 } } });
  await clock.advance(5 * MINUTE);
  if (!seesNodes) await admin.delete(resources.ImageListPullJob, at);
  await clock.advance(MINUTE);
  const lists = await admin.list(resources.ImageListPullJob, { namespace });
  const jobs = await admin.list(resources.ImagePullJob, { namespace });
  const isOfList = ({ metadata }: KubeObject): boolean => metadata.name.startsWith('list');
  return ![...lists.items, ...jobs.items].some(isOfList);
}

/** Pulls an image to one node, by a Secret of `shop`. Returns whether the node has it, and no pod is left. */
async function runNodeImage(admin: Cluster, clock: VirtualClock): Promise<boolean> {
  const tags = [{ tag: '9', imagePullPolicy: 'Always' }];
  const pullSecrets = [{ namespace, name: 'registry' }];
  await admin.create(resources.NodeImage, nodeImage('node-1', { ahead: { tags, pullSecrets } }));
  await clock.advance(5 * MINUTE);
  const shown = shownImages(await admin.get(resources.NodeImage, { name: 'node-1' }));
  const labelSelector = 'plan.kruise.io/pull';
  const { items: pods } = await admin.list(resources.Pod, { namespace, labelSelector });
  await admin.delete(resources.NodeImage, { name: 'node-1' });
  return shown === 'ahead:9 Succeeded: 1 desired, 1 succeeded' && pods.length === 0;
}
