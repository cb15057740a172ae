import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { actions, interrupted, mark, midway } from './midway.ts';

const ten = (strategy: JsonObject) => midway(10, 0, { spec: { replicas: 10 }, strategy });
const term = { key: 'zone', value: 'a' };

describe('which pods are updated first (OpenKruise cloneset, rule 6.5 step 4; CS-39, CS-40)', () => {
  test.each([
    ['v1alpha1', (strategy: JsonObject) => strategy],
    ['v1beta1', (strategy: JsonObject) => ({ rollingUpdate: strategy })],
  ])('those of the highest weight, where %s keeps it', (_, place) => {
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

  test('whoever was begun with comes before any of them', () => {
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
