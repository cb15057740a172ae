import type { Case } from './diagnostic-cases.ts';
import { cloneSet, type RunOptions } from './manifests.ts';
import { broadcastJob } from './run-cases.ts';
import { advancedCronJob } from './schedule-cases.ts';

const validate: RunOptions = { args: ['validate', 'head'] };

/** A CloneSet with this variable in its container, and this annotation of its template. */
function ordered(env: string, annotation?: string): string {
  const manifest = cloneSet({ container: `        env: [{${env}}]` });
  return annotation === undefined ? manifest : annotated(manifest, annotation);
}

function annotated(manifest: string, annotation: string): string {
  return manifest.replace(
    /( *)metadata:\n( *labels: \{[^}]*\})/,
    `$1metadata:\n$1  annotations: {apps.kruise.io/container-launch-priority: ${annotation}}\n$2`,
  );
}

/** A workload of any kind, with this variable in its second container, and these annotations of its template. */
function foreign(apiVersion: string, kind: string, env: string, annotations = '{}'): string {
  return [
    `apiVersion: ${apiVersion}`,
    `kind: ${kind}`,
    'metadata: {name: web, namespace: shop}',
    'spec:',
    '  template:',
    `    metadata: {labels: {app: web}, annotations: ${annotations}}`,
    '    spec:',
    '      containers:',
    '      - {name: one, image: "one:1"}',
    '      - name: two',
    '        image: two:1',
    `        env: [{${env}}]`,
    '',
  ].join('\n');
}

const number = (value: string): string => `name: KRUISE_CONTAINER_PRIORITY, value: '${value}'`;
const VALUE = 'head/web.yaml:19:56';

/** The order in which containers start: numbers that are none, an order without effect, and one among containers that end. */
export const launchCases: readonly Case[] = [
  ...['10', '-1', '+2', '007', '2147483647'].map((value): Case => ({
    what: `the launch priority ${value}`,
    head: ordered(number(value)),
    options: validate,
    expected: [],
  })),
  ...['abc', '', '1.5', '1e3', ' 1', '2147483648', '-2147483648'].map((value): Case => ({
    what: `the launch priority "${value}", which is none`,
    head: ordered(number(value)),
    options: validate,
    expected: [`KR2005 ${VALUE}`],
  })),
  {
    what: 'a launch priority that is not read, because the order is by position',
    head: ordered(number('abc'), 'Ordered'),
    options: validate,
    expected: [],
  },
  {
    what: 'a launch priority without a value',
    head: ordered('name: KRUISE_CONTAINER_PRIORITY'),
    options: validate,
    expected: ['KR2005 head/web.yaml:19:15'],
  },
  {
    what: 'a launch priority by reference',
    head: ordered('name: KRUISE_CONTAINER_PRIORITY, valueFrom: {fieldRef: {fieldPath: metadata.name}}'),
    options: validate,
    expected: ['KR2005 head/web.yaml:19:60'],
  },
  {
    what: 'a barrier that somebody wrote',
    head: ordered('name: KRUISE_CONTAINER_BARRIER, value: x'),
    options: validate,
    expected: ['KR2005 head/web.yaml:19:22'],
  },
  {
    what: 'a launch priority that is none, in the Jobs of a schedule',
    head: advancedCronJob().replace('tidy:1"}', `tidy:1", env: [{${number('abc')}}]}`),
    options: validate,
    expected: ['KR2005 head/web.yaml:15:92'],
  },
  ...[
    ['apps/v1', 'Deployment'],
    ['batch/v1', 'Job'],
    ['argoproj.io/v1alpha1', 'Rollout'],
  ].map(([apiVersion = '', kind = '']): Case => ({
    what: `a launch priority that is none, in a ${kind}`,
    head: foreign(apiVersion, kind, number('abc')),
    options: validate,
    expected: ['KR2005 head/web.yaml:12:56'],
  })),
  {
    what: 'one in a Pod of a List',
    head: [
      'apiVersion: v1',
      'kind: List',
      'items:',
      '- apiVersion: v1',
      '  kind: Pod',
      '  metadata: {name: web}',
      `  spec: {containers: [{name: one}, {name: two, env: [{${number('1.5')}}]}]}`,
      '',
    ].join('\n'),
    options: validate,
    expected: ['KR2005 head/web.yaml:7:95'],
  },
  {
    what: 'one of the only container of a Deployment, which has no order',
    head: foreign('apps/v1', 'Deployment', number('abc')).replace(/\n.*one:1.*/, ''),
    options: validate,
    expected: [],
  },
  {
    what: 'priorities of a Deployment',
    head: foreign('apps/v1', 'Deployment', number('10')),
    options: validate,
    expected: [],
  },
  {
    what: 'one of a Deployment that is not read, because the order is by position',
    head: foreign(
      'apps/v1',
      'Deployment',
      number('abc'),
      '{apps.kruise.io/container-launch-priority: Ordered}',
    ),
    options: validate,
    expected: [],
  },
  {
    what: 'one of a Deployment that another tool replaces',
    head: foreign('apps/v1', 'Deployment', number('${PRIORITY}')),
    options: validate,
    expected: [],
  },
  {
    what: 'an annotation of a Deployment that orders nothing',
    head: foreign(
      'apps/v1',
      'Deployment',
      'name: A, value: b',
      '{apps.kruise.io/container-launch-priority: ordered}',
    ),
    options: validate,
    expected: ['KR2186 head/web.yaml:6:92'],
  },
  {
    what: 'an annotation that orders nothing',
    head: annotated(cloneSet(), 'ordered'),
    options: validate,
    expected: ['KR2186 head/web.yaml:14:63'],
  },
  {
    what: 'an order among containers that end',
    head: broadcastJob({ image: 'fix:1\n      - name: then\n        image: then:1' }).replace(
      '    spec:',
      '    metadata:\n      annotations: {apps.kruise.io/container-launch-priority: Ordered}\n    spec:',
    ),
    options: validate,
    expected: ['KR2187 head/web.yaml:12:7'],
  },
];
