import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ExpectedOfAny, Parts, Shown } from './expected.ts';

const status = (allowed: number, current: number, desired: number, total: number): JsonObject => ({
  unavailableAllowed: allowed,
  currentAvailable: current,
  desiredAvailable: desired,
  totalReplicas: total,
});

function budget(spec: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: 'PodUnavailableBudget',
    metadata: { name: 'web', namespace: 'ops' },
    spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: '25%', ...spec },
  };
}

function target(parts: Parts = {}): KubeObject {
  const object = budget(parts.spec);
  return {
    ...object,
    metadata: { ...object.metadata, uid: 'of-web', generation: 2, creationTimestamp: '2026-01-01T00:00:00Z' },
    status: { observedGeneration: 2, ...status(3, 10, 7, 10), ...parts.status },
  };
}

const shown = (counts: string, verdict: Shown['verdict'] = 'done'): Shown => ({
  verdict,
  columns: ['', ''],
  counts,
  waitingOn: '',
  message: '',
});

const pod: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-a', namespace: 'ops', labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'web:1' }] },
};

export const podUnavailableBudgets: ExpectedOfAny = {
  target,
  shown: {
    counted: shown('3 of 10 pods may become unavailable'),
    'used up': { status: status(0, 7, 7, 10), ...shown('0 of 10 pods may become unavailable') },
    'without pods': { status: status(0, 0, 0, 0), ...shown('no pods') },
    'without protection': { status: status(10, 10, 0, 10), ...shown('protects none of 10 pods') },
    'of workloads without a number of pods': {
      status: status(5, 5, 0, -1),
      ...shown('protects no pod'),
      waitingOn: 'UnknownSize',
      message: 'how many pods there are to be is unknown; set spec.protectTotalReplicas in git',
    },
    invalid: {
      status: {
        ...status(0, 0, 0, 0),
        conditions: [
          { type: 'plan.kruise.io/Held', status: 'True', reason: 'InvalidTarget', message: 'text' },
        ],
      },
      ...shown('not counted yet', 'underway'),
      waitingOn: 'InvalidTarget',
      message: 'text',
    },
    'not observed': { status: { observedGeneration: 1 }, ...shown('not counted yet', 'underway') },
  },
  failures: [],
  unobserved: [{}, { observedGeneration: 1 }],
  shadow: [
    {
      theirs: status(3, 10, 7, 10),
      ours: status(2, 9, 7, 10),
      differences: [
        'status.unavailableAllowed is 3; expected: 2',
        'status.currentAvailable is 10; expected: 9',
      ],
    },
    {
      theirs: { ...status(3, 10, 7, 10), disruptedPods: { a: '2026-01-01T00:00:00Z' } },
      ours: { ...status(3, 10, 7, 10), observedGeneration: 3 },
      differences: [],
    },
  ],
  refused: {
    'a link': {
      objects: [
        { plural: 'pods', object: pod },
        { plural: 'podunavailablebudgets', object: budget({ protectTotalReplicas: 1 }) },
      ],
      of: { verb: 'patch', plural: 'pods' },
      conditions: ['plan.kruise.io/Held'],
    },
  },
};
