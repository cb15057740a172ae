import type { Case } from './diagnostic-cases.ts';
import { cloneSet } from './manifests.ts';
import { broadcastJob } from './run-cases.ts';

const validate = { args: ['validate', 'head'] };

/** A valid DaemonSet; `rolling`: the fields of its rollingUpdate, `pod`: lines of the pod's `spec:`, indented by six. */
export function daemonSet({ rolling = 'maxUnavailable: 1', pod = '' } = {}): string {
  return [
    'apiVersion: apps.kruise.io/v1beta1',
    'kind: DaemonSet',
    'metadata: {name: log, namespace: ops}',
    'spec:',
    '  selector: {matchLabels: {app: log}}',
    `  updateStrategy: {rollingUpdate: {${rolling}}}`,
    '  template:',
    '    metadata: {labels: {app: log}}',
    '    spec:',
    ...(pod === '' ? [] : [pod]),
    '      containers:',
    '      - {name: log, image: "log:1", ports: [{containerPort: 80, hostPort: 80}]}',
    '',
  ].join('\n');
}

/** A target that a rule with these batches is for. */
function batches(text: string, head = daemonSet()): Pick<Case, 'head' | 'files' | 'options'> {
  const files = { 'head/kruise.yaml': `steps:\n- match: {}\n  batches: [${text}, {to: 100%}]\n` };
  return { head, files, options: validate };
}

const canary = 'nodes: {matchLabels: {track: canary}}';

/** Kinds whose pods are updated node by node. */
export const nodeCases: readonly Case[] = [
  { what: 'a batch for nodes with labels', ...batches(`{to: 100%, ${canary}}, {to: 10%}`), expected: [] },
  { what: 'one that may have none', ...batches(`{to: 100%, atLeast: 0, ${canary}}`), expected: [] },
  { what: 'a number of nodes that may be none', ...batches(`{to: 5, atLeast: 0, ${canary}}`), expected: [] },
  { what: 'failure domains', ...batches('{to: 10%, spread: topology.kubernetes.io/zone}'), expected: [] },
  {
    what: 'batches for the same nodes that shrink, with others between',
    ...batches(`{to: 50%, ${canary}}, {to: 10%}, {to: 20%, ${canary}}`),
    expected: ['KR4002 head/kruise.yaml:3:79'],
  },
  {
    what: 'batches for nodes of a kind whose steps count pods',
    ...batches(`{to: 1, ${canary}}, {to: 2, spread: zone}`, cloneSet({ spec: '    maxUnavailable: 1' })),
    expected: ['KR4027 head/kruise.yaml:3:21', 'KR4027 head/kruise.yaml:3:69'],
  },
  {
    what: 'batches for nodes of a run',
    ...batches(`{to: 1, ${canary}}`, broadcastJob()),
    expected: ['KR4027 head/kruise.yaml:3:21'],
  },
  {
    what: 'a parallelism of pods that are updated on nodes',
    ...batches('{to: 1, parallelism: 1}'),
    expected: ['KR4027 head/kruise.yaml:3:21'],
  },
  {
    what: 'a selector of every node',
    ...batches('{to: 1, nodes: {}}'),
    expected: ['KR3037 head/kruise.yaml:3:28'],
  },
  {
    what: 'a label that cannot be',
    ...batches('{to: 1, nodes: {matchLabels: {track: "a b"}}}'),
    expected: ['KR3037 head/kruise.yaml:3:50'],
  },
  {
    what: 'an expression without values',
    ...batches('{to: 1, nodes: {matchExpressions: [{key: track, operator: In}]}}'),
    expected: ['KR3037 head/kruise.yaml:3:48'],
  },
  {
    what: 'nodes by name',
    ...batches('{to: 1, nodes: {matchLabels: {kubernetes.io/hostname: n1}}}'),
    expected: ['KR3038 head/kruise.yaml:3:67'],
  },
  {
    what: 'nodes by name, in an expression',
    ...batches('{to: 1, nodes: {matchExpressions: [{key: kubernetes.io/hostname, operator: Exists}]}}'),
    expected: ['KR3038 head/kruise.yaml:3:54'],
  },
  {
    what: 'a last batch for some nodes',
    head: daemonSet(),
    files: { 'head/kruise.yaml': `steps:\n- match: {}\n  batches: [{to: 1}, {to: 100%, ${canary}}]\n` },
    options: validate,
    expected: ['KR3039 head/kruise.yaml:3:33'],
  },
  {
    what: 'settings of updates in waves',
    head: daemonSet(),
    files: {
      'head/kruise.yaml': `steps:\n- match: {}\n- match: {name: nightly}\n  waves: {batches: [{to: 1, ${canary}}, {to: 100%, window: {maxUnavailable: 1}}]}\n`,
    },
    options: validate,
    expected: [
      'KR4006 head/kruise.yaml:3:17',
      'KR3040 head/kruise.yaml:4:29',
      'KR3040 head/kruise.yaml:4:80',
    ],
  },
  {
    what: 'extra pods with a port of the node, of which two cannot be there',
    head: daemonSet({ rolling: 'maxSurge: 1' }),
    options: validate,
    expected: ['KR2005 head/web.yaml:11:45'],
  },
  {
    what: 'extra pods in the network of the node',
    head: daemonSet({ rolling: 'maxSurge: 1', pod: '      hostNetwork: true' }).replace(', hostPort: 80', ''),
    options: validate,
    expected: ['KR2005 head/web.yaml:12:45'],
  },
  {
    what: 'extra pods that exclude one another',
    head: daemonSet({
      rolling: 'maxSurge: 1',
      pod: [
        '      affinity:',
        '        podAntiAffinity:',
        '          requiredDuringSchedulingIgnoredDuringExecution:',
        '          - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: log}}}',
      ].join('\n'),
    }).replace(', hostPort: 80', ''),
    options: validate,
    expected: ['KR2005 head/web.yaml:13:13'],
  },
  {
    what: 'extra pods in place',
    head: daemonSet({ rolling: 'rollingUpdateType: InPlaceIfPossible, maxSurge: 1' }),
    options: validate,
    expected: ['KR2005 head/web.yaml:6:84'],
  },
];
