import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { daemonSetKind } from '../../../semantics/daemonset/kind.ts';
import type { Window } from '../../../semantics/limits/window.ts';
import { targetOf } from './model.ts';

describe('how many of its pods others may make unavailable', () => {
  test.each<[string, JsonObject | undefined, Window | undefined, number]>([
    ['one, by default', undefined, undefined, 1],
    ['its own number', { maxUnavailable: 3 }, undefined, 3],
    // OpenKruise advanced-daemonset, rule 6.5: a percentage of the nodes that are to run, rounded up.
    ['its own percentage, of nodes', { maxUnavailable: '25%' }, undefined, 3],
    ['that of a step, where it is lower', { maxUnavailable: 3 }, { maxUnavailable: 2, maxSurge: 0 }, 2],
    ['none, where it makes extra pods instead', { maxSurge: 1 }, undefined, 0],
  ])('%s', (_what, rolling, window, maxUnavailable) => {
    const target = {
      ...targetOf({
        nodes: '',
        pods: '',
        ...(rolling !== undefined && { rolling }),
        spec: { minReadySeconds: 5 },
      }),
      status: { desiredNumberScheduled: 10 },
    };
    expect(daemonSetKind.budget(target, window)).toEqual({
      replicas: 10,
      minReadySeconds: 5,
      maxUnavailable,
    });
  });

  test('what holds for any controller, as long as it has no status', () => {
    expect(daemonSetKind.budget(targetOf({ nodes: '', pods: '' }), undefined)).toBe(undefined);
  });
});
