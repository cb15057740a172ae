import { resources } from '../../schemas/wire/resources.ts';
import { childResources } from '../../semantics/advancedcronjob/resource.ts';
import { ends, watchNodes } from './run-stage.ts';
import type { StoryCluster } from './stage.ts';
import { held, MANIFEST, type Story } from './story.ts';

/** An AdvancedCronJob `web`, which runs on every node each hour. */
const hourly = (image = 'repair:1'): string => `apiVersion: apps.kruise.io/v1beta1
kind: AdvancedCronJob
metadata:
  name: web
  namespace: shop
spec:
  schedule: "0 * * * *"
  successfulJobsHistoryLimit: 9
  failedJobsHistoryLimit: 9
  template:
    broadcastJobTemplate:
      spec:
        template:
          spec:
            restartPolicy: Never
            containers:
            - {name: repair, image: "${image}"}
`;

/** Each run begins on one node, and then goes over the others. */
const rule = (batches: string): string => `steps:
- match: {kind: AdvancedCronJob, namespace: shop}
  batches: ${batches}
  waves:
    batches: [{to: 1, timeout: 10m}, {to: 100%, timeout: 20m}]
    between: {soak: 10m}
assume: {nodes: 3}
`;

const files = { [MANIFEST]: hourly(), 'kruise.yaml': rule('[{to: 100%}]') };
const HOUR = 3_600_000;

/** `01:00 Complete`: the runs that exist, by their times. */
async function runsOf({ user }: StoryCluster): Promise<string[]> {
  const { items } = await user.list(childResources.BroadcastJob, { namespace: 'shop' });
  return items
    .map((job) => {
      const { conditions = [] } = (job['status'] ?? {}) as {
        conditions?: { type: string; status: string }[];
      };
      const end = conditions.find(
        ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
      );
      const at = job.metadata.annotations?.['apps.kruise.io/scheduled-at'] ?? '';
      return `${at.slice(11, 16)} ${end?.type ?? 'active'}`;
    })
    .sort();
}

export const schedules: readonly Story[] = [
  {
    file: 'schedule-in-waves',
    title: 'A schedule whose runs go over the nodes in waves',
    summary:
      'Each hour a script runs on every node: first on one, and after a soak on the others. Nothing runs before the plan, and the runs need no plan of their own.',
    files,
    async play(stage, expect) {
      ends(stage, 'repair:1');
      const order = watchNodes(stage);
      await stage.sync();
      await stage.run(HOUR + 60_000);
      expect(order).toEqual(['node-1']);
      await stage.run(HOUR);
      expect(order).toEqual(['node-1', 'node-2', 'node-3', 'node-1']);
      await stage.run(HOUR / 2);
      expect(await runsOf(stage)).toEqual(['01:00 Complete', '02:00 Complete']);
    },
  },
  {
    file: 'schedule-bad-script',
    title: 'A bad script of a schedule is stopped after one node',
    summary:
      'The first run is fine. A commit changes the script, which then hurts its node. The run ends there, no other node gets a pod, the plan halts, and the next times run the script before.',
    files,
    async play(stage, expect) {
      ends(stage, 'repair:1');
      ends(stage, 'repair:2');
      await stage.sync();
      await stage.run(HOUR + HOUR / 2);
      await stage.commit('a new script', { [MANIFEST]: hourly('repair:2') });
      await stage.sync();
      const order = watchNodes(stage);
      await stage.run(HOUR / 2 + 60_000);
      expect(order).toEqual(['node-1']);
      stage.transcript.note('the kubelet of node-1 reports NetworkUnavailable');
      const conditions = [{ type: 'NetworkUnavailable', status: 'True', reason: 'NoRoute' }];
      await stage.user.patch(
        resources.Node,
        { name: 'node-1' },
        { type: 'strategic', body: { status: { conditions } } },
        { subresource: 'status' },
      );
      await stage.run(HOUR / 2);
      expect(order).toEqual(['node-1']);
      expect(await held(stage)).toContain('Halted');
      expect(await runsOf(stage)).toEqual(['01:00 Complete', '02:00 Failed']);
      await stage.run(HOUR);
      expect(await runsOf(stage)).toEqual(['01:00 Complete', '02:00 Failed', '03:00 Complete']);
    },
  },
  {
    file: 'schedule-missed',
    title: 'Times that are missed while no runtime runs',
    summary:
      'The runtime is down for three hours. One run makes up for the times that were missed, at once and in its waves; the next one comes in its hour.',
    files,
    async play(stage, expect) {
      ends(stage, 'repair:1');
      await stage.sync();
      await stage.run(HOUR + HOUR / 2);
      await stage.stopRuntime();
      await stage.run(3 * HOUR);
      const order = watchNodes(stage);
      await stage.startRuntime();
      await stage.run(60_000);
      expect(order).toEqual(['node-1']);
      await stage.run(HOUR);
      expect(await runsOf(stage)).toEqual(['01:00 Complete', '04:00 Complete', '05:00 Complete']);
    },
  },
  {
    file: 'schedule-held',
    title: 'A held schedule runs its stable template',
    summary:
      'A commit changes the script of a schedule without a plan. Where plans are required the change waits, and the hours go on with the script before. The plan comes later.',
    files,
    async play(stage, expect) {
      ends(stage, 'repair:1');
      ends(stage, 'repair:2');
      await stage.sync();
      await stage.run(HOUR + HOUR / 2);
      await stage.commit('a new script, and no plan', { [MANIFEST]: hourly('repair:2') }, { plan: false });
      await stage.sync();
      await stage.run(HOUR);
      expect(await held(stage)).toContain('NoPlan');
      expect(await runsOf(stage)).toEqual(['01:00 Complete', '02:00 Complete']);
      const images = (await stage.pods()).map(({ spec }) => spec.containers[0]?.image);
      expect(new Set(images)).toEqual(new Set(['repair:1']));
      await stage.commit('its plan', {}, { base: 1 });
      await stage.sync();
      await stage.run(HOUR);
      expect((await stage.pods()).map(({ spec }) => spec.containers[0]?.image)).toContain('repair:2');
      expect(await held(stage)).toBe('');
    },
  },
];
