import { expect, test } from 'vitest';
import { mark, midway, NEW } from './midway.ts';
import type { Model } from './model.ts';

const strategy = (type: string) => ({ type, maxUnavailable: 1 });

/** The Events of one reconcile, without generated names. */
function told(model: Model): string[] {
  const { actions } = model.decide();
  const goal =
    model.revisions.find((each) => JSON.stringify(each['data']).includes(NEW))?.metadata.name ?? '';
  return actions.flatMap(({ event }) =>
    event === undefined
      ? []
      : [`${event.type} ${event.reason} ${event.message}`.replace(goal, 'GOAL').replace(/web-\w{5}$/, 'POD')],
  );
}

function lost(): Model {
  return midway(0, 2, { spec: { replicas: 3 } });
}

function marked(): Model {
  const model = midway(0, 2, { spec: { replicas: 2 } });
  mark(model, 'n1', { 'apps.kruise.io/specified-delete': '' });
  return model;
}

function drained(): Model {
  const model = midway(1, 0, { spec: { replicas: 1 }, strategy: strategy('InPlaceOnly') });
  for (const action of model.decide().actions) {
    if (action.do !== 'patch') throw new Error('a drain');
    const { next: _, ...alone } = action;
    model.apply(alone);
  }
  return model;
}

test.each<[string, () => Model, string]>([
  ['a pod that is created', lost, 'Normal SuccessfulCreate succeed to create pod POD'],
  ['a pod that is deleted', marked, 'Normal SuccessfulDelete succeed to delete pod n1'],
  [
    'a pod that is updated in place',
    drained,
    'Normal SuccessfulUpdatePodInPlace successfully update pod o0 in-place(revision GOAL)',
  ],
  [
    'a pod that is to be recreated',
    () => midway(1, 0, { spec: { replicas: 1 }, strategy: strategy('ReCreate') }),
    'Normal SuccessfulUpdatePodReCreate successfully update pod o0 in ReCreate',
  ],
])('%s has the Event of OpenKruise', (_, model, words) => {
  expect(told(model())).toEqual([words]);
});
