import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ExpectedOfAny, Parts, Shown } from './expected.ts';

const status = (desired: number, succeeded: number, failed: number): JsonObject => ({
  desired,
  succeeded,
  failed,
});

function distribution(spec: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ResourceDistribution',
    metadata: { name: 'shared' },
    spec: {
      resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared' }, data: { a: '1' } },
      targets: { includedNamespaces: { list: [{ name: 'ops' }] } },
      ...spec,
    },
  };
}

function target(parts: Parts = {}): KubeObject {
  const object = distribution(parts.spec);
  return {
    ...object,
    metadata: {
      ...object.metadata,
      uid: 'of-shared',
      generation: 2,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    status: { observedGeneration: 2, ...status(3, 3, 0), ...parts.status },
  };
}

const shown = (counts: string, verdict: Shown['verdict'] = 'done'): Shown => ({
  verdict,
  columns: ['', ''],
  counts,
  waitingOn: '',
  message: '',
});

const condition = (type: string, reason: string, failedNamespaces: string[]): JsonObject => ({
  type,
  status: 'True',
  reason,
  failedNamespaces,
});
const inTheWay = condition('ConflictOccurred', 'it is there already', ['a', 'b', 'c']);
const missing = condition('NamespaceNotExists', 'it does not exist', ['ops']);

export const resourceDistributions: ExpectedOfAny = {
  target,
  shown: {
    distributed: shown('3 of 3 copies'),
    'without namespaces': { status: status(0, 0, 0), ...shown('no namespaces') },
    'on its way': { status: status(1, 0, 0), ...shown('0 of 1 copy', 'underway') },
    'in conflict': {
      status: { ...status(3, 0, 3), conditions: [inTheWay] },
      ...shown('0 of 3 copies', 'underway'),
      waitingOn: 'ConflictOccurred',
      message: 'a, b and 1 more: it is there already',
    },
    'without one of its namespaces': {
      status: { ...status(3, 2, 1), conditions: [missing] },
      ...shown('2 of 3 copies', 'underway'),
      waitingOn: 'NamespaceNotExists',
      message: 'ops: it does not exist',
    },
    invalid: {
      status: {
        ...status(3, 3, 0),
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
  // Their reason is in `shown`, with the namespaces.
  failures: [],
  unobserved: [{}, { observedGeneration: 1 }],
  shadow: [
    { theirs: status(3, 3, 0), ours: status(2, 2, 0), differences: ['status.desired is 3; expected: 2'] },
    { theirs: status(3, 3, 0), ours: status(3, 0, 0), differences: [] },
  ],
  refused: {
    'a copy': {
      objects: [{ plural: 'resourcedistributions', object: distribution() }],
      of: { verb: 'create', plural: 'configmaps' },
      conditions: ['CreateResourceFailed'],
    },
  },
};
