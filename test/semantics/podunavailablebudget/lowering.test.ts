import { expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { budgetLowering } from '../../../semantics/podunavailablebudget/lowering.ts';
import { budget, SHOP } from './budgets.ts';

const named = (apiVersion: string, kind: string, name: string, spec: JsonObject): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: SHOP },
  spec,
});
const of = (labels: JsonObject[string], selector: JsonObject[string] = { matchLabels: { app: 'web' } }) =>
  named('apps/v1', 'Deployment', 'web', { selector, template: { metadata: { labels } } });
const web = of({ app: 'web' });
const EVICT: JsonObject = { protectOperations: ['EVICT'] };
const NAMED: JsonObject = { ...EVICT, targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } };

function rows(spec: JsonObject, ...others: KubeObject[]): string[] {
  const own = budget(spec);
  const found = budgetLowering.lower(own, { isScaled: false, namespaces: [], inNamespace: [own, ...others] });
  return ('stays' in found ? found.stays : found.losses).map(({ what }) => what);
}

/** Manifests whose pods have the same label, by what the template is in. */
const pods: JsonObject = { template: { metadata: { labels: { app: 'web' } } } };
const ticking: [string, KubeObject][] = [
  ['CronJob', named('batch/v1', 'CronJob', 'tidy', { jobTemplate: { spec: pods } })],
  ...['jobTemplate', 'broadcastJobTemplate'].map((field): [string, KubeObject] => [
    `AdvancedCronJob with ${field}`,
    named('apps.kruise.io/v1beta1', 'AdvancedCronJob', 'tidy', { template: { [field]: { spec: pods } } }),
  ]),
];
const UNSCALED = ['workloads without a scale, without protectTotalReplicas'];

const NOWHERE = ['pods of no workload in git'];
const SHARED = ['pods of another budget'];
const guard = (selector: JsonObject[string]) =>
  named('policy/v1', 'PodDisruptionBudget', 'users', { selector });
const pub = (spec: JsonObject) => ({ ...budget(spec), metadata: { name: 'other', namespace: SHOP } });

test.each<[string, JsonObject, KubeObject[], string[]]>([
  ['nothing is in the way', EVICT, [web], []],
  ['labels are null', EVICT, [of(null)], NOWHERE],
  ['labels are a text', EVICT, [of('app=web')], NOWHERE],
  ['a label is a number', EVICT, [of({ app: 7 })], NOWHERE],
  [
    'the selector of the named workload cannot be read',
    NAMED,
    [of({ app: 'web' }, { matchExpressions: 'all' })],
    NOWHERE,
  ],
  ['the selector of the named workload is missing', NAMED, [of({ app: 'web' }, null)], NOWHERE],
  [
    'a pod is its own workload',
    EVICT,
    [
      {
        ...named('v1', 'Pod', 'web', {}),
        metadata: { name: 'web', namespace: SHOP, labels: { app: 'web' } },
      },
    ],
    UNSCALED,
  ],
  [
    'another budget of Kubernetes selects other pods',
    EVICT,
    [web, guard({ matchLabels: { app: 'db' } })],
    [],
  ],
  ['it selects every pod', EVICT, [web, guard({})], SHARED],
  ['it selects none', EVICT, [web, guard(null)], []],
  ['nobody can read what it selects', EVICT, [web, guard({ matchExpressions: [7] })], SHARED],
  ['another budget names the workload', EVICT, [web, pub(NAMED)], SHARED],
  ['another budget selects its pods', NAMED, [web, pub(EVICT)], SHARED],
  ['another budget protects from no eviction', NAMED, [web, pub({ protectOperations: ['DELETE'] })], []],
])('%s', (_title, spec, others, expected) => {
  expect(rows(spec, ...others)).toEqual(expected);
});

test.each(ticking)('pods of a %s count as those of their template', (_title, other) => {
  expect(rows(EVICT, web, other)).toEqual(UNSCALED);
  expect(rows(NAMED, web, other)).toEqual(['targetRef to a workload with labels that another one has']);
  expect(rows({ ...EVICT, minAvailable: 2 }, web, other), 'a number of pods needs no scale').toEqual([]);
});
