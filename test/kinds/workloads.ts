import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { aisleKind, rackKind } from '../fixture-kind/kind.ts';
import { target as slots } from '../fixture-kind/world.ts';
import { cloneSet, templateOf } from '../runtime/stage.ts';
import type { Expected, Parts, Shown } from './expected.ts';

const complete = {
  observedGeneration: 2,
  replicas: 10,
  readyReplicas: 10,
  availableReplicas: 10,
  updatedReplicas: 10,
  updatedReadyReplicas: 10,
  updatedAvailableReplicas: 10,
  updateRevision: 'web-new',
  currentRevision: 'web-old',
};

/** A status in which so many of the ten pods have the change. */
const updated = (count: number, more: JsonObject = {}): JsonObject => ({
  updatedReplicas: count,
  updatedReadyReplicas: count,
  updatedAvailableReplicas: count,
  ...more,
});

/** The target with other parts, at generation 2. */
function withParts(object: KubeObject, status: JsonObject, parts: Parts = {}): KubeObject {
  return {
    ...object,
    metadata: {
      ...object.metadata,
      uid: 'of-web',
      generation: 2,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { ...(object['spec'] as JsonObject), ...parts.spec },
    status: { ...status, ...parts.status },
  };
}

const rolling = (fields: JsonObject): JsonObject => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: fields },
});
const onDelete = { updateStrategy: { type: 'OnDelete' } };

const nothing = { waitingOn: '', message: '' };

/** What is shown of so many updated pods of ten, all of them ready. */
function tenPods(count: number): Pick<Shown, 'columns' | 'counts'> {
  return {
    columns: [`${count}/10`, '10/10'],
    counts: `${count}/10 updated, 10/10 ready`,
  };
}

/** What CloneSet and StatefulSet have in common: pods of their own, and a partition. */
function ofPods(reached: Parts, beyond: Parts): Pick<Expected, 'shown' | 'breakGlass' | 'unobserved'> {
  return {
    shown: {
      complete: { verdict: 'done', ...tenPods(10), ...nothing },
      'updated as far as its partition allows': {
        ...reached,
        verdict: 'done',
        ...tenPods(3),
        waitingOn: 'Bound',
        message: 'its partition retains 7 of 10 pods on the old revision; lower it in git to continue',
      },
      'on its way to its partition': { ...beyond, verdict: 'underway', ...tenPods(1), ...nothing },
      'on its way': { status: updated(3), verdict: 'underway', ...tenPods(3), ...nothing },
      paused: {
        spec: rolling({ paused: true }),
        status: updated(3),
        verdict: 'underway',
        ...tenPods(3),
        waitingOn: 'TargetPaused',
        message: 'paused is true in its manifest: 7 of 10 pods are not updated; set it to false in git',
      },
      'updated by a user': {
        spec: onDelete,
        status: updated(3),
        verdict: 'underway',
        ...tenPods(3),
        waitingOn: 'OnDelete',
        message:
          'its strategy is OnDelete: 7 of 10 pods are updated when you delete them, kubectl delete pod -n shop NAME',
      },
      'not observed': {
        status: { observedGeneration: 1 },
        verdict: 'underway',
        ...tenPods(10),
        ...nothing,
      },
    },
    breakGlass: {
      'no pod has the change': { status: updated(0), now: '10 pods are updated now' },
      'one pod has not': { status: updated(9), now: '1 pod is updated now' },
      complete: { now: 'no pod is updated now' },
      'its partition is reached': { ...reached, now: 'no pod is updated now' },
      'its partition allows two more': { ...beyond, now: '2 pods are updated now' },
      paused: {
        spec: rolling({ paused: true }),
        status: updated(3),
        now: '7 pods are updated once paused is false in its manifest',
      },
      'updated by a user': {
        spec: onDelete,
        status: updated(3),
        now: '7 pods are updated when users delete them',
      },
      'not observed': { status: { observedGeneration: 1 }, now: 'the number of pods to update is unknown' },
    },
    unobserved: [{}, { observedGeneration: 1 }, { replicas: 0 }],
  };
}

const oneOfTheCounts = [
  {
    theirs: updated(3),
    ours: updated(9),
    differences: [
      'status.updatedReplicas is 3; expected: 9',
      'status.updatedReadyReplicas is 3; expected: 9',
    ],
  },
  {
    theirs: complete,
    ours: { ...complete, observedGeneration: 3, currentRevision: 'web-1' },
    differences: [],
  },
];

/** A refused pod, and a refused update in place, by the types of the conditions that report them. */
function refusedPods(
  plural: string,
  object: KubeObject,
  [ofNew, ofUpdate]: readonly [string, string],
): Expected['refused'] {
  const objects = [{ plural, object }];
  const held = 'plan.kruise.io/Held';
  return {
    'a new pod': { objects, of: { verb: 'create', plural: 'pods' }, conditions: [ofNew, held] },
    'an update in place': {
      objects,
      change: { template: templateOf('web', 'web:2') },
      of: { verb: 'patch', plural: 'pods' },
      conditions: [ofUpdate, held],
    },
  };
}

const failure = (type: string): JsonObject => ({ type, status: 'True', message: 'the server says no' });
const behind: Parts = { status: updated(3) };

const partitioned = (count: number): Parts => ({
  spec: rolling({ partition: 7 }),
  status: updated(count, { expectedUpdatedReplicas: 3 }),
});

export const cloneSets: Expected = {
  target: (parts) =>
    withParts(
      cloneSet('web', 'web:2', { replicas: 10 }),
      { ...complete, expectedUpdatedReplicas: 10 },
      parts,
    ),
  ...ofPods(partitioned(3), partitioned(1)),
  failures: [
    { condition: failure('FailedScale'), parts: behind, waitingOn: 'FailedScale' },
    { condition: failure('FailedUpdate'), parts: behind, waitingOn: 'FailedUpdate' },
  ],
  shadow: oneOfTheCounts,
  refused: refusedPods('clonesets', cloneSet('web', 'web:1'), ['FailedScale', 'FailedUpdate']),
};

function statefulSet(image: string, spec: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'StatefulSet',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      serviceName: 'web',
      template: templateOf('web', image),
      ...spec,
    },
  };
}

/** Its status has no number of the pods that the partition lets be updated. */
const inOrder = (count: number): Parts => ({
  spec: rolling({ partition: 7 }),
  status: updated(count),
});

export const statefulSets: Expected = {
  target: (parts) => withParts(statefulSet('web:2', { replicas: 10 }), complete, parts),
  ...ofPods(inOrder(3), inOrder(1)),
  failures: [
    { condition: failure('FailedCreatePod'), parts: behind, waitingOn: 'FailedCreatePod' },
    { condition: failure('FailedUpdatePod'), parts: behind, waitingOn: 'FailedUpdatePod' },
  ],
  shadow: oneOfTheCounts,
  refused: refusedPods(
    'statefulsets',
    statefulSet('web:1', rolling({ podUpdatePolicy: 'InPlaceIfPossible' })),
    ['FailedCreatePod', 'FailedUpdatePod'],
  ),
};

/** Slots that are made anew, without partition. */
function ofSlots(kind: typeof rackKind): Expected {
  const four = (count: number): JsonObject => ({
    ...{ replicas: 4, readyReplicas: 4, availableReplicas: 4 },
    ...updated(count),
  });
  const shownFour = (count: number): Pick<Shown, 'columns' | 'counts'> => ({
    columns: [`${count}/4`, '4/4'],
    counts: `${count}/4 updated, 4/4 ready`,
  });
  return {
    target: (parts) => withParts(slots(kind, 'db:2'), { ...complete, ...four(4) }, parts),
    shown: {
      complete: { verdict: 'done', ...shownFour(4), ...nothing },
      'on its way': { status: four(1), verdict: 'underway', ...shownFour(1), ...nothing },
      paused: {
        spec: { paused: true },
        status: four(1),
        verdict: 'underway',
        ...shownFour(1),
        waitingOn: 'TargetPaused',
        message: 'paused is true in its manifest: 3 of 4 slots are not updated; set it to false in git',
      },
    },
    breakGlass: {
      'three slots have not the change': { status: four(1), now: '3 slots are updated now' },
      complete: { now: 'no slot is updated now' },
      paused: {
        spec: { paused: true },
        status: four(3),
        now: '1 slot is updated once paused is false in its manifest',
      },
      'not observed': { status: { observedGeneration: 1 }, now: 'the number of slots to update is unknown' },
    },
    failures: [],
    unobserved: [{}, { observedGeneration: 1 }],
    shadow: oneOfTheCounts,
    refused: {
      'a new pod': {
        objects: [{ plural: kind.resource.plural, object: slots(kind, 'db:1') }],
        of: { verb: 'create', plural: 'pods' },
        conditions: ['plan.kruise.io/Held'],
      },
    },
  };
}

export const racks = ofSlots(rackKind);
export const aisles = ofSlots(aisleKind);
