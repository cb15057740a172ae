import { describe, expect, test } from 'vitest';
import { envelopeOf } from '../../../semantics/plan/envelope-of.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { view } from '../plan/rollout.ts';
import { actions, change, interrupted, midway, OLD } from './midway.ts';
import { broken, catchUp, imageOf, type Model } from './model.ts';

const asks = { 'plan.kruise.io/partition-rollback': 'true' };
const auto: Partial<Envelope> = { ownStrategy: true };

/** Three old and five new of eight, and the partition is raised to six meanwhile. */
function raised(strategy: JsonObject, annotations: Record<string, string> = asks): Model {
  const model = midway(3, 5, { spec: { replicas: 8 }, strategy: { partition: 6, ...strategy } });
  model.target = { ...model.target, metadata: { ...model.target.metadata, annotations } };
  return model;
}

describe('a partition that is raised in the middle (OpenKruise cloneset, rule 6.3, cases 24 to 26; CS-30)', () => {
  test('reverts as many pods as the limit allows, in place', () => {
    const model = raised({ maxUnavailable: 2 });
    expect(actions(model, auto)).toEqual(['drain n0', 'drain n1']);
    for (let i = 0; i < 8; i++) {
      model.run(auto, 3);
      model.pods = model.pods.map((pod) => catchUp(pod, model.now));
    }
    expect(model.pods.filter((pod) => imageOf(pod) === OLD)).toHaveLength(6);
    expect(actions(model, auto)).toEqual([]);
  });

  test('has no effect without the annotation, as in OpenKruise by default', () => {
    expect(actions(raised({ maxUnavailable: 2 }, {}), auto)).toEqual([]);
    const no = { 'plan.kruise.io/partition-rollback': 'false' };
    expect(actions(raised({ maxUnavailable: 2 }, no), auto)).toEqual([]);
  });

  test('has no effect under a plan', () => {
    expect(actions(raised({ maxUnavailable: 2 }))).toEqual([]);
  });

  test('has no effect when the update revision is stable already', () => {
    const model = raised({ maxUnavailable: 2 });
    const { liveHash } = model.snapshot().rollout;
    expect(actions(model, { ...auto, stable: liveHash })).toEqual([]);
  });

  test('with surge the extra pods are old ones', () => {
    const texts = actions(raised({ maxUnavailable: 0, maxSurge: 2 }), auto);
    expect(texts.map((text) => text.replace(/^create \S+/, 'create'))).toEqual([
      `create ${OLD}`,
      `create ${OLD}`,
    ]);
  });

  test('broken new pods first, and they use up nothing of the limit; broken old ones do', () => {
    const model = raised({ maxUnavailable: 2 });
    change(model, 'n3', (pod) => broken(pod, model.now));
    expect(actions(model, auto)).toEqual(['drain n3', 'drain n0']);
    change(model, 'o0', (pod) => broken(pod, model.now));
    change(model, 'o1', (pod) => broken(pod, model.now));
    expect(actions(model, auto)).toEqual([]);
  });

  test('a pod that was drained for it stays first in line', () => {
    const model = raised({ maxUnavailable: 1 });
    interrupted(model, auto);
    expect(actions(model, auto)).toEqual(['update in place n0']);
  });
});

test('only Auto without a plan reverts pods by partition', () => {
  const input = {
    view: view(),
    accepted: undefined,
    blocked: undefined,
    pending: new Map(),
    verdict: undefined,
    plans: [],
    now: 0,
  };
  expect(envelopeOf({ ...input, policy: 'Auto' }).envelope.ownStrategy).toBe(true);
  expect(envelopeOf({ ...input, policy: 'Required' }).envelope.ownStrategy).toBe(undefined);
});
