import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { CloneSetStatus } from '../../../schemas/generated/types/cloneset.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { broken, historyOf, type Model, NOON, runningPod, wholeEnvelope } from './model.ts';

function midway(old: number, fresh: number, spec: JsonObject = {}, strategy: JsonObject = {}): Model {
  const model = historyOf(['web:1', 'web:2'], { spec, strategy, stable: 'web:1' });
  model.pods = [
    ...Array.from({ length: old }, (_, i) => runningPod(model, 'web:1', `o${i}`)),
    ...Array.from({ length: fresh }, (_, i) => runningPod(model, 'web:2', `n${i}`)),
  ];
  return model;
}

function status(model: Model): CloneSetStatus {
  return model.decide().status as CloneSetStatus;
}

function progressing(model: Model) {
  return status(model).conditions?.find((c) => c.type === 'Progressing');
}

describe('the counts', () => {
  test('each count is of its own pods', () => {
    const model = midway(2, 3, { replicas: 6 }, { partition: '30%' });
    model.pods = model.pods.map((pod) => {
      if (pod.metadata.name === 'n0') return broken(pod, model.now);
      if (pod.metadata.name !== 'n1') return pod;
      const labels = { ...pod.metadata.labels, 'lifecycle.apps.kruise.io/state': 'PreparingNormal' };
      return { ...pod, metadata: { ...pod.metadata, labels } };
    });
    expect(status(model)).toMatchObject({
      observedGeneration: 1,
      replicas: 5,
      readyReplicas: 4,
      availableReplicas: 3,
      updatedReplicas: 3,
      updatedReadyReplicas: 2,
      updatedAvailableReplicas: 1,
      expectedUpdatedReplicas: 4,
      currentRevision: model.revisions[0]?.metadata.name,
      updateRevision: model.revisions[1]?.metadata.name,
      labelSelector: 'app=web',
    });
  });

  test('finished and terminating pods do not count', () => {
    const model = midway(0, 3, { replicas: 3 });
    model.pods = model.pods.map((pod, i) => {
      if (i === 0) return { ...pod, status: { ...pod.status, phase: 'Failed' } };
      return i === 1 ? { ...pod, metadata: { ...pod.metadata, deletionTimestamp: timestamp(NOON) } } : pod;
    });
    expect(status(model)).toMatchObject({ replicas: 1, updatedReplicas: 1 });
  });

  test.each([
    ['99%', 4, 1],
    ['100%', 4, 0],
    [9, 4, 0],
    [0, 4, 4],
  ])('partition %s of %i: %i are expected (CS-5)', (partition, replicas, expected) => {
    expect(status(midway(4, 0, { replicas }, { partition })).expectedUpdatedReplicas).toBe(expected);
  });

  test('0 of 0 pods makes no revision stable (K24)', () => {
    const model = midway(0, 0, { replicas: 0 });
    const { currentRevision, updateRevision } = status(model);
    expect(currentRevision).not.toBe(updateRevision);
  });

  test('minReadySeconds: ready at once, available later, and reconciled then', () => {
    const model = midway(0, 1, { replicas: 1, minReadySeconds: 60 });
    model.now = NOON - 3_500_000 + 30_000;
    expect(status(model)).toMatchObject({ readyReplicas: 1, availableReplicas: 0 });
    const at = model.decide().requeueAt ?? 0;
    expect(at).toBeGreaterThan(NOON - 3_500_000 + 60_000);
    model.now = at;
    expect(status(model)).toMatchObject({ availableReplicas: 1 });
  });
});

test('of several times the earliest one counts', () => {
  const model = midway(0, 1, { replicas: 1, minReadySeconds: 60, progressDeadlineSeconds: 600 });
  model.now = NOON - 3_500_000 + 30_000;
  expect(model.decide().requeueAt).toBe(NOON - 3_500_000 + 60_001);
  model.now = NOON - 3_500_000 + 61_000;
  expect(model.decide().requeueAt).toBe(model.now + 601_000);
});

describe('Progressing (CS-10, CS-37, CS-38)', () => {
  const deadline = { progressDeadlineSeconds: 60 };

  test.each([
    ['not set', {}],
    ['two billion', { progressDeadlineSeconds: 2147483647 }],
  ])('there is none when the deadline is %s (CS-38)', (_, spec) => {
    expect(progressing(midway(2, 3, spec))).toBeUndefined();
  });

  const cases: [string, Model, string, string][] = [
    ['under way', midway(2, 3, deadline), 'True', 'CloneSetUpdated'],
    ['paused', midway(2, 3, deadline, { paused: true }), 'True', 'CloneSetPaused'],
    [
      'its partition is reached',
      midway(2, 3, deadline, { partition: 2 }),
      'True',
      'ProgressPartitionAvailable',
    ],
    ['its partition is not reached', midway(3, 2, deadline, { partition: 2 }), 'True', 'CloneSetUpdated'],
  ];
  test.each(cases)('%s', (_, model, is, reason) => {
    expect(progressing(model)).toMatchObject({ status: is, reason });
  });

  test('available when everything is there and complete', () => {
    const model = midway(0, 5, deadline);
    const look = model.snapshot();
    look.complete(look.rollout.liveHash, undefined).forEach((action) => model.apply(action));
    expect(progressing(model)).toMatchObject({
      status: 'True',
      reason: 'CloneSetAvailable',
      message: 'CloneSet is available',
    });
  });

  /** Writes the status back and advances the time, as the runtime does. */
  function later(model: Model, seconds: number) {
    model.target = { ...model.target, status: status(model) };
    model.now += seconds * 1000;
    return progressing(model);
  }

  test('the deadline: reconciled when it passes, and then exceeded for good (CS-37)', () => {
    const model = midway(2, 3, deadline);
    model.target = { ...model.target, status: status(model) };
    expect(model.decide().requeueAt).toBe(NOON + 61_000);
    expect(later(model, 60)?.reason).toBe('CloneSetUpdated');
    const exceeded = later(model, 1);
    expect(exceeded).toMatchObject({
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: `CloneSet revision ${model.revisions[1]?.metadata.name ?? ''} has timed out progressing`,
    });
    expect(later(model, 3600)).toMatchObject({
      reason: 'ProgressDeadlineExceeded',
      lastTransitionTime: exceeded?.lastTransitionTime,
      lastUpdateTime: exceeded?.lastUpdateTime,
    });
  });

  test('time spent paused is not counted (A13)', () => {
    const model = midway(2, 3, deadline, { paused: true });
    later(model, 3600);
    const spec = model.target['spec'] as { updateStrategy: JsonObject };
    model.target = {
      ...model.target,
      spec: { ...spec, updateStrategy: { ...spec.updateStrategy, paused: false } },
    };
    expect(progressing(model)?.reason).toBe('CloneSetUpdated');
    expect(later(model, 59)?.reason).toBe('CloneSetUpdated');
    expect(later(model, 2)?.reason).toBe('ProgressDeadlineExceeded');
  });

  test('only another status moves lastTransitionTime, another reason moves lastUpdateTime', () => {
    const model = midway(2, 3, deadline);
    later(model, 30);
    const spec = model.target['spec'] as { updateStrategy: JsonObject };
    model.target = {
      ...model.target,
      spec: { ...spec, updateStrategy: { ...spec.updateStrategy, paused: true } },
    };
    expect(progressing(model)).toMatchObject({
      reason: 'CloneSetPaused',
      lastTransitionTime: timestamp(NOON),
      lastUpdateTime: timestamp(NOON + 30_000),
    });
  });

  test('held: the status has the reason, and the deadline does not pass', () => {
    const model = midway(2, 3, deadline);
    model.decide();
    const look = model.snapshot();
    const decision = look.decide(
      wholeEnvelope({ goal: look.rollout.stable, stable: look.rollout.stable, moving: false }),
      { reason: 'NoPlan', message: 'run kruise plan' },
      new Set(),
    );
    expect((decision.status as CloneSetStatus).conditions).toMatchObject([
      { type: 'Progressing', reason: 'CloneSetPaused' },
      { type: 'plan.kruise.io/Held', status: 'True', reason: 'NoPlan', message: 'run kruise plan' },
    ]);
  });
});
