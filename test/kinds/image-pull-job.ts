import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ExpectedOfAny, Parts, Shown } from './expected.ts';

function target(parts: Parts = {}): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ImagePullJob',
    metadata: { name: 'ahead', uid: 'of-ahead', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { image: 'web:1', completionPolicy: {}, ...parts.spec },
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

const ended = (parts: JsonObject): JsonObject => ({ completionTime: '2026-01-01T01:00:00Z', ...parts });

export const imagePullJobs: ExpectedOfAny = {
  target,
  shown: {
    'on its way': {
      status: { active: 1, succeeded: 1, failed: 0 },
      ...shown('1 of 3 nodes have the image', 'underway'),
    },
    done: { status: ended({ succeeded: 3, failed: 0 }), ...shown('3 of 3 nodes have the image') },
    'of no node': { status: ended({ desired: 0, succeeded: 0, failed: 0 }), ...shown('no nodes') },
    'with a node that does not get it': {
      status: ended({ succeeded: 2, failed: 1, failedNodes: ['node-2'] }),
      ...shown('2 of 3 nodes have the image', 'failed'),
      waitingOn: 'NotPulled',
      message: 'node-2',
    },
    held: {
      status: {
        conditions: [{ type: 'plan.kruise.io/Held', status: 'True', reason: 'NoCapacity', message: 'text' }],
      },
      ...shown('0 of 3 nodes have the image', 'underway'),
      waitingOn: 'NoCapacity',
      message: 'text',
    },
  },
  // Their reason is in `shown`, with the nodes.
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
    'creating a pod': {
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
          plural: 'imagepulljobs',
          object: {
            apiVersion: 'apps.kruise.io/v1beta1',
            kind: 'ImagePullJob',
            metadata: { name: 'ahead', namespace: 'ops' },
            spec: { image: 'web:1', completionPolicy: {}, podSelector: { matchLabels: { app: 'web' } } },
          },
        },
      ],
      of: { verb: 'create', plural: 'pods' },
      conditions: ['plan.kruise.io/Held'],
    },
  },
};
