import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Expected, Parts, Shown } from './expected.ts';

const complete = {
  observedGeneration: 2,
  matchedPods: 500,
  updatedPods: 500,
  readyPods: 500,
  updatedReadyPods: 500,
  latestRevision: 'log-2',
  collisionCount: 0,
};
const updated = (count: number): JsonObject => ({ updatedPods: count, updatedReadyPods: count });

const strategy = (fields: JsonObject): JsonObject => ({ updateStrategy: fields });

function shown(count: number): Pick<Shown, 'columns' | 'counts'> {
  return { columns: [`${count}/500`, '500/500'], counts: `${count}/500 updated, 500/500 ready` };
}

/** 90 % of 500 pods are retained. */
const partitioned = (count: number): Parts => ({
  spec: strategy({ partition: '90%' }),
  status: updated(count),
});
const selected: Parts = {
  spec: strategy({ selector: { matchLabels: { canary: 'true' } } }),
  status: updated(20),
};
const notUpdated: Parts = { spec: strategy({ type: 'NotUpdate' }), status: updated(20) };
const paused: Parts = { spec: strategy({ paused: true }), status: updated(20) };

const set = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: 'log' },
  spec: { selector: { matchLabels: { app: 'web' } }, containers: [{ name: 'log', image: 'log:1' }] },
};

/** Units are pods of other owners, and a partition counts those that wait (OpenKruise sidecarset, rule 6.8.3). */
export const sidecarSets: Expected = {
  target: ({ spec, status } = {}) => ({
    ...set,
    metadata: { name: 'log', uid: 'of-log', generation: 2, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { ...set.spec, ...spec },
    status: { ...complete, ...status },
  }),
  shown: {
    complete: { verdict: 'done', ...shown(500), waitingOn: '', message: '' },
    'it matches no pod': {
      status: { matchedPods: 0, updatedPods: 0, readyPods: 0, updatedReadyPods: 0 },
      verdict: 'done',
      columns: ['0/0', '0/0'],
      counts: '0/0 updated, 0/0 ready',
      waitingOn: '',
      message: '',
    },
    'updated as far as its partition allows': {
      ...partitioned(50),
      verdict: 'done',
      ...shown(50),
      waitingOn: 'Bound',
      message: 'its partition retains 450 of 500 pods on the old revision; lower it in git to continue',
    },
    'on its way': { ...partitioned(49), verdict: 'underway', ...shown(49), waitingOn: '', message: '' },
    'its selector selects some': {
      ...selected,
      verdict: 'underway',
      ...shown(20),
      waitingOn: 'Selector',
      message:
        'its selector may retain some of 480 of 500 pods that are not updated: the status does not count those that it selects',
    },
    paused: {
      ...paused,
      verdict: 'underway',
      ...shown(20),
      waitingOn: 'TargetPaused',
      message: 'paused is true in its manifest: 480 of 500 pods are not updated; set it to false in git',
    },
    'it updates no running pod': {
      ...notUpdated,
      verdict: 'underway',
      ...shown(20),
      waitingOn: 'OnDelete',
      message:
        'its strategy is NotUpdate: 480 of 500 pods are updated when you delete them, kubectl delete pod -n NAMESPACE NAME',
    },
    'not observed': {
      status: { observedGeneration: 1 },
      verdict: 'underway',
      ...shown(500),
      waitingOn: '',
      message: '',
    },
  },
  breakGlass: {
    'most pods have not the change': {
      status: updated(20),
      now: '480 pods are updated now, as far as the change applies in place',
    },
    'one pod has not': {
      status: updated(499),
      now: '1 pod is updated now, as far as the change applies in place',
    },
    complete: { now: 'no pod is updated now' },
    'its partition is reached': { ...partitioned(50), now: 'no pod is updated now' },
    'its partition allows 30 more': {
      ...partitioned(20),
      now: '30 pods are updated now, as far as the change applies in place',
    },
    'its selector selects some': {
      ...selected,
      now: 'of 480 pods those are updated now that its selector selects, as far as the change applies in place',
    },
    paused: { ...paused, now: '480 pods are updated once paused is false in its manifest' },
    'it updates no running pod': {
      ...notUpdated,
      now: 'no running pod is updated, and new pods get the change',
    },
    'not observed': { status: { observedGeneration: 1 }, now: 'the number of pods to update is unknown' },
  },
  failures: [
    {
      condition: {
        type: 'plan.kruise.io/PodsMissed',
        status: 'True',
        reason: 'NotInjected',
        message: '2 pods have none of its containers',
      },
      parts: { status: updated(20) },
      waitingOn: 'PodsMissed',
    },
    {
      condition: {
        type: 'plan.kruise.io/HotUpgrade',
        status: 'True',
        reason: 'Failed',
        message: 'Failed: shop/web-1',
      },
      parts: { status: updated(20) },
      waitingOn: 'HotUpgrade',
    },
  ],
  unobserved: [{}, { observedGeneration: 1 }, { matchedPods: 0, updatedPods: 0, readyPods: 0 }],
  shadow: [
    {
      theirs: { ...complete, updatedPods: 3, updatedReadyPods: 3 },
      ours: { ...complete, updatedPods: 9, updatedReadyPods: 9 },
      differences: ['status.updatedPods is 3; expected: 9', 'status.updatedReadyPods is 3; expected: 9'],
    },
    {
      theirs: { ...complete, matchedPods: 1, readyPods: 0 },
      ours: { ...complete, matchedPods: 2, readyPods: 2 },
      differences: ['status.matchedPods is 1; expected: 2', 'status.readyPods is 0; expected: 2'],
    },
    // Revisions of a set are in the namespace of whoever manages it.
    { theirs: complete, ours: { ...complete, latestRevision: 'log-1', collisionCount: 1 }, differences: [] },
  ],
  refused: {
    'an update in place': {
      objects: [
        { plural: 'sidecarsets', object: set },
        {
          plural: 'pods',
          object: {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: 'web-1', namespace: 'shop', labels: { app: 'web' } },
            spec: { containers: [{ name: 'nginx', image: 'nginx:1' }] },
          },
        },
      ],
      change: { containers: [{ name: 'log', image: 'log:2' }] },
      of: { verb: 'patch', plural: 'pods' },
      conditions: ['plan.kruise.io/Held'],
    },
  },
};
