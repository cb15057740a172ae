import type { Case } from './diagnostic-cases.ts';
import { cloneSet } from './manifests.ts';

const validate = { args: ['validate', 'head'] };

/** Lines of a valid BroadcastJob; each part can be replaced. */
export interface JobParts {
  name?: string;
  image?: string;
  restartPolicy?: string;
  /** Lines below `spec:`, indented by two. */
  spec?: string;
  /** Lines below the pod's `spec:`, indented by six. */
  pod?: string;
}

export function broadcastJob(parts: JobParts = {}): string {
  return [
    'apiVersion: apps.kruise.io/v1beta1',
    'kind: BroadcastJob',
    'metadata:',
    `  name: ${parts.name ?? 'fix'}`,
    '  namespace: ops',
    'spec:',
    ...(parts.spec === undefined ? [] : [parts.spec]),
    '  template:',
    '    spec:',
    `      restartPolicy: ${parts.restartPolicy ?? 'Never'}`,
    ...(parts.pod === undefined ? [] : [parts.pod]),
    '      containers:',
    '      - name: fix',
    `        image: ${parts.image ?? 'fix:1'}`,
    '',
  ].join('\n');
}

/** A job that a rule of kruise.yaml is for. */
function rule(text: string, head = broadcastJob()): Pick<Case, 'head' | 'files' | 'options'> {
  const files = { 'head/kruise.yaml': `steps:\n- match: {}\n  ${text}\n` };
  return { head, files, options: validate };
}

/** Kinds that run once on each node. */
export const runCases: readonly Case[] = [
  { what: 'a run', head: broadcastJob(), options: validate, expected: [] },
  {
    what: 'a TTL',
    head: broadcastJob({ spec: '  completionPolicy: {ttlSecondsAfterFinished: 30}' }),
    options: validate,
    expected: ['KR2170 head/web.yaml:7:47'],
  },
  {
    what: 'a deadline',
    head: broadcastJob({ spec: '  completionPolicy: {activeDeadlineSeconds: 10}' }),
    options: validate,
    expected: ['KR2171 head/web.yaml:7:45'],
  },
  {
    what: 'a TTL with Never, which admission refuses',
    head: broadcastJob({ spec: '  completionPolicy: {type: Never, ttlSecondsAfterFinished: 30}' }),
    options: validate,
    expected: ['KR2005 head/web.yaml:7:60'],
  },
  {
    what: 'a run that never ends',
    head: broadcastJob({ restartPolicy: 'Always' }),
    options: validate,
    expected: ['KR2005 head/web.yaml:9:22'],
  },
  {
    what: 'a name with a dot',
    head: broadcastJob({ name: 'fix.1' }),
    options: validate,
    expected: ['KR2005 head/web.yaml:4:9'],
  },
  {
    what: 'a label that each pod gets its own value of',
    head: broadcastJob().replace(
      '  template:\n',
      '  template:\n    metadata: {labels: {broadcastjob-name: x}}\n',
    ),
    options: validate,
    expected: ['KR2005 head/web.yaml:8:44'],
  },
  {
    what: 'a parallelism of 0',
    head: broadcastJob({ spec: '  parallelism: 0' }),
    options: validate,
    expected: ['KR2005 head/web.yaml:7:16'],
  },
  {
    what: 'waves',
    ...rule('batches: [{to: 1, parallelism: 1, spread: zone}, {to: 100%, parallelism: 10%}]'),
    expected: [],
  },
  {
    what: 'waves of pods that are updated',
    ...rule('batches: [{to: 1}, {to: 100%, parallelism: 10%, spread: zone}]', cloneSet()),
    expected: ['KR4027 head/kruise.yaml:3:33', 'KR4027 head/kruise.yaml:3:51'],
  },
  {
    what: 'a window of a run',
    ...rule('batches: [{to: 1}, {to: 100%, window: {maxUnavailable: 1}}]'),
    expected: ['KR4027 head/kruise.yaml:3:33'],
  },
  {
    what: 'a way back of a run',
    ...rule('onFailure: Revert'),
    expected: ['KR4028 head/kruise.yaml:3:14'],
  },
  {
    what: 'restarts that are tolerated after a run',
    ...rule('batches: [{to: 1}, {to: 100%}]\n  between: {check: [{use: nodes, args: {restarts: "2"}}]}'),
    expected: [],
  },
  {
    what: 'the same of pods that are updated',
    ...rule(
      'batches: [{to: 1}, {to: 100%}]\n  between: {check: [{use: nodes, args: {restarts: "2"}}]}',
      cloneSet(),
    ),
    expected: ['KR4045 head/kruise.yaml:4:41'],
  },
  {
    what: 'a batch with a parallelism of 0',
    ...rule('batches: [{to: 1}, {to: 100%, parallelism: 0%}]'),
    expected: ['KR4029 head/kruise.yaml:3:46'],
  },
];
