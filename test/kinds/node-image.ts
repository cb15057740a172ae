import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ExpectedOfAny, Parts, Shown } from './expected.ts';

const TAGS = ['1', '2', '3'];

function target(parts: Parts = {}): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'NodeImage',
    metadata: { name: 'node-1', uid: 'of-node-1', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { images: { web: { tags: TAGS.map((tag) => ({ tag })) } }, ...parts.spec },
    status: { desired: 3, ...parts.status },
  };
}

const shown = (counts: string, verdict: Shown['verdict'] = 'done'): Shown => ({
  verdict,
  columns: ['', ''],
  counts,
  waitingOn: '',
  message: '',
});

const rows = (...phases: string[]): JsonObject => ({
  imageStatuses: {
    web: {
      tags: phases.map((phase, index) => ({
        ...{ tag: TAGS[index] ?? '', phase },
        ...(phase === 'Waiting' && { message: 'text' }),
      })),
    },
  },
});

export const nodeImages: ExpectedOfAny = {
  target,
  shown: {
    'on its way': {
      status: { pulling: 1, succeeded: 1, failed: 0, ...rows('Succeeded', 'Pulling') },
      ...shown('1 of 3 images are on the node', 'underway'),
    },
    done: { status: { succeeded: 3, failed: 0 }, ...shown('3 of 3 images are on the node') },
    'of no image': { status: { desired: 0, succeeded: 0, failed: 0 }, ...shown('no images') },
    'with images that the node does not get': {
      status: { succeeded: 0, failed: 3, ...rows('Failed', 'Failed', 'Failed') },
      ...shown('0 of 3 images are on the node', 'failed'),
      waitingOn: 'NotPulled',
      message: 'web:1, web:2 and 1 more',
    },
    'without a node': {
      status: { succeeded: 1, failed: 0, waiting: 2, ...rows('Succeeded', 'Waiting', 'Waiting') },
      ...shown('1 of 3 images are on the node', 'underway'),
      waitingOn: 'Waiting',
      message: 'web:2: text',
    },
    held: {
      status: {
        conditions: [{ type: 'plan.kruise.io/Held', status: 'True', reason: 'NoCapacity', message: 'text' }],
      },
      ...shown('0 of 3 images are on the node', 'underway'),
      waitingOn: 'NoCapacity',
      message: 'text',
    },
  },
  // Their reason is in `shown`, with the images.
  failures: [],
  unobserved: [],
  // OpenKruise counts what it pulls for jobs, too.
  shadow: [{ theirs: { desired: 2 }, ours: { desired: 3 }, differences: [] }],
  refused: {
    'creating a pod': {
      objects: [
        {
          plural: 'nodeimages',
          object: {
            apiVersion: 'apps.kruise.io/v1beta1',
            kind: 'NodeImage',
            metadata: { name: 'node-1' },
            spec: {
              images: {
                web: { tags: [{ tag: '1' }], pullSecrets: [{ namespace: 'ops', name: 'registry' }] },
              },
            },
          },
        },
      ],
      of: { verb: 'create', plural: 'pods' },
      conditions: ['plan.kruise.io/Held'],
    },
  },
};
