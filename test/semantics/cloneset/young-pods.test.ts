import { expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { actions, mark, midway } from './midway.ts';
import type { Model } from './model.ts';

/** Six pods on the new revision that are ready, and of which the first `young` are so for less than minReadySeconds. */
function six(young: number, spec: JsonObject, strategy: JsonObject = {}): Model {
  const model = midway(0, 6, {
    spec: { replicas: 6, minReadySeconds: 7_200, ...spec },
    strategy: { maxUnavailable: 1, ...strategy },
  });
  const at = (hours: number): string => new Date(model.now - hours * 3_600_000).toISOString();
  model.pods = model.pods.map((pod, index) => ({
    ...pod,
    status: {
      ...pod.status,
      conditions: (pod.status?.conditions ?? []).map((each) => ({
        ...each,
        lastTransitionTime: at(index < young ? 1 : 3),
      })),
    },
  }));
  return model;
}

test('a scale-in deletes pods that are not available yet: it costs nothing', () => {
  expect(actions(six(6, { replicas: 2 }))).toEqual(['delete n0', 'delete n1', 'delete n2', 'delete n3']);
});

test('of those that are available it deletes no more than before', () => {
  // 2 wanted, 1 may be unavailable, 3 of 6 are: of the 3 that are available, one may go with the 3 others.
  expect(actions(six(3, { replicas: 2 }))).toEqual(['delete n0', 'delete n1', 'delete n2', 'delete n3']);
  expect(actions(six(3, { replicas: 4 }, { maxUnavailable: 0 }))).toEqual(['delete n0', 'delete n1']);
});

test('a pod that is marked, and replaced, keeps to the limit', () => {
  const model = six(6, {});
  mark(model, 'n0', { 'apps.kruise.io/specified-delete': 'true' });
  expect(actions(model)).toEqual([]);
});
