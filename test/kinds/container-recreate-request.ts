import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ExpectedOfAny, Parts, Shown } from './expected.ts';

function target(parts: Parts = {}): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ContainerRecreateRequest',
    metadata: {
      name: 'restart',
      uid: 'of-restart',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { podName: 'web-0', containers: [{ name: 'main' }, { name: 'log' }], ...parts.spec },
    status: { phase: 'Recreating', ...parts.status },
  };
}

const shown = (counts: string, verdict: Shown['verdict'] = 'done'): Shown => ({
  verdict,
  columns: ['', ''],
  counts,
  waitingOn: '',
  message: '',
});

const states = (...phases: [string, string?][]): JsonObject => ({
  containerRecreateStates: phases.map(([phase, message], index) => ({
    name: index === 0 ? 'main' : 'log',
    phase,
    ...(message !== undefined && { message }),
  })),
});

const pod: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-0', namespace: 'ops' },
  spec: {
    readinessGates: [{ conditionType: 'KruisePodReady' }],
    containers: [{ name: 'main', image: 'web:1' }],
  },
};

const request: KubeObject = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'ContainerRecreateRequest',
  metadata: { name: 'restart', namespace: 'ops' },
  spec: {
    podName: 'web-0',
    containers: [{ name: 'main' }],
    strategy: { unreadyGracePeriodSeconds: 5 },
  },
};

export const containerRecreateRequests: ExpectedOfAny = {
  target,
  shown: {
    'on its way': {
      status: states(['Succeeded'], ['Recreating']),
      ...shown('1 of 2 containers restarted', 'underway'),
    },
    'behind another one': {
      status: { phase: 'Pending' },
      ...shown('0 of 2 containers restarted', 'underway'),
    },
    done: {
      status: { phase: 'Completed', ...states(['Succeeded'], ['Succeeded']) },
      ...shown('2 of 2 containers restarted'),
    },
    'of a pod that is gone': {
      status: { phase: 'Completed', message: 'pod has gone' },
      ...shown('0 of 2 containers restarted', 'failed'),
      waitingOn: 'NotRestarted',
      message: 'pod has gone',
    },
    'with a container that cannot be restarted': {
      status: { phase: 'Completed', ...states(['Succeeded'], ['Failed', 'kill container error: text']) },
      ...shown('1 of 2 containers restarted', 'failed'),
      waitingOn: 'NotRestarted',
      message: 'log: kill container error: text',
    },
    held: {
      status: {
        conditions: [
          { type: 'plan.kruise.io/Held', status: 'True', reason: 'DisruptionNotAllowed', message: 'text' },
        ],
      },
      ...shown('0 of 2 containers restarted', 'underway'),
      waitingOn: 'DisruptionNotAllowed',
      message: 'text',
    },
  },
  // Their reason is in `shown`, with the containers.
  failures: [],
  unobserved: [],
  shadow: [
    {
      theirs: { phase: 'Completed' },
      ours: { phase: 'Recreating' },
      differences: ['status.phase is Completed; expected: Recreating'],
    },
  ],
  refused: {
    'taking the pod out of traffic': {
      objects: [
        { plural: 'pods', object: pod },
        { plural: 'containerrecreaterequests', object: request },
      ],
      of: { verb: 'patch', plural: 'pods' },
      conditions: ['plan.kruise.io/Held'],
    },
  },
};
