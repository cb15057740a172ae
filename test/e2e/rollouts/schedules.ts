import { phase } from './acts.ts';
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

const steps = `steps:
- match: { kind: AdvancedCronJob }
  waves:
    batches: [{ to: 1 }, { to: 100% }]
    between: { soak: 1s }
`;

const columns = '-o custom-columns=NAME:.metadata.name,PHASE:.status.phase,SUCCEEDED:.status.succeeded';

/** Schedules of runs on nodes. The nodes of their world are three, and theirs alone. */
export const schedules: RolloutCase[] = [
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
      const path = `/apis/apps.kruise.io/v1beta1/namespaces/${c.namespace}/broadcastjobs`;
      const { items } = (await c.world.server.rest('GET', path)) as {
        items: { metadata: { name: string } }[];
      };
      const { pods } = await c.snapshot(['pods']);
      for (const { metadata } of pods) c.name(metadata.name, 'web-TIME-POD');
      for (const { metadata } of items) c.name(metadata.name, 'web-TIME');
      await c.kubectl(`get broadcastjobs ${columns}`);
      await c.kubectl('get rolloutplans');
      c.note('With its schedule its runs go, too:');
      await c.kubectl('delete advancedcronjob web --wait --cascade=foreground');
      await c.kubectl('get broadcastjobs,pods');
    },
  },
];
