import { approved, phase } from './acts.ts';
import type { Case } from './case.ts';
import { withOwnNodes } from './own-nodes.ts';
import type { ClusterSnapshot } from './snapshot.ts';
import type { RolloutCase } from './suite.ts';

const ONE_UNAVAILABLE = 'maxUnavailable: 1';
const FIRST = 'log:1.25';
const NEXT = 'log:1.27';
/** The nodes of their world. */
const NODES = 3;

/** The parts of the DaemonSet `web` in which cases differ. */
interface Agent {
  image?: string;
  policy?: 'Required' | 'Auto';
  /** The field `updateStrategy`, without its braces. */
  strategy?: string;
  env?: string;
  /** Lines of the pod spec. */
  pod?: readonly string[];
}

const rolling = (fields: string): string => `type: RollingUpdate, rollingUpdate: { ${fields} }`;
const inPlace = rolling(`rollingUpdateType: InPlaceIfPossible, ${ONE_UNAVAILABLE}`);
const standard = rolling(ONE_UNAVAILABLE);
const surging = rolling('maxSurge: 1');

/** The manifest of the DaemonSet `web`, without a namespace. */
function agent({ image = FIRST, policy = 'Required', strategy = inPlace, env, pod = [] }: Agent): string {
  return [
    'apiVersion: apps.kruise.io/v1beta1',
    'kind: DaemonSet',
    'metadata:',
    '  name: web',
    `  annotations: { plan.kruise.io/policy: ${policy} }`,
    'spec:',
    '  selector: { matchLabels: { app: web } }',
    `  updateStrategy: { ${strategy} }`,
    '  template:',
    '    metadata: { labels: { app: web } }',
    '    spec:',
    '      terminationGracePeriodSeconds: 1',
    ...pod.map((line) => `      ${line}`),
    '      containers:',
    '        - name: log',
    `          image: ${image}`,
    ...(env === undefined ? [] : [`          env: [{ name: LEVEL, value: ${env} }]`]),
    '',
  ].join('\n');
}

async function change(c: Case, parts: Agent): Promise<void> {
  await c.commit(agent(parts));
  await c.sync();
}

/** Whether so many nodes have an available pod and no other one, so many of them an updated one, and the status says so. */
function runsOn({ targets: [target], pods }: ClusterSnapshot, nodes: number, updated = nodes): boolean {
  const status = target?.status ?? {};
  return (
    status['observedGeneration'] === target?.metadata.generation &&
    status['desiredNumberScheduled'] === nodes &&
    status['numberAvailable'] === nodes &&
    status['updatedNumberScheduled'] === updated &&
    pods.length === nodes
  );
}

async function started(c: Case, parts: Agent, nodes = NODES): Promise<void> {
  await change(c, parts);
  await c.until(`${nodes} pods`, (snapshot) => runsOn(snapshot, nodes));
  await c.mark();
}

const approve = (c: Case): Promise<unknown> => c.kruise(`approve DaemonSet/web --by ${c.world.user}`);

/** Approves the rest of a plan that waits after its first node, and records its end. */
async function rest(c: Case): Promise<void> {
  await phase(c, 'AwaitingApproval', (snapshot) => runsOn(snapshot, NODES, 1));
  await approve(c);
  await phase(c, 'Succeeded', (snapshot) => runsOn(snapshot, NODES));
  await c.show();
  await c.retained();
}

/** It runs on nodes of its own alone, and nothing else does. */
const own: readonly string[] = [
  'nodeSelector: { example.com/own: outage }',
  'tolerations: [{ key: example.com/own, operator: Exists }]',
];

/** DaemonSets of OpenKruise. */
export const daemonSets: RolloutCase[] = [
  {
    golden: 'daemons-in-place.txt',
    title: 'a DaemonSet is created on every node, and updated in place after an approval',
    kind: 'DaemonSet',
    steps: approved,
    async play(c) {
      await started(c, {});
      await c.show();
      await change(c, { image: NEXT });
      await phase(c, 'AwaitingApproval', (snapshot) => runsOn(snapshot, NODES, 1));
      await c.show();
      await c.status();
      await rest(c);
    },
  },
  {
    golden: 'daemons-recreated.txt',
    title: 'a DaemonSet whose pods are recreated, one node after the other',
    kind: 'DaemonSet',
    steps: approved,
    async play(c) {
      await started(c, { strategy: standard });
      await change(c, { strategy: standard, env: 'debug' });
      await rest(c);
    },
  },
  {
    golden: 'daemons-surge.txt',
    title: 'a DaemonSet with maxSurge: a new pod beside the old one, on one node after the other',
    kind: 'DaemonSet',
    steps: approved,
    async play(c) {
      await started(c, { strategy: surging });
      await change(c, { strategy: surging, image: NEXT });
      await rest(c);
    },
  },
  {
    golden: 'daemons-on-delete.txt',
    title: 'a DaemonSet with OnDelete: only the node whose pod is deleted gets the change',
    kind: 'DaemonSet',
    async play(c) {
      const parts: Agent = { policy: 'Auto', strategy: 'type: OnDelete' };
      await started(c, parts);
      await change(c, { ...parts, image: NEXT });
      const { pods } = await phase(c, 'Running', (snapshot) => runsOn(snapshot, NODES, 0));
      await c.show();
      const pod = pods.find(({ spec }) => spec?.['nodeName'] === 'node-1');
      await c.kubectl(`delete pod ${pod?.metadata.name ?? ''}`);
      await c.until('a new pod', (snapshot) => runsOn(snapshot, NODES, 1));
      await c.show();
      await c.status();
      await c.retained();
    },
  },
  {
    golden: 'daemons-node-outage.txt',
    title: 'a node that is not Ready holds no DaemonSet up, and is updated once it is back',
    kind: 'DaemonSet',
    steps: approved,
    needs: 'controllers',
    async play(c) {
      const parts: Agent = { strategy: standard, pod: own };
      await withOwnNodes(c, ['outage-1', 'outage-2'], async (nodes) => {
        await started(c, parts, 2);
        await change(c, { ...parts, image: NEXT });
        await phase(c, 'AwaitingApproval', (snapshot) => runsOn(snapshot, 2, 1));
        c.note('The node that has the old pod is not Ready any more:');
        await nodes.report('outage-1', false);
        await c.until('the runtime has observed it', ({ targets: [target] }) => {
          const { desiredNumberScheduled, numberMisscheduled } = target?.status ?? {};
          return desiredNumberScheduled === 1 && numberMisscheduled === 1;
        });
        await approve(c);
        await phase(c, 'Succeeded');
        await c.show();
        c.note('It is Ready again:');
        await nodes.report('outage-1', true);
        await c.until('two updated pods', (snapshot) => runsOn(snapshot, 2));
        await c.show();
        await c.status();
        await c.retained();
      });
    },
  },
];
