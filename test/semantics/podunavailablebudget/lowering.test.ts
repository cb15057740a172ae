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
    ['workloads without a scale, without protectTotalReplicas'],
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
