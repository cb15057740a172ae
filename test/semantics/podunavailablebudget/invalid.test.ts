import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { invalidBudget } from '../../../semantics/podunavailablebudget/invalid.ts';
import { budget, SELECTOR } from './budgets.ts';

const paths = (object: KubeObject): string[] => invalidBudget(object).map(({ path }) => path.join('.'));
const withSpec = (spec: JsonObject): KubeObject => ({ ...budget(), spec });
const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

test.each<[string, JsonObject]>([
  ['a selector', { selector: SELECTOR, maxUnavailable: 1 }],
  ['a workload', { targetRef, minAvailable: '80%' }],
  ['no pod at all', { selector: SELECTOR, maxUnavailable: 0 }],
  ['every pod', { selector: SELECTOR, maxUnavailable: '100%' }],
  ['pods that are left out', { selector: SELECTOR, maxUnavailable: 1, ignoredPodSelector: SELECTOR }],
])('%s is valid', (_what, spec) => {
  expect(paths(withSpec(spec))).toEqual([]);
});

describe('refused', () => {
  test.each<[string, JsonObject, string[]]>([
    ['neither selector nor targetRef (PUB-1)', { maxUnavailable: 1 }, ['spec']],
    ['both of them (PUB-1)', { selector: SELECTOR, targetRef, maxUnavailable: 1 }, ['spec']],
    ['neither of the limits (PUB-2)', { selector: SELECTOR }, ['spec']],
    ['both of them (PUB-2)', { selector: SELECTOR, maxUnavailable: 1, minAvailable: 1 }, ['spec']],
    ['101% (PUB-2)', { selector: SELECTOR, maxUnavailable: '101%' }, ['spec.maxUnavailable']],
    ['-1 (PUB-2)', { selector: SELECTOR, minAvailable: -1 }, ['spec.minAvailable']],
    ['a text without %', { selector: SELECTOR, minAvailable: '5' }, ['spec.minAvailable']],
    ['an empty selector (PUB-3)', { selector: {}, maxUnavailable: 1 }, ['spec.selector']],
    [
      'an empty selector of what is left out (PUB-3)',
      { selector: SELECTOR, maxUnavailable: 1, ignoredPodSelector: { matchLabels: {} } },
      ['spec.ignoredPodSelector'],
    ],
    [
      'a selector that the server does not take',
      { selector: { matchExpressions: [{ key: 'a', operator: 'In', values: [] }] }, maxUnavailable: 1 },
      ['spec.selector.matchExpressions.0.values'],
    ],
    [
      'a reference without parts',
      { targetRef: { apiVersion: 'apps/v1', kind: '' }, maxUnavailable: 1 },
      ['spec.targetRef.kind', 'spec.targetRef.name'],
    ],
    [
      'a version that is none',
      { targetRef: { ...targetRef, apiVersion: 'apps/v1/x' }, maxUnavailable: 1 },
      ['spec.targetRef.apiVersion'],
    ],
  ])('%s', (_what, spec, expected) => {
    expect(paths(withSpec(spec))).toEqual(expected);
  });

  const OPERATIONS = 'kruise.io/pub-protect-operations';
  const TOTAL = 'pub.kruise.io/protect-total-replicas';
  test.each<[string, Record<string, string>, JsonObject, string[]]>([
    ['an unknown operation', { [OPERATIONS]: 'DELETE,DRAIN' }, {}, [`metadata.annotations.${OPERATIONS}`]],
    ['a total that is no number', { [TOTAL]: 'ten' }, {}, [`metadata.annotations.${TOTAL}`]],
    ['a total of nothing', { [TOTAL]: '0' }, {}, [`metadata.annotations.${TOTAL}`]],
    [
      'another total than that of the field (PUB-28)',
      { [TOTAL]: '5' },
      { protectTotalReplicas: 6 },
      [`metadata.annotations.${TOTAL}`],
    ],
    ['the same total', { [TOTAL]: '5' }, { protectTotalReplicas: 5 }, []],
  ])('%s', (_what, annotations, spec, expected) => {
    expect(paths(budget(spec, {}, { annotations }))).toEqual(expected);
  });
});
