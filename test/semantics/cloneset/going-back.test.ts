import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import { IN_PLACE_STATE_ANNOTATION, LIFECYCLE_LABEL, type Pod } from '../../../semantics/pod/types.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { actions, change, made, mark, midway, OLD } from './midway.ts';
import { broken, type Model, NOON, template, withCondition } from './model.ts';

const old = templateHash(template(OLD));

test.each<[string, string[], string[]]>([
  ['nobody', [], ['drain n0', 'drain n1']],
  ['one of them', ['uid-n0'], ['drain n0', 'drain n1', 'drain n2']],
  ['both', ['uid-n0', 'uid-n1'], ['drain n0', 'drain n1', 'drain n2', 'drain n3']],
])('in a revert, pods that were broken before block no others: %s of two was', (_, before, expected) => {
  const model = midway(0, 5, { strategy: { maxUnavailable: 2 } });
  for (const name of ['n0', 'n1']) change(model, name, (pod) => broken(pod, model.now));
  const envelope = { goal: old, stable: old, obeyPartition: false, back: { broken: before } };
  expect(actions(model, envelope)).toEqual(expected);
});

/** The pod was ready, and has broken a minute ago. */
function breaks(pod: Pod, now: number): Pod {
  const begun = {
    type: 'Initialized',
    status: 'True',
    lastTransitionTime: timestamp(now - 7_200_000),
  } as const;
  const gate = {
    type: 'InPlaceUpdateReady',
    status: 'True',
    lastTransitionTime: begun.lastTransitionTime,
  } as const;
  return broken(withCondition(withCondition(pod, begun), gate), now - 60_000);
}

/** The pods of `midway` were there when the step started. */
const since = { stepSince: NOON - 3_600_000 };
const back = { goal: old, stable: old, obeyPartition: false, back: { broken: [], since } };

const withAnnotations = (pod: Pod, annotations: Record<string, string>): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...annotations } },
});

/** What else there is about a pod that breaks, by name. */
const HOW: Record<string, (pod: Pod) => Pod> = {
  'was there all along': (pod) => pod,
  'was never ready': (pod) => broken(pod, NOON - 7_200_000),
  'was taken back, made anew': (pod) => ({
    ...pod,
    metadata: { ...pod.metadata, creationTimestamp: timestamp(NOON - 300_000) },
  }),
  'was taken back in place': (pod) =>
    withAnnotations(pod, {
      [IN_PLACE_STATE_ANNOTATION]: JSON.stringify({
        revision: 'web-1',
        updateTimestamp: timestamp(NOON - 300_000),
        lastContainerStatuses: {},
      }),
    }),
  'is being updated': (pod) => ({
    ...pod,
    metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, [LIFECYCLE_LABEL]: 'Updating' } },
  }),
  'has a sidecar that another updater has begun to change': (pod) => ({
    ...pod,
    status: {
      ...pod.status,
      containerStatuses: [
        ...(pod.status?.containerStatuses ?? []).map((each) => ({ ...each, ready: true })),
        { name: 'log', ready: false, restartCount: 0 },
      ],
    },
  }),
};

test.each<[string, Record<string, string>, Partial<Envelope>, string[]]>([
  ['one of five', { o0: 'was there all along' }, back, ['drain n0']],
  ['two of five', { o0: 'was there all along', o1: 'was there all along' }, back, []],
  ['nothing goes back', { o0: 'was there all along' }, { ...back, back: undefined }, []],
  ['nobody knows when it began', { o0: 'was there all along' }, { ...back, back: { broken: [] } }, []],
  ...Object.keys(HOW)
    .slice(1)
    .map((how): [string, Record<string, string>, Partial<Envelope>, string[]] => [
      how,
      { o0: how },
      back,
      [],
    ]),
])('in a revert, a pod that breaks by itself blocks no others: %s', (_what, names, envelope, expected) => {
  const model = midway(3, 2, { strategy: { maxUnavailable: 1 } });
  for (const [name, how] of Object.entries(names))
    change(model, name, (pod) => HOW[how]?.(breaks(pod, model.now)) ?? pod);
  const drained = actions(model, envelope).filter((text) => text.startsWith('drain'));
  expect(drained).toEqual(expected);
});

test.each([1, 5, 10])('of 100 pods %i that were taken back and crash hold the others', (crashed) => {
  const model = midway(50, 50, {
    spec: { replicas: 100, minReadySeconds: 300 },
    strategy: { maxUnavailable: 1 },
  });
  for (let n = 0; n < crashed; n++)
    change(model, `o${n}`, (pod) => HOW['was taken back, made anew']?.(breaks(pod, model.now)) ?? pod);
  expect(actions(model, back)).toEqual([]);
});

describe('beside a pod that breaks by itself', () => {
  const beside = (strategy: JsonObject, spec: JsonObject = {}): Model => {
    const model = midway(3, 2, { spec, strategy: { maxUnavailable: 1, ...strategy } });
    change(model, 'o0', (pod) => breaks(pod, model.now));
    return model;
  };

  test('one that a user marks stays', () => {
    const model = beside({});
    mark(model, 'o1', { 'apps.kruise.io/specified-delete': 'true' });
    expect(actions(model, back).filter((text) => text.startsWith('delete'))).toEqual([]);
  });

  test('those that are made anew are marked, deleted and created', () => {
    const model = beside({ type: 'ReCreate' }, { scaleStrategy: { maxUnavailable: 1 } });
    expect(actions(model, back)).toEqual(['mark for recreation n0']);
    mark(model, 'n0', { 'apps.kruise.io/specified-delete': 'recreate' });
    expect(actions(model, back)).toEqual(['delete n0']);
    model.pods = model.pods.filter(({ metadata }) => metadata.name !== 'n0');
    expect(made(actions(model, back))).toEqual([`create at ${OLD}`]);
  });
});
