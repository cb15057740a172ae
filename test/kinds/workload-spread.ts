import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ExpectedOfAny, Parts, Shown } from './expected.ts';

const subset = (name: string, replicas: number, missingReplicas: number): JsonObject => ({
  ...{ name, replicas, missingReplicas },
});
const status = (...subsetStatuses: JsonObject[]): JsonObject => ({
  subsetStatuses,
  versionedSubsetStatuses: { versionIgnored: subsetStatuses },
});

function spread(spec: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'WorkloadSpread',
    metadata: { name: 'web', namespace: 'ops' },
    spec: {
      targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' },
      subsets: [{ name: 'a', maxReplicas: 2 }, { name: 'b' }],
      ...spec,
    },
  };
}

function target(parts: Parts = {}): KubeObject {
  const object = spread(parts.spec);
  return {
    ...object,
    metadata: { ...object.metadata, uid: 'of-web', generation: 2, creationTimestamp: '2026-01-01T00:00:00Z' },
    status: { observedGeneration: 2, ...status(subset('a', 2, 0), subset('b', 4, -1)), ...parts.status },
  };
}

const shown = (counts: string, verdict: Shown['verdict'] = 'done'): Shown => ({
  verdict,
  columns: ['', ''],
  counts,
  waitingOn: '',
  message: '',
});

/** Its pod is older than the WorkloadSpread, on a node that every subset takes. */
const older: KubeObject = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'CloneSet',
  metadata: { name: 'web', namespace: 'ops' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'web:1' }] },
    },
  },
};

const held: JsonObject = {
  type: 'plan.kruise.io/Held',
  status: 'True',
  reason: 'InvalidTarget',
  message: 'text',
};

export const workloadSpreads: ExpectedOfAny = {
  target,
  shown: {
    spread: shown('2 in a, 4 in b'),
    'without pods': { status: status(subset('a', 0, 2), subset('b', 0, -1)), ...shown('0 in a, 0 in b') },
    invalid: {
      status: { ...status(subset('a', 0, 2)), conditions: [held] },
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
      theirs: status(subset('a', 2, 0), subset('b', 4, -1)),
      ours: status(subset('a', 2, 0), subset('b', 3, -1)),
      differences: ['status.subsetStatuses.b is 4; expected: 3'],
    },
    {
      theirs: status({ ...subset('a', 2, 0), creatingPods: { x: '2026-01-01T00:00:00Z' } }),
      ours: status(subset('a', 2, 0)),
      differences: [],
    },
  ],
  refused: {
    'a record of an older pod': {
      objects: [
        { plural: 'clonesets', object: older },
        { plural: 'workloadspreads', object: spread() },
      ],
      of: { verb: 'patch', plural: 'pods' },
      conditions: ['plan.kruise.io/Held'],
    },
  },
};
