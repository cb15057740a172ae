import type { JsonObject } from '../../schemas/wire/json.ts';
import { united } from '../runtime/united-world.ts';
import type { Expected } from './expected.ts';

const complete: JsonObject = {
  observedGeneration: 2,
  replicas: 10,
  readyReplicas: 10,
  updatedReplicas: 10,
  updatedReadyReplicas: 10,
  updatedRevision: 'web-new',
  currentRevision: 'web-old',
};

const updated = (count: number): JsonObject => ({ updatedReplicas: count, updatedReadyReplicas: count });

const nothing = { waitingOn: '', message: '' };

const tenPods = (count: number) => ({
  columns: [`${count}/10`, '10/10'] as const,
  counts: `${count}/10 updated, 10/10 ready`,
});

const paused: JsonObject = {
  template: {
    cloneSetTemplate: {
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'm', image: 'm' }] } },
        updateStrategy: { rollingUpdate: { paused: true } },
      },
    },
  },
};

/** Its units are the pods of its children (OpenKruise uniteddeployment, section 3): of these it has ready ones, and no available ones. */
export const unitedDeployments: Expected = {
  target({ spec, status } = {}) {
    const object = united();
    return {
      ...object,
      metadata: {
        ...object.metadata,
        uid: 'of-web',
        generation: 2,
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      spec: { ...(object['spec'] as JsonObject), ...spec },
      status: { ...complete, ...status },
    };
  },
  shown: {
    complete: { verdict: 'done', ...tenPods(10), ...nothing },
    'on its way': { status: updated(3), verdict: 'underway', ...tenPods(3), ...nothing },
    paused: {
      spec: paused,
      status: updated(3),
      verdict: 'underway',
      ...tenPods(3),
      waitingOn: 'TargetPaused',
      message: 'paused is true in its manifest: 7 of 10 pods are not updated; set it to false in git',
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
    paused: {
      spec: paused,
      status: updated(3),
      now: '7 pods are updated once paused is false in its manifest',
    },
    'not observed': { status: { observedGeneration: 1 }, now: 'the number of pods to update is unknown' },
  },
  failures: [],
  unobserved: [{}, { observedGeneration: 1 }, { replicas: 0 }],
  shadow: [
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
  ],
  refused: {
    'a new child': {
      objects: [{ plural: 'uniteddeployments', object: united() }],
      of: { verb: 'create', plural: 'clonesets' },
      conditions: ['plan.kruise.io/Held'],
    },
  },
};
