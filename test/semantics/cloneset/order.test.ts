import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { actions, change, interrupted, mark, midway, NEW, OLD } from './midway.ts';
import { broken, historyOf, runningPod } from './model.ts';

const ten = (strategy: JsonObject) => midway(10, 0, { spec: { replicas: 10 }, strategy });
const term = { key: 'zone', value: 'a' };

describe('which pods are updated first (OpenKruise cloneset, rule 6.5 step 4; CS-39, CS-40)', () => {
  test.each([
    ['v1alpha1', (strategy: JsonObject) => strategy],
    ['v1beta1', (strategy: JsonObject) => ({ rollingUpdate: strategy })],
  ])('those of the highest weight, if the field is %s', (_, place) => {
    const weightPriority = [{ weight: 50, matchSelector: { matchLabels: { tier: 'low' } } }];
    const model = ten({ ...place({ maxUnavailable: 2, priorityStrategy: { weightPriority } }) });
    mark(model, 'o7', { tier: 'low' });
    expect(actions(model)).toEqual(['drain o7', 'drain o0']);
  });

  test('those without the ordered key', () => {
    const orderPriority = [{ orderedKey: 'shard' }];
    const model = ten({ maxUnavailable: 3, priorityStrategy: { orderPriority } });
    for (const n of [0, 1, 2, 3, 4, 5, 6, 7, 8]) mark(model, `o${n}`, { shard: `s-${n}` });
    expect(actions(model)).toEqual(['drain o9', 'drain o8', 'drain o7']);
  });

  test('those of a scatter term are spread over the others', () => {
    const model = ten({ maxUnavailable: '100%', scatterStrategy: [term] });
    for (const n of [3, 4, 5]) mark(model, `o${n}`, { zone: 'a' });
    expect(actions(model).join(' ').replaceAll('drain ', '')).toBe('o3 o0 o1 o2 o6 o4 o7 o8 o9 o5');
  });

  test('it stops at the first pod beyond the limit: a broken one after it is not reached (CS-41)', () => {
    const weightPriority = [{ weight: 50, matchSelector: { matchLabels: { tier: 'low' } } }];
    const model = ten({ maxUnavailable: 2, priorityStrategy: { weightPriority } });
    mark(model, 'o7', { tier: 'low' });
    for (const name of ['o1', 'o2']) change(model, name, (pod) => broken(pod, model.now));
    expect(actions(model)).toEqual([]);
    mark(model, 'o1', { tier: 'low' });
    expect(actions(model)).toEqual(['drain o1']);
  });

  test('pods whose update has started come before all others', () => {
    const weightPriority = [{ weight: 50, matchSelector: { matchLabels: { tier: 'low' } } }];
    const model = ten({ maxUnavailable: 1 });
    interrupted(model);
    mark(model, 'o7', { tier: 'low' });
    const spec = model.target['spec'] as JsonObject;
    const updateStrategy = {
      ...(spec['updateStrategy'] as JsonObject),
      priorityStrategy: { weightPriority },
    };
    model.target = { ...model.target, spec: { ...spec, updateStrategy } };
    expect(actions(model)).toEqual(['update in place o0']);
  });
});

describe('which of several old revisions comes first', () => {
  /** Three pods on the stable revision, and two on one that is older. */
  function mixed() {
    const model = historyOf(['web:0', OLD, NEW], { strategy: { maxUnavailable: 3 }, stable: OLD });
    model.pods = [
      ...['s0', 's1', 's2'].map((name) => runningPod(model, OLD, name)),
      ...['t0', 't1'].map((name) => runningPod(model, 'web:0', name)),
    ];
    return model;
  }

  test('Auto without a plan: none, the order of OpenKruise knows no revisions (rule 6.5 step 4)', () => {
    expect(actions(mixed(), { ownStrategy: true })).toEqual(['drain s0', 'drain s1', 'drain s2']);
  });

  test('under a plan: those that are further away', () => {
    expect(actions(mixed())).toEqual(['drain t0', 'drain t1', 'drain s0']);
  });

  test('broken ones first of all, whatever their revision (CS-42)', () => {
    const model = mixed();
    change(model, 's2', (pod) => broken(pod, model.now));
    expect(actions(model, { ownStrategy: true })).toEqual(['drain s2', 'drain s0', 'drain s1']);
  });
});

test('a pod in state PreparingUpdate is first whatever its priority (OpenKruise inplace-update, rule 6.7; IU-42)', () => {
  const weightPriority = [{ weight: 50, matchSelector: { matchLabels: { tier: 'low' } } }];
  const model = ten({ maxUnavailable: 2, priorityStrategy: { weightPriority } });
  mark(model, 'o7', { tier: 'low' });
  mark(model, 'o4', { 'lifecycle.apps.kruise.io/state': 'PreparingUpdate' });
  expect(actions(model)).toEqual(['drain o4', 'drain o7']);
});
