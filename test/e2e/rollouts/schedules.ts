import { phase } from './acts.ts';
import type { Case } from './case.ts';
import type { RolloutCase } from './suite.ts';

/** The manifest of the AdvancedCronJob `web`, without a namespace: every twenty seconds, on each node. */
function schedule(paused = false): string {
  const does = JSON.stringify({ tidy: { runSeconds: 1, exitCode: 0, log: ['tidy'] } });
  return [
    'apiVersion: apps.kruise.io/v1beta1',
    'kind: AdvancedCronJob',
    'metadata:',
    '  name: web',
    '  annotations: { plan.kruise.io/policy: Required }',
    'spec:',
    "  schedule: '@every 20s'",
    `  paused: ${paused}`,
    '  concurrencyPolicy: Forbid',
    '  template:',
    '    broadcastJobTemplate:',
    '      spec:',
    '        template:',
    '          metadata:',
    '            labels: { app: web }',
    `            annotations: { sandbox/containers: '${does}' }`,
    '          spec:',
    '            restartPolicy: Never',
    '            containers:',
    '              - { name: tidy, image: tidy:1 }',
    '',
  ].join('\n');
}

/** One of Jobs, whose times are further apart than a case takes. */
const ofJobs = (): string =>
  schedule()
    .replace('every 20s', 'every 40s')
    .replace('broadcastJobTemplate', 'jobTemplate')
    .replace('policy: Required', 'policy: Auto');

const steps = `steps:
- match: { kind: AdvancedCronJob }
  waves:
    batches: [{ to: 1 }, { to: 100% }]
    between: { soak: 1s }
`;

const columns = '-o custom-columns=NAME:.metadata.name,PHASE:.status.phase,SUCCEEDED:.status.succeeded';

/** The names of the children of a schedule, as they are in the namespace. */
async function childrenOf({ world, namespace }: Case, group: string, plural: string): Promise<string[]> {
  const path = `${group}/namespaces/${namespace}/${plural}`;
  const { items } = (await world.server.rest('GET', path)) as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
}

/** What an installation without the component for Jobs says of a schedule of them. */
export const withoutJobs: RolloutCase = {
  golden: 'component-off.txt',
  title: 'an AdvancedCronJob of Jobs says which component of the installation it needs',
  kind: 'AdvancedCronJob',
  async play(c) {
    await c.commit(ofJobs());
    await c.kubectl('apply -f manifests');
    await c.until('it is held', ({ targets }) => JSON.stringify(targets).includes('ComponentOff'));
    await c.status();
    await c.kubectl('get jobs');
  },
};

/** Schedules of runs on nodes. The nodes of their world are three, and theirs alone. */
export const schedules: RolloutCase[] = [
  {
    golden: 'schedule-of-jobs.txt',
    title: 'an AdvancedCronJob of Jobs runs',
    kind: 'AdvancedCronJob',
    needs: 'controllers',
    async play(c) {
      await c.commit(ofJobs());
      await c.kubectl('apply -f manifests');
      await c.until('a run', ({ targets }) => JSON.stringify(targets).includes('lastScheduleTime'));
      for (const name of await childrenOf(c, '/apis/batch/v1', 'jobs')) c.name(name, 'web-TIME');
      await c.kubectl('delete advancedcronjob web --wait --cascade=foreground');
      await c.kubectl('get jobs,pods');
    },
  },
  {
    golden: 'schedule-in-waves.txt',
    title: 'an AdvancedCronJob runs on one node and then on the others, once its plan is there',
    kind: 'AdvancedCronJob',
    steps,
    async play(c) {
      await c.commit(schedule());
      await c.sync();
      // The first time is twenty seconds away, and its run takes some more.
      await phase(c, 'Succeeded', ({ pods }) => pods.length === 3);
      await c.commit(schedule(true));
      await c.sync();
      const { pods } = await c.snapshot(['pods']);
      for (const { metadata } of pods) c.name(metadata.name, 'web-TIME-POD');
      for (const name of await childrenOf(c, '/apis/apps.kruise.io/v1beta1', 'broadcastjobs'))
        c.name(name, 'web-TIME');
      await c.kubectl(`get broadcastjobs ${columns}`);
      await c.kubectl('get rolloutplans');
      c.note('With its schedule its runs go, too:');
      await c.kubectl('delete advancedcronjob web --wait --cascade=foreground');
      await c.kubectl('get broadcastjobs,pods');
    },
  },
];
