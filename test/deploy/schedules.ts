import type { VirtualClock } from 'kruise-sandbox/clock';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { childResources } from '../../semantics/advancedcronjob/resource.ts';

const MINUTE = 60_000;
const namespace = 'shop';

/**
 * A schedule of Jobs and one of BroadcastJobs: each meets a child of its next name that another owner has, and replaces those
 * that come after it. Returns whether both have created some, or where Jobs are off, the other one.
 */
export async function runSchedules(
  admin: Cluster,
  clock: VirtualClock,
  areJobsOn: boolean,
): Promise<boolean> {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'fix:1' }] } };
  const next = Math.floor(clock.now() / MINUTE + 1) * 60;
  for (const [field, resource] of [
    ['jobTemplate', childResources.Job],
    ['broadcastJobTemplate', childResources.BroadcastJob],
    ['imageListPullJobTemplate', childResources.ImageListPullJob],
  ] as const) {
    // Pulls that do not begin are replaced at each time.
    const spec =
      field === 'imageListPullJobTemplate'
        ? { images: ['fix:1'], completionPolicy: {}, parallelism: 0 }
        : { template };
    const name = `tidy-${resource.plural}`;
    await admin.create(resource, {
      apiVersion: `${resource.group}/${resource.version}`,
      kind: resource.kind,
      metadata: { name: `${name}-${next}`, namespace },
      spec,
    });
    await admin.create(resources.AdvancedCronJob, {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'AdvancedCronJob',
      metadata: { name, namespace },
      spec: {
        schedule: '* * * * *',
        concurrencyPolicy: 'Replace',
        template: { [field]: { spec } },
      },
    });
  }
  await clock.advance(4 * MINUTE);
  const { items } = await admin.list(resources.AdvancedCronJob, { namespace });
  // The days that follow would have a thousand children each.
  for (const { metadata } of items)
    await admin.patch(
      resources.AdvancedCronJob,
      { namespace, name: metadata.name },
      { type: 'merge', body: { spec: { paused: true } } },
    );
  return items.every((each) =>
    JSON.stringify(each['status']).includes(
      areJobsOn || each.metadata.name !== 'tidy-jobs' ? 'lastScheduleTime' : 'ComponentOff',
    ),
  );
}

/** A job on every node, and its end. Returns whether it was deleted, or where nodes are not seen, whether it says so. */
export async function runNodeJob(admin: Cluster, clock: VirtualClock, seesNodes: boolean): Promise<boolean> {
  await admin.create(resources.BroadcastJob, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'BroadcastJob',
    metadata: { name: 'fix', namespace },
    spec: {
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'fix:1' }] } },
      completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 30 },
    },
  });
  await clock.advance(5 * MINUTE);
  const { items } = await admin.list(resources.BroadcastJob, { namespace });
  return seesNodes ? items.length === 0 : JSON.stringify(items[0]?.['status']).includes('NeedUnseen');
}

/** A pod on each node, which a new target of the same name adopts; where nodes cannot be listed, it says so. */
export async function runNodePods(admin: Cluster, clock: VirtualClock, seesNodes: boolean): Promise<boolean> {
  const labels = { app: 'agent' };
  const at = { namespace, name: 'agent' };
  const agent = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'DaemonSet',
    metadata: at,
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'agent:1' }] } },
    },
  };
  const uids = async (): Promise<string> => {
    const { items } = await admin.list(resources.Pod, { namespace, labelSelector: 'app=agent' });
    return items.map(({ metadata }) => metadata.uid).join();
  };
  await admin.create(resources.DaemonSet, agent);
  await clock.advance(5 * MINUTE);
  const { status } = await admin.get(resources.DaemonSet, at);
  if (!seesNodes) return JSON.stringify(status).includes('NeedUnseen');
  const before = await uids();
  await admin.delete(resources.DaemonSet, at, { propagationPolicy: 'Orphan' });
  await clock.advance(MINUTE);
  await admin.create(resources.DaemonSet, agent);
  await clock.advance(5 * MINUTE);
  return before !== '' && (await uids()) === before;
}
