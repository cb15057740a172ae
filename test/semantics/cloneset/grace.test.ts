import { expect, test } from 'vitest';
import { actionText, createModel, imageOf, type Model, template } from './model.ts';

/** One pod that runs and would get a grace period. */
function running(): Model {
  const inPlaceUpdateStrategy = { gracePeriodSeconds: 20 };
  const model = createModel({ spec: { replicas: 1 }, strategy: { inPlaceUpdateStrategy } });
  model.run();
  model.pods = model.pods.map((pod) => ({
    ...pod,
    spec: { ...pod.spec, nodeName: 'node-1' },
    status: {
      phase: 'Running',
      conditions: ['InPlaceUpdateReady', 'ContainersReady', 'Ready'].map((type) => ({
        type,
        status: 'True',
      })),
      containerStatuses: [{ name: 'main', image: 'web:1', imageID: 'sha256:1' }],
    },
  }));
  model.run();
  return model;
}

test('with a grace period a drained pod waits, and is looked at again when that is over (IU-11)', () => {
  const model = running();
  model.setTemplate(template('web:2'));
  expect(model.run({}, 1).map((text) => text.split(' ')[0])).toEqual(['drain']);
  const waiting = model.decide();
  expect(waiting.actions).toEqual([]);
  expect(waiting.because).toMatchObject([{ reason: 'stays out of traffic until its grace period is over' }]);
  expect(waiting.lookAgainAt).toBe(model.now + 20_000);
  model.now += 19_999;
  expect(model.decide().actions).toEqual([]);
  model.now += 1;
  const { actions } = model.decide();
  expect(actions.map(actionText)).toEqual([`update in place ${model.pods[0]?.metadata.name}`]);
  actions.forEach((action) => model.apply(action));
  expect(model.pods.map(imageOf)).toEqual(['web:2']);
});

test('a template that changes meanwhile waits for its end, and is what the pod gets then (IU-12)', () => {
  const model = running();
  model.setTemplate(template('web:2'));
  model.run({}, 1);
  model.now += 10_000;
  model.setTemplate(template('web:3'));
  expect(model.run({}, 3)).toEqual([]);
  expect(model.decide().lookAgainAt).toBe(model.now + 10_000);
  model.now += 10_000;
  model.decide().actions.forEach((action) => model.apply(action));
  expect(model.pods.map(imageOf)).toEqual(['web:3']);
});
