import { describe, expect, test } from 'vitest';
import {
  actionText,
  catchUp,
  createModel,
  historyOf,
  imageOf,
  type Model,
  runningPod,
  template,
} from './model.ts';

/** One available pod of a target with a grace period. */
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

test('with a grace period a drained pod waits, and is reconciled when that is over (IU-11)', () => {
  const model = running();
  model.setTemplate(template('web:2'));
  expect(model.run({}, 1).map((text) => text.split(' ')[0])).toEqual(['drain']);
  const waiting = model.decide();
  expect(waiting.actions).toEqual([]);
  expect(waiting.explanations).toMatchObject([
    { reason: 'stays out of traffic until its grace period is over' },
  ]);
  expect(waiting.requeueAt).toBe(model.now + 20_000);
  model.now += 19_999;
  expect(model.decide().actions).toEqual([]);
  model.now += 1;
  const { actions } = model.decide();
  expect(actions.map(actionText)).toEqual([`update in place ${model.pods[0]?.metadata.name}`]);
  actions.forEach((action) => model.apply(action));
  expect(model.pods.map(imageOf)).toEqual(['web:2']);
});

test('a template that changes meanwhile waits for its end, and then the pod is updated to it (IU-12)', () => {
  const model = running();
  model.setTemplate(template('web:2'));
  model.run({}, 1);
  model.now += 10_000;
  model.setTemplate(template('web:3'));
  expect(model.run({}, 3)).toEqual([]);
  expect(model.decide().requeueAt).toBe(model.now + 10_000);
  model.now += 10_000;
  model.decide().actions.forEach((action) => model.apply(action));
  expect(model.pods.map(imageOf)).toEqual(['web:3']);
});

describe('a template that changes meanwhile, and needs a new pod', () => {
  /** Two pods, of which the first is drained for `web:2` when a template comes that needs new pods. */
  function overtaken(type: string): Model {
    const model = historyOf(['web:1'], {
      spec: { replicas: 2 },
      strategy: { type, maxUnavailable: 1, inPlaceUpdateStrategy: { gracePeriodSeconds: 20 } },
    });
    model.pods = ['a', 'b'].map((name) => runningPod(model, 'web:1', name));
    model.setTemplate(template('web:2'));
    expect(model.run({}, 1)).toEqual(['drain a']);
    model.setTemplate(template('web:2', { env: [{ name: 'LEVEL', value: 'debug' }] }));
    return model;
  }

  test('InPlaceOnly: the drained pod gets its traffic back, and its slot is free', () => {
    const model = overtaken('InPlaceOnly');
    expect(model.run()).toEqual(['set InPlaceUpdateReady=True a']);
    expect(model.decide().explanations).toMatchObject([
      { reason: 'stays: the change cannot be made in place and podUpdatePolicy is InPlaceOnly' },
    ]);
    model.pods = model.pods.map((pod) => catchUp(pod, model.now));
    expect(model.pods.map((pod) => model.available(pod))).toEqual([true, true]);
    // A change that can be made in place from its present revision updates it, from the start.
    model.setTemplate(template('web:3'));
    expect(model.run({}, 1)).toEqual(['drain a']);
  });

  test('under a plan that allows no more than InPlace the same', () => {
    const model = overtaken('InPlaceIfPossible');
    expect(model.run({ mode: 'InPlace' })).toEqual(['set InPlaceUpdateReady=True a']);
  });

  test('a pod that is to be recreated stays out of traffic until it is deleted', () => {
    const model = overtaken('InPlaceIfPossible');
    expect(model.run({}, 1)).toEqual(['mark for recreation a']);
  });
});
