import type { Case } from './diagnostic-cases.ts';
import { cloneSet } from './manifests.ts';

const validate = { args: ['validate', 'head'] };
const clean = cloneSet();
const other = (text: string): string => text.replace('name: web\n', 'name: other\n');
const reverting = {
  'head/kruise.yaml': 'steps: [{match: {}, batches: [{to: 1}, {to: 100%}], onFailure: Revert}]\n',
};
const untagged = cloneSet({ image: 'nginx' });
const pinned = cloneSet({ image: 'nginx:1.27' });

const SELECTED = 'selector: {matchLabels: {app: web}}';
/** A budget in a file of its own; its limit is in line 4. */
const budget = (
  limit: string,
  { kind = 'policy/v1, kind: PodDisruptionBudget', of = SELECTED } = {},
): string => `{apiVersion: ${kind},\nmetadata: {name: web, namespace: shop},\nspec: {${of},\n${limit}}}\n`;
const unavailable = 'policy.kruise.io/v1beta1, kind: PodUnavailableBudget';
/** A WorkloadSpread; its subsets are in line 4. */
const spread = (subsets: string, target = 'web', of = 'apps.kruise.io/v1beta1, kind: CloneSet'): string =>
  '{apiVersion: apps.kruise.io/v1beta1, kind: WorkloadSpread,\nmetadata: {name: web, namespace: shop},\n' +
  `spec: {targetRef: {apiVersion: ${of}, name: ${target}},\nsubsets: [${subsets}]}}\n`;
/** A Deployment with more fields of its pods. */
const deployment = (name: string, more: string): string =>
  `{apiVersion: apps/v1, kind: Deployment,\nmetadata: {name: ${name}, namespace: shop},\n` +
  `spec: {selector: {matchLabels: {app: ${name}}}, template: {metadata: {labels: {app: ${name}}}, spec: {${more}containers: [{name: main, image: x}]}}}}\n`;
/** An object of pods that wait with the gate. */
const gated = (type: string, specOf: (pod: string) => string): string =>
  `{apiVersion: ${type},\nmetadata: {name: db, namespace: shop},\nspec: ${specOf('{containers: [{name: main, image: "a:1"}], schedulingGates: [{name: kruise.io/workloadspread}]}')}}\n`;
const withBudget = (text: string, head = clean): Pick<Case, 'head' | 'files' | 'options'> => ({
  head,
  files: { 'head/budget.yaml': text },
  options: validate,
});

/** Manifests that are valid, and not what their authors want. */
export const lintCases: readonly Case[] = [
  {
    what: 'two workloads of one selector',
    head: clean,
    files: { 'head/other.yaml': other(clean) },
    options: validate,
    expected: ['KR2137 head/other.yaml:8:3'],
  },
  {
    what: 'a selector that matches the pods of another workload',
    head: clean.replace('labels: {app: web}', 'labels: {app: web, tier: front}'),
    files: {
      'head/other.yaml': other(cloneSet({ selector: 'web, tier: front' })).replace(
        'labels: {app: web}',
        'labels: {app: web, tier: front}',
      ),
    },
    options: validate,
    expected: ['KR2137 head/other.yaml:8:3'],
  },
  {
    what: 'a selector of expressions that matches the pods of another workload',
    head: clean,
    files: {
      'head/other.yaml': other(cloneSet())
        .replaceAll('app: web', 'app: other')
        .replace('matchLabels: {app: other}', 'matchExpressions: [{key: app, operator: Exists}]'),
    },
    options: validate,
    expected: ['KR2137 head/other.yaml:8:3'],
  },
  {
    what: 'the same selector in another namespace',
    head: clean,
    files: { 'head/other.yaml': cloneSet({ namespace: 'stage' }) },
    options: validate,
    expected: [],
  },
  {
    what: 'a change that recreates pods where in place is preferred',
    base: clean,
    head: cloneSet({ container: '        env: [{name: A, value: b}]' }),
    expected: ['KR2138 head/web.yaml:19:15'],
  },
  {
    what: 'a change that recreates pods, as the policy says',
    base: cloneSet({ type: 'ReCreate' }),
    head: cloneSet({ type: 'ReCreate', container: '        env: [{name: A, value: b}]' }),
    expected: [],
  },
  {
    what: 'a revert to an image without a tag',
    base: untagged,
    head: pinned,
    files: reverting,
    expected: ['KR2139 head/web.yaml:18:16'],
  },
  {
    what: 'a change of an image without a tag, without a revert',
    base: untagged,
    head: pinned,
    expected: [],
  },
  { what: 'a revert to an image with a tag', base: clean, head: pinned, files: reverting, expected: [] },
  {
    what: 'a revert to an image without a tag, where any is fine',
    base: untagged,
    head: pinned,
    files: { 'head/kruise.yaml': `images: any\n${reverting['head/kruise.yaml']}` },
    expected: [],
  },
  {
    what: 'a disruption budget of nothing, in a plan',
    head: clean,
    files: { 'head/budget.yaml': budget('maxUnavailable: 0') },
    expected: ['KR2160 head/budget.yaml:4:17'],
  },
  { what: 'a disruption budget of 0%', ...withBudget(budget('maxUnavailable: 0%')), expected: [atLimit(17)] },
  {
    what: 'a disruption budget of 1%, which is a pod',
    ...withBudget(budget('maxUnavailable: 1%')),
    expected: [],
  },
  {
    what: 'as many available as there are',
    ...withBudget(budget('minAvailable: 10')),
    expected: [atLimit(15)],
  },
  { what: 'fewer available than there are', ...withBudget(budget('minAvailable: 9')), expected: [] },
  {
    what: '91% available, which is all of ten',
    ...withBudget(budget('minAvailable: 91%')),
    expected: [atLimit(15)],
  },
  {
    what: 'as many available as an autoscaler starts with',
    ...withBudget(budget('minAvailable: 1'), clean.replace(/ {2}replicas: .*\n/, '')),
    expected: [],
  },
  {
    what: 'all available of what an autoscaler sizes',
    ...withBudget(budget('minAvailable: 100%'), clean.replace(/ {2}replicas: .*\n/, '')),
    expected: [atLimit(15)],
  },
  {
    what: 'a budget of other pods',
    ...withBudget(budget('maxUnavailable: 0', { of: 'selector: {matchLabels: {app: api}}' })),
    expected: [],
  },
  {
    what: 'a budget of OpenKruise for the workload, and its own number of replicas',
    ...withBudget(
      budget('minAvailable: 11', {
        kind: unavailable,
        of: 'protectTotalReplicas: 11, targetRef: {apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, name: web}',
      }),
    ),
    expected: [atLimit(15)],
  },
  {
    what: 'two budgets of OpenKruise for the same pods',
    head: clean,
    files: {
      'head/budget.yaml': budget('maxUnavailable: 1', { kind: unavailable }),
      'head/more.yaml': budget('maxUnavailable: 2', { kind: unavailable }).replace('name: web', 'name: zoo'),
    },
    options: validate,
    expected: ['KR2228 head/more.yaml:3:8'],
  },
  {
    what: 'a copy where git has an object of that name',
    head: clean,
    files: {
      'head/copies.yaml': [
        'apiVersion: apps.kruise.io/v1beta1',
        'kind: ResourceDistribution',
        'metadata: {name: shared}',
        'spec:',
        '  resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {color: red}}',
        '  targets: {includedNamespaces: {list: [{name: shop}]}}',
        '',
      ].join('\n'),
      'head/own.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\n',
    },
    options: validate,
    expected: ['KR2231 head/copies.yaml:5:64'],
  },
  {
    what: 'pods that are placed of a workload that is not there',
    head: clean,
    files: { 'head/spread.yaml': spread('{name: a}', 'api') },
    options: validate,
    expected: ['KR2233 head/spread.yaml:3:78'],
  },
  {
    what: 'a patch without the name of a container',
    head: clean,
    files: { 'head/spread.yaml': spread('{name: a, patch: {spec: {containers: [{image: x}]}}}') },
    options: validate,
    expected: ['KR2234 head/spread.yaml:4:49'],
  },
  {
    what: 'a patch by which the workload loses its pods',
    head: clean,
    files: { 'head/spread.yaml': spread('{name: a, patch: {metadata: {labels: {app: other}}}}') },
    options: validate,
    expected: ['KR2234 head/spread.yaml:4:40'],
  },
  {
    what: 'a last subset with a cap',
    head: clean,
    files: { 'head/spread.yaml': spread('{name: a, maxReplicas: 1}, {name: b, maxReplicas: 100}') },
    options: validate,
    expected: ['KR2235 head/spread.yaml:4:61'],
  },
  {
    what: 'caps below the replicas',
    head: clean,
    files: { 'head/spread.yaml': spread('{name: a, maxReplicas: 1}, {name: b, maxReplicas: 1}') },
    options: validate,
    expected: ['KR2235 head/spread.yaml:4:61'],
  },
  {
    what: 'pods without the gate',
    head: clean,
    files: {
      'head/spread.yaml': spread('{name: a}', 'db', 'apps/v1, kind: Deployment'),
      'head/db.yaml': deployment('db', ''),
    },
    options: validate,
    expected: ['KR2236 head/spread.yaml:3:65'],
  },
  {
    what: 'a gate that nothing removes',
    head: clean,
    files: { 'head/db.yaml': deployment('db', 'schedulingGates: [{name: kruise.io/workloadspread}], ') },
    options: validate,
    expected: ['KR2237 head/db.yaml:3:93'],
  },
  {
    what: 'the same in a CronJob, a Pod and a CloneSet',
    head: cloneSet(),
    files: {
      'head/cron.yaml': gated(
        'batch/v1, kind: CronJob',
        (pod) => `{jobTemplate: {spec: {template: {spec: ${pod}}}}}`,
      ),
      'head/pod.yaml': gated('v1, kind: Pod', (pod) => pod),
      'head/clone.yaml': gated(
        'apps.kruise.io/v1alpha1, kind: CloneSet',
        (pod) =>
          `{replicas: 1, selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: ${pod}}}`,
      ),
    },
    options: validate,
    expected: ['KR2237 head/clone.yaml:3:146', 'KR2237 head/cron.yaml:3:89', 'KR2237 head/pod.yaml:3:50'],
  },
  {
    what: 'a budget of OpenKruise for other pods than before',
    head: clean,
    files: {
      'base/budget.yaml': budget('maxUnavailable: 1', { kind: unavailable }),
      'head/budget.yaml': budget('maxUnavailable: 1', {
        kind: unavailable,
        of: 'selector: {matchLabels: {app: api}}',
      }),
    },
    expected: ['KR2193 head/budget.yaml:3:8', 'KR2229 head/budget.yaml:3:8'],
  },
  {
    what: 'a percentage that surge rounds down to nothing',
    head: cloneSet({ spec: '    maxUnavailable: 5%\n    maxSurge: 1' }),
    options: validate,
    expected: ['KR2161 head/web.yaml:12:21'],
  },
  {
    what: 'a number of nothing beside surge',
    head: cloneSet({ spec: '    maxUnavailable: 0%\n    maxSurge: 1' }),
    options: validate,
    expected: [],
  },
];

function atLimit(column: number): string {
  return `KR2160 head/budget.yaml:4:${column}`;
}
