import { describe, expect, test } from 'vitest';
import { normalizeBudget } from '../../../semantics/podunavailablebudget/normalize.ts';
import { totalOf } from '../../../semantics/podunavailablebudget/sizes.ts';
import { budget, pod, SELECTOR } from './budgets.ts';

const OPERATIONS = 'kruise.io/pub-protect-operations';
const TOTAL = 'pub.kruise.io/protect-total-replicas';
const annotated = (annotations: Record<string, string>, spec = {}) =>
  normalizeBudget(budget(spec, {}, { annotations }));

describe('which pods a budget covers', () => {
  test.each([
    [{ selector: SELECTOR }, { by: 'selector', selector: SELECTOR }],
    [
      { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
      { by: 'workload', workload: { group: 'apps', kind: 'Deployment', name: 'web' } },
    ],
    [{ selector: {} }, { by: 'nothing' }],
    [{ selector: { matchLabels: {}, matchExpressions: [] } }, { by: 'nothing' }],
  ])('%j', (spec, coverage) => {
    expect(normalizeBudget(budget(spec)).coverage).toEqual(coverage);
  });
});

describe('what takes a slot', () => {
  test.each<[string, Record<string, string>, object, string[]]>([
    ['without any, all but resizes', {}, {}, ['DELETE', 'UPDATE', 'EVICT']],
    ['an empty list is none', {}, { protectOperations: [] }, ['DELETE', 'UPDATE', 'EVICT']],
    ['those of the field', {}, { protectOperations: ['RESIZE'] }, ['RESIZE']],
    [
      'those of the annotation, trimmed (PUB-27)',
      { [OPERATIONS]: ' EVICT, UPDATE,' },
      {},
      ['UPDATE', 'EVICT'],
    ],
    [
      'the field before the annotation',
      { [OPERATIONS]: 'EVICT' },
      { protectOperations: ['DELETE'] },
      ['DELETE'],
    ],
  ])('%s', (_what, annotations, spec, expected) => {
    expect([...annotated(annotations, spec).operations]).toEqual(expected);
  });
});

describe('how many pods there are to be', () => {
  test.each<[string, Record<string, string>, object, number | undefined]>([
    ['neither says it', {}, {}, undefined],
    ['the field', {}, { protectTotalReplicas: 5 }, 5],
    ['the annotation (PUB-27)', { [TOTAL]: '7' }, {}, 7],
    ['an annotation that is no number', { [TOTAL]: 'seven' }, {}, undefined],
  ])('%s', (_what, annotations, spec, expected) => {
    expect(annotated(annotations, spec).total).toBe(expected);
  });

  test('what is stated counts, whatever workloads there are', () => {
    expect(totalOf(annotated({ [TOTAL]: '7' }), [pod('a')], [])).toBe(7);
  });
});
