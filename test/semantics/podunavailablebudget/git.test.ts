import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { budgetInGit } from '../../../semantics/podunavailablebudget/git-limit.ts';
import { budgetGit } from '../../../semantics/podunavailablebudget/git.ts';
import { budget, SELECTOR } from './budgets.ts';

const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const app = (value: string): object => ({ selector: { matchLabels: { app: value } } });
const of = (spec: object, metadata: object = {}): KubeObject => budget({ ...spec }, {}, metadata);

describe('two budgets of one namespace (PUB-4)', () => {
  test.each<[string, object, object, string | undefined]>([
    ['equal selectors', {}, {}, 'spec.selector'],
    ['selectors of one key that cannot both match', app('web'), app('api'), undefined],
    [
      'selectors of one key that can',
      app('web'),
      { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'api'] }] } },
      'spec.selector',
    ],
    ['selectors of other keys', app('web'), { selector: { matchLabels: { tier: 'front' } } }, undefined],
    [
      'one workload',
      { targetRef },
      { targetRef: { ...targetRef, apiVersion: 'apps/v1beta1' } },
      'spec.targetRef',
    ],
    ['two workloads', { targetRef }, { targetRef: { ...targetRef, name: 'api' } }, undefined],
    ['a selector and a workload', {}, { targetRef }, undefined],
  ])('%s', (_what, one, other, expected) => {
    expect(budgetGit.conflict(of(one), of(other))?.path.join('.')).toBe(expected);
  });
});

describe('what cannot change (PUB-5)', () => {
  test.each<[string, object, object, string[]]>([
    ['the selector', app('web'), app('api'), ['spec.selector']],
    ['the workload', { targetRef }, { targetRef: { ...targetRef, name: 'api' } }, ['spec.targetRef']],
    [
      'its version, too',
      { targetRef },
      { targetRef: { ...targetRef, apiVersion: 'apps/v1beta1' } },
      ['spec.targetRef'],
    ],
    ['from one to the other', {}, { targetRef }, ['spec.selector', 'spec.targetRef']],
    ['a limit can', { maxUnavailable: 1 }, { maxUnavailable: 2 }, []],
    [
      'a selector that says the same is no change',
      {},
      { selector: { ...SELECTOR, matchExpressions: [] } },
      [],
    ],
  ])('%s', (_what, before, after, expected) => {
    expect(budgetGit.changedForever(of(before), of(after)).map((path) => path.join('.'))).toEqual(expected);
  });
});

describe('what protects less', () => {
  test.each<[string, object, object, string | undefined]>([
    [
      'a higher limit',
      { maxUnavailable: 1 },
      { maxUnavailable: 2 },
      'maxUnavailable 2 in place of maxUnavailable 1',
    ],
    ['a lower one', { maxUnavailable: 2 }, { maxUnavailable: 1 }, undefined],
    [
      'fewer that stay',
      { minAvailable: '80%' },
      { minAvailable: '50%' },
      'minAvailable 50% in place of minAvailable 80%',
    ],
    [
      'a percentage that lets more at some size',
      { maxUnavailable: 1 },
      { maxUnavailable: '10%' },
      'maxUnavailable 10% in place of maxUnavailable 1',
    ],
    [
      'the other field',
      { maxUnavailable: 0 },
      { minAvailable: 1 },
      'minAvailable 1 in place of maxUnavailable 0',
    ],
    ['the same in the other field', { maxUnavailable: '100%' }, { minAvailable: 0 }, undefined],
    [
      'a smaller total',
      { minAvailable: '80%', protectTotalReplicas: 10 },
      { minAvailable: '80%', protectTotalReplicas: 5 },
      'minAvailable 80% of 5 in place of minAvailable 80% of 10',
    ],
    ['an operation less', {}, { protectOperations: ['EVICT'] }, 'DELETE and UPDATE no longer'],
    ['an operation more', {}, { protectOperations: ['DELETE', 'UPDATE', 'EVICT', 'RESIZE'] }, undefined],
    [
      'pods that are left out',
      {},
      { ignoredPodSelector: SELECTOR },
      'other pods are left out by ignoredPodSelector',
    ],
  ])('%s', (_what, before, after, expected) => {
    const found = budgetGit.effect(of(before), of(after));
    expect(found).toBe(expected === undefined ? undefined : `it protects less: ${expected}`);
  });

  test('an annotation that drops operations', () => {
    const annotations = { 'kruise.io/pub-protect-operations': 'DELETE' };
    expect(budgetGit.effect(of({}), of({}, { annotations }))).toBe(
      'it protects less: UPDATE and EVICT no longer',
    );
  });
});

describe('what git shows of its slots', () => {
  const web = { id: { group: 'apps', kind: 'Deployment' }, name: 'web', labels: { app: 'web' } };

  test.each<[string, object, boolean]>([
    ['a selector that matches', {}, true],
    ['one that does not', app('api'), false],
    ['its workload', { targetRef }, true],
    ['another one', { targetRef: { ...targetRef, kind: 'StatefulSet' } }, false],
  ])('%s', (_what, spec, expected) => {
    expect(budgetInGit.covers(of(spec))(web)).toBe(expected);
  });

  test.each<[string, object, 'Delete' | 'Update' | 'Resize', number, object | undefined]>([
    ['one of ten', {}, 'Update', 10, { path: ['spec', 'maxUnavailable'], value: 1, most: 1, total: 10 }],
    [
      '80% of seven',
      { minAvailable: '80%' },
      'Delete',
      7,
      { path: ['spec', 'minAvailable'], value: '80%', most: 1, total: 7 },
    ],
    [
      'more than there are',
      { minAvailable: 8 },
      'Delete',
      7,
      { path: ['spec', 'minAvailable'], value: 8, most: 0, total: 7 },
    ],
    [
      'a stated total',
      { protectTotalReplicas: 4 },
      'Delete',
      0,
      { path: ['spec', 'maxUnavailable'], value: 1, most: 1, total: 4 },
    ],
    [
      'pods in git beyond a stated total are surplus',
      { protectTotalReplicas: 4 },
      'Delete',
      10,
      { path: ['spec', 'maxUnavailable'], value: 1, most: 7, total: 10 },
    ],
    [
      'a stated total of pods that git does not show',
      { protectTotalReplicas: 20 },
      'Delete',
      10,
      { path: ['spec', 'maxUnavailable'], value: 1, most: 1, total: 20 },
    ],
    ['an unknown total', {}, 'Delete', 0, undefined],
    ['an operation that is not protected', {}, 'Resize', 10, undefined],
  ])('%s', (_what, spec, how, pods, expected) => {
    expect(budgetInGit.limit(of(spec), how, pods)).toEqual(expected);
  });
});
