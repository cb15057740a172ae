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
  ] as const) {
    const name = `tidy-${resource.plural}`;
    await admin.create(resource, {
      apiVersion: `${resource.group}/${resource.version}`,
      kind: resource.kind,
      metadata: { name: `${name}-${next}`, namespace },
      spec: { template },
    });
    await admin.create(resources.AdvancedCronJob, {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'AdvancedCronJob',
      metadata: { name, namespace },
      spec: {
        schedule: '* * * * *',
        concurrencyPolicy: 'Replace',
        template: { [field]: { spec: { template } } },
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
