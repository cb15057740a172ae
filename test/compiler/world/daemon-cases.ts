import type { Case } from './diagnostic-cases.ts';

interface DaemonSetParts {
  version?: 'v1alpha1' | 'v1beta1';
  labels?: string;
  rolling?: string;
  /** A line below `spec:`. */
  spec?: string;
  /** A line of its container. */
  container?: string;
}

function daemonSet({
  version = 'v1beta1',
  labels = 'app: log',
  rolling = '',
  spec,
  container,
}: DaemonSetParts): string {
  return [
    `apiVersion: apps.kruise.io/${version}`,
    'kind: DaemonSet',
    'metadata:',
    '  name: log',
    '  namespace: ops',
    'spec:',
    '  selector:',
    `    matchLabels: {${labels}}`,
    '  updateStrategy:',
    `    rollingUpdate: {${rolling}}`,
    ...(spec === undefined ? [] : [`  ${spec}`]),
    '  template:',
    '    metadata:',
    `      labels: {${labels}}`,
    '    spec:',
    '      containers:',
    '      - name: log',
    '        image: log:1.25',
    ...(container === undefined ? [] : [`        ${container}`]),
    '',
  ].join('\n');
}

const surging = 'rollingUpdateType: Surging';
const extra = 'maxUnavailable: 0, maxSurge: 1';
const portOfNode = 'ports: [{containerPort: 80, hostPort: 80}]';
const validate = { args: ['validate', 'head'] };

const changes: readonly [what: string, head: DaemonSetParts, expected: string[]][] = [
  [
    'another selector of a DaemonSet (DS-11)',
    { labels: 'app: log, tier: node' },
    ['KR2102 head/web.yaml:7:3'],
  ],
  ['another burstReplicas of a DaemonSet (DS-11)', { spec: 'burstReplicas: 5' }, []],
  ['another scaleStrategy of a DaemonSet (DS-11)', { spec: 'scaleStrategy: {partitionedScaling: true}' }, []],
];

/** Diagnostics about DaemonSets. */
export const daemonCases: readonly Case[] = [
  {
    what: 'Surging in v1beta1 (DS-3)',
    head: daemonSet({ rolling: surging }),
    options: validate,
    expected: ['KR2118 head/web.yaml:10:40'],
  },
  {
    what: 'Surging in v1alpha1',
    head: daemonSet({ version: 'v1alpha1', rolling: surging }),
    options: validate,
    expected: [],
  },
  {
    what: 'a port of the node with surge ',
    head: daemonSet({ rolling: extra, container: portOfNode }),
    options: validate,
    expected: ['KR2005 head/web.yaml:18:17'],
  },
  {
    what: 'a port of the node without surge',
    head: daemonSet({ container: portOfNode }),
    options: validate,
    expected: [],
  },
  {
    what: 'surge in place (DS-6)',
    head: daemonSet({ rolling: `rollingUpdateType: InPlaceIfPossible, ${extra}` }),
    options: validate,
    expected: ['KR2005 head/web.yaml:10:88'],
  },
  {
    what: 'a burst of none of the nodes that kruise.yaml assumes (DS-47)',
    head: daemonSet({ spec: 'burstReplicas: 10%' }),
    files: { 'head/kruise.yaml': 'assume: {nodes: 5}\n' },
    options: validate,
    expected: ['KR2125 head/web.yaml:11:18'],
  },
  {
    what: 'a burst of none of any number of nodes',
    head: daemonSet({ spec: 'burstReplicas: 0%' }),
    files: { 'head/kruise.yaml': 'assume: {nodes: 500}\n' },
    options: validate,
    expected: ['KR2005 head/web.yaml:11:18'],
  },
  {
    what: 'the same burst where nothing is assumed',
    head: daemonSet({ spec: 'burstReplicas: 10%' }),
    options: validate,
    expected: [],
  },
  ...changes.map(([what, head, expected]) => ({
    what,
    base: daemonSet({}),
    head: daemonSet(head),
    expected,
  })),
];
