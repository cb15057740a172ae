import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { cloneSetKind } from '../../../semantics/cloneset/kind.ts';
import { observeHeld } from '../../../semantics/reconcile/observe-held.ts';
import { recordedOf, underRecorded } from '../../../semantics/limits/recorded.ts';
import { sidecarSetKind } from '../../../semantics/sidecarset/kind.ts';
import { statefulSetKind } from '../../../semantics/statefulset/kind.ts';
import type { Command } from '../../../semantics/plan/advance-input.ts';
import { parseSnapshot, snapshotObject } from '../../../semantics/plan/memory.ts';
import { accepted, command, NOW, spec } from '../plan/rollout.ts';

const priorities = (weight: number): JsonObject => ({
  weightPriority: [{ weight, matchSelector: { matchLabels: { a: 'b' } } }],
});

function target(strategy: JsonObject, more: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name: 'web', namespace: 'shop', uid: 'u' },
    spec: {
      ...more,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } } },
      updateStrategy: { rollingUpdate: strategy },
    },
  };
}

const { limits } = cloneSetKind;
const before = target({ maxUnavailable: 1, priorityStrategy: priorities(1) }, { minReadySeconds: 30 });

describe('what holds until the plan ends', () => {
  test('the limits after defaults, the order and minReadySeconds are recorded', () => {
    expect(recordedOf(limits, before)).toEqual({
      limits: { maxUnavailable: 1, maxSurge: 0 },
      order: { 'spec.updateStrategy.rollingUpdate.priorityStrategy': priorities(1) },
      minReadySeconds: 30,
    });
  });

  test.each<[string, KubeObject, JsonObject, seconds: number]>([
    [
      'another order',
      target({ priorityStrategy: priorities(2) }, { minReadySeconds: 30 }),
      { priorityStrategy: priorities(1) },
      30,
    ],
    [
      'an order that is removed',
      target({}, { minReadySeconds: 30 }),
      { priorityStrategy: priorities(1) },
      30,
    ],
    [
      'another kind of order',
      target({ scatterStrategy: [{ key: 'a', value: 'b' }] }, { minReadySeconds: 30 }),
      { priorityStrategy: priorities(1) },
      30,
    ],
    [
      'fewer seconds',
      target({ priorityStrategy: priorities(1) }, { minReadySeconds: 5 }),
      { priorityStrategy: priorities(1) },
      30,
    ],
    [
      'more seconds',
      target({ priorityStrategy: priorities(1) }, { minReadySeconds: 50 }),
      { priorityStrategy: priorities(1) },
      50,
    ],
    [
      'a loosened limit stays as it is',
      target({ maxUnavailable: 9 }),
      { maxUnavailable: 9, priorityStrategy: priorities(1) },
      30,
    ],
  ])('%s', (_, after, rollingUpdate, seconds) => {
    const held = underRecorded(limits, after, recordedOf(limits, before));
    expect(held['spec']).toMatchObject({ updateStrategy: { rollingUpdate }, minReadySeconds: seconds });
    expect(
      (held['spec'] as { updateStrategy: { rollingUpdate: object } }).updateStrategy.rollingUpdate,
    ).toEqual(rollingUpdate);
    expect(underRecorded(limits, after, recordedOf(limits, before))).toBe(held);
  });

  test('nothing differs: the same object', () => {
    expect(underRecorded(limits, before, recordedOf(limits, before))).toBe(before);
  });

  test('an order that is too long is not recorded', () => {
    const scatterStrategy = Array.from({ length: 400 }, (_, n) => ({
      key: `key-${n}`,
      value: 'v'.repeat(40),
    }));
    expect(recordedOf(limits, target({ scatterStrategy })).order).toBeUndefined();
  });

  test('a StatefulSet keeps how it is ordered', () => {
    const of = (rollingUpdate: JsonObject): KubeObject => ({
      ...target(rollingUpdate),
      kind: 'StatefulSet',
    });
    const recorded = recordedOf(statefulSetKind.limits, of({ unorderedUpdate: {}, minReadySeconds: 7 }));
    const held = underRecorded(statefulSetKind.limits, of({ minReadySeconds: 3 }), recorded);
    expect(held['spec']).toMatchObject({
      updateStrategy: { rollingUpdate: { unorderedUpdate: {}, minReadySeconds: 7 } },
    });
  });
});

test.each([
  ['Running', 30],
  ['Halted', 30],
  ['Reverting', 30],
  ['Succeeded', 5],
  ['Aborted', 5],
] as const)(
  'a plan that is %s: pods are judged by %i seconds, and the next plan records the manifest',
  (phase, seconds) => {
    const after = target({ priorityStrategy: priorities(2) }, { minReadySeconds: 5 });
    const memory = [accepted(spec(), { phase, recorded: recordedOf(limits, before) })];
    const objects = { target: after, pods: [], revisions: [], takenNames: new Set<string>(), now: NOW };
    const { rollout } = observeHeld(cloneSetKind, objects, memory);
    expect(rollout.minReadySeconds).toBe(seconds);
    expect(rollout.limits.recorded()).toEqual(recordedOf(limits, after));
  },
);

test('under break glass the manifest holds alone: its order and its minReadySeconds', () => {
  const after = target({ priorityStrategy: priorities(2) }, { minReadySeconds: 5 });
  const memory = [accepted(spec(), { recorded: recordedOf(limits, before) })];
  const objects = { target: after, pods: [], revisions: [], takenNames: new Set<string>(), now: NOW };
  const secondsUnder = (breakGlass: Command | undefined): number =>
    observeHeld(cloneSetKind, objects, memory, breakGlass).rollout.minReadySeconds;
  expect([secondsUnder(undefined), secondsUnder(command('BreakGlass'))]).toEqual([30, 5]);
});

const hash = `h1:${'a'.repeat(32)}`;
const plan = spec({ to: { hash, bound: {} }, from: [], digest: hash });

test.each<[string, JsonObject, JsonObject]>([
  ['a usual limit', { maxUnavailable: 1 }, {}],
  ['a negative limit', { maxUnavailable: -1 }, {}],
  ['a limit that is no exact number', { maxSurge: 2 ** 63 }, {}],
  ['negative seconds', {}, { minReadySeconds: -1 }],
])('a record with %s is read as it was written', (_, strategy, more) => {
  const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid: 'u' };
  const { progress } = accepted(plan, { recorded: recordedOf(limits, target(strategy, more)) });
  const object = snapshotObject({ name: 'web', namespace: 'shop', owner }, plan, progress);
  expect(parseSnapshot(object)?.progress.recorded).toEqual(progress.recorded);
});

test('a deadline that is lowered with minReadySeconds leaves pods the seconds that are held', () => {
  const after = target({}, { minReadySeconds: 5, progressDeadlineSeconds: 20 });
  const memory = [accepted(spec(), { recorded: recordedOf(limits, before) })];
  const objects = { target: after, pods: [], revisions: [], takenNames: new Set<string>(), now: NOW };
  const { rollout } = observeHeld(cloneSetKind, objects, memory);
  expect([rollout.minReadySeconds, rollout.progressDeadlineSeconds]).toEqual([30, 45]);
  expect(observeHeld(cloneSetKind, objects, []).rollout.progressDeadlineSeconds).toBe(20);
});

test('an order that is invalid is found in the manifest, not in what is held', () => {
  const set = (weightPriority: JsonObject[]): KubeObject => ({
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'SidecarSet',
    metadata: { name: 'log', uid: 'u' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      updateStrategy: { priorityStrategy: { weightPriority } },
      containers: [{ name: 'log', image: 'log:1' }],
    },
  });
  const valid = set([{ weight: 1, matchSelector: { matchLabels: { a: 'b' } } }]);
  const memory = [accepted(spec(), { recorded: recordedOf(sidecarSetKind.limits, valid) })];
  const invalidIn = (manifest: KubeObject): string[] => {
    const objects = { target: manifest, pods: [], revisions: [], takenNames: new Set<string>(), now: NOW };
    return observeHeld(sidecarSetKind, objects, memory).rollout.invalid;
  };
  expect(invalidIn(valid)).toEqual([]);
  expect(invalidIn(set([{ weight: 1, matchSelector: {} }]))).toHaveLength(1);
});
