import { describe, expect, test } from 'vitest';
import type { CloneSetStatus } from '../../../schemas/generated/types/cloneset.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { RefusedPod } from '../../../semantics/plan/rollout-context.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { midway } from '../cloneset/midway.ts';
import {
  broken,
  createModel,
  historyOf,
  type Model,
  NOON,
  runningPod,
  template,
  wholeEnvelope,
} from '../cloneset/model.ts';

/** The decision if the server has refused a pod, and if the target is held. */
function decided(model: Model, refused?: RefusedPod, held?: { reason: string; message: string }) {
  model.decide();
  const look = model.snapshot();
  const { stable, liveHash } = look.rollout;
  const decision = look.decide(
    wholeEnvelope({ goal: liveHash, stable }),
    held,
    new Set(),
    refused && [refused],
  );
  return { ...decision, status: decision.status as CloneSetStatus };
}

const refusal = (reason: RefusedPod['reason']): RefusedPod => ({
  reason,
  message: `no: ${reason}`,
  revision: undefined,
});

describe('FailedScale and FailedUpdate', () => {
  test.each([
    ['NoCapacity', 'FailedScale'],
    ['FailedCreate', 'FailedScale'],
    ['FailedDelete', 'FailedScale'],
    ['FailedUpdate', 'FailedUpdate'],
  ] as const)('%s is %s: True, the error, no reason', (reason, type) => {
    const { conditions } = decided(midway(0, 3, { spec: { replicas: 3 } }), refusal(reason)).status;
    expect(conditions).toEqual([
      { type, status: 'True', message: `no: ${reason}`, lastTransitionTime: timestamp(NOON) },
    ]);
  });

  test('it stays with its time as long as a write is refused, and no longer', () => {
    const model = midway(0, 3, { spec: { replicas: 3, progressDeadlineSeconds: 60 } });
    const held = { reason: 'FailedCreate', message: 'no' };
    model.target = { ...model.target, status: decided(model, refusal('FailedCreate'), held).status };
    model.now += 60_000;
    const { conditions } = decided(model, { ...refusal('FailedCreate'), message: 'still not' }, held).status;
    expect(conditions?.map(({ type }) => type)).toEqual([
      'Progressing',
      'FailedScale',
      'plan.kruise.io/Held',
    ]);
    expect(conditions?.[1]).toMatchObject({ message: 'still not', lastTransitionTime: timestamp(NOON) });
    expect(decided(model).status.conditions?.map(({ type }) => type)).toEqual(['Progressing']);
  });

  test('InPlaceOnly and an environment that changed: pods stay, and the status has the reason (CS-33)', () => {
    const model = historyOf(['web:1'], {
      strategy: { type: 'InPlaceOnly' },
      spec: { replicas: 2 },
      stable: 'web:1',
    });
    model.pods = ['b', 'a'].map((name) => runningPod(model, 'web:1', name));
    model.setTemplate(template('web:1', { env: [{ name: 'A', value: '1' }] }));
    const { actions, status } = decided(model);
    expect(actions).toEqual([]);
    const live = model.revisions.at(-1)?.metadata.name ?? '';
    expect(status.conditions).toEqual([
      {
        type: 'FailedUpdate',
        status: 'True',
        message: `pod a cannot be updated in place to ${live}, and podUpdatePolicy is InPlaceOnly`,
        lastTransitionTime: timestamp(NOON),
      },
    ]);
    model.setTemplate(template('web:1'));
    expect(decided(model).status.conditions).toBeUndefined();
  });

  test('a pod that cannot be updated is reported as long as that is so, whatever else is done', () => {
    const model = historyOf(['web:1'], {
      strategy: { type: 'InPlaceOnly' },
      spec: { replicas: 2, progressDeadlineSeconds: 600 },
      stable: 'web:1',
    });
    model.pods = ['b', 'a'].map((name) => runningPod(model, 'web:1', name));
    model.setTemplate(template('web:1', { env: [{ name: 'A', value: '1' }] }));
    const shown = decided(model).status.conditions;
    // A reconcile that creates a pod, and the next one, which counts it, evaluate no updates.
    model.pods = model.pods.slice(1);
    for (const verb of ['create', 'annotate revision']) {
      model.target = { ...model.target, status: { conditions: shown } };
      model.now += 1_000;
      const next = decided(model);
      expect([next.actions.map((action) => action.verb), next.status.conditions]).toEqual([[verb], shown]);
      next.actions.forEach((action) => model.apply(action));
    }
    expect(shown?.map(({ type }) => type)).toEqual(['Progressing', 'FailedUpdate']);
  });
});

describe('ScaleUpLimited', () => {
  test.each([
    ['case 2', 2, 'creates 1 of 3 missing pods now: scaleStrategy.maxUnavailable'],
    ['case 3', 1, 'creates 0 of 3 missing pods now: scaleStrategy.maxUnavailable'],
    ['no limit is met', 20, undefined],
  ])('%s', (_case, maxUnavailable, message) => {
    const model = midway(0, 7, { spec: { replicas: 10, scaleStrategy: { maxUnavailable } } });
    model.pods = model.pods.map((pod, i) => (i === 0 ? broken(pod, model.now) : pod));
    expect(decided(model).events ?? []).toEqual(
      message === undefined ? [] : [{ type: 'Warning', reason: 'ScaleUpLimited', message }],
    );
  });
});

describe('collisionCount', () => {
  const named = (object: KubeObject, name: string): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, name },
  });
  const nameOf = (model: Model): string => {
    const [action] = model.snapshot().revise();
    return action?.do === 'create' ? action.object.metadata.name : '';
  };
  /** A model whose revision had this many collisions of its name. */
  function collided(times: number, status: JsonObject = {}): { model: Model; names: string[] } {
    const model = createModel({ status });
    const [other] = historyOf(['web:9']).revisions;
    const names: string[] = [];
    for (let i = 0; i < times; i++) {
      names.push(nameOf(model));
      model.revisions = names.map((name) => named(other as KubeObject, name));
    }
    model.decide();
    return { model, names };
  }

  test.each([
    [0, undefined],
    [1, 1],
    [2, 2],
  ])('%i names were taken: it is %s', (times, count) => {
    expect(decided(collided(times).model).status.collisionCount).toBe(count);
  });

  test('it is retained, and the next name starts with it', () => {
    const { model, names } = collided(0, { collisionCount: 1 });
    expect(decided(model).status.collisionCount).toBe(1);
    expect(names).toEqual([]);
    const first = collided(1);
    expect(model.revisions[0]?.metadata.name).toBe(
      first.model.revisions.map((r) => r.metadata.name).find((name) => !first.names.includes(name)),
    );
  });
});
