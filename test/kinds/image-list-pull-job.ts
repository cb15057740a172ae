import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ExpectedOfAny, Parts, Shown } from './expected.ts';

function target(parts: Parts = {}): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ImageListPullJob',
    metadata: { name: 'ahead', uid: 'of-ahead', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { images: ['web:1', 'db:1', 'cache:1'], completionPolicy: {}, ...parts.spec },
    status: { startTime: '2026-01-01T00:00:00Z', desired: 3, ...parts.status },
  };
}

const shown = (counts: string, verdict: Shown['verdict'] = 'done'): Shown => ({
  verdict,
  columns: ['', ''],
  counts,
  waitingOn: '',
  message: '',
});

const ended = (parts: JsonObject): JsonObject => ({
  ...{ completionTime: '2026-01-01T01:00:00Z', completed: 3, active: 0 },
  ...parts,
});

export const imageListPullJobs: ExpectedOfAny = {
  target,
  shown: {
    'on its way': {
      status: { active: 1, completed: 2, succeeded: 1 },
      ...shown('1 of 3 images are on every node', 'underway'),
    },
    done: { status: ended({ succeeded: 3 }), ...shown('3 of 3 images are on every node') },
    'with an image that a node does not get': {
      status: ended({ succeeded: 2, failedImageStatuses: [{ imagePullJob: 'x', name: 'db:1' }] }),
      ...shown('2 of 3 images are on every node', 'failed'),
      waitingOn: 'NotPulled',
      message: 'db:1',
    },
    held: {
      status: {
        conditions: [
          { type: 'plan.kruise.io/Held', status: 'True', reason: 'FailedCreate', message: 'text' },
        ],
      },
      ...shown('0 of 3 images are on every node', 'underway'),
      waitingOn: 'FailedCreate',
      message: 'text',
    },
  },
  // Their reason is in `shown`, with the images.
  failures: [],
  unobserved: [],
  shadow: [
    {
      theirs: { desired: 2 },
      ours: { desired: 3 },
      differences: ['status.desired is 2; expected: 3'],
    },
  ],
  refused: {
    'creating a job': {
      objects: [
        {
          plural: 'pods',
          object: {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: 'web-0', namespace: 'ops', labels: { app: 'web' } },
            spec: { containers: [{ name: 'main', image: 'other:1' }] },
          },
        },
        {
          plural: 'imagelistpulljobs',
          object: {
            apiVersion: 'apps.kruise.io/v1beta1',
            kind: 'ImageListPullJob',
            metadata: { name: 'ahead', namespace: 'ops' },
            spec: { images: ['web:1'], completionPolicy: {}, podSelector: { matchLabels: { app: 'web' } } },
          },
        },
      ],
      of: { verb: 'create', plural: 'imagepulljobs' },
      conditions: ['plan.kruise.io/Held'],
    },
  },
};
