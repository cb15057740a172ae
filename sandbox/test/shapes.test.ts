import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../kinds/builtIn.ts';
import { readField, shapeOf, structNameOf, valuesOfField } from '../kinds/shapes.ts';
import { fieldSchema, type StructuralSchema } from '../schema/structural.ts';

/** The part of a kind's shape at a path; `[]` descends to list items, `{}` to map values. */
function at(kind: readonly [string, string, string], path: string): StructuralSchema | undefined {
  let schema = shapeOf(...kind);
  for (const [step = ''] of path.matchAll(/\[\]|\{\}|[\w-]+/g)) {
    if (schema === undefined) return undefined;
    if (step === '[]') schema = schema.items;
    else if (step === '{}')
      schema = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
    else schema = fieldSchema(schema, step);
  }
  return schema;
}

const pod = ['', 'v1', 'Pod'] as const;
const service = ['', 'v1', 'Service'] as const;
const deployment = ['apps', 'v1', 'Deployment'] as const;
const definition = ['apiextensions.k8s.io', 'v1', 'CustomResourceDefinition'] as const;

describe('the shape of a built-in kind', () => {
  test('is there for every kind that is served', () => {
    const without = builtInTypes().flatMap(({ id, versions }) =>
      [...versions.values()]
        .filter(({ schema }) => schema?.properties?.['metadata'] === undefined)
        .map(() => id),
    );
    expect(without).toEqual([]);
  });

  test.each([
    ['', 'v1', 'Binding'],
    ['policy', 'v1', 'Eviction'],
    ['autoscaling', 'v1', 'Scale'],
    ['authentication.k8s.io', 'v1', 'TokenRequest'],
    ['authorization.k8s.io', 'v1', 'SelfSubjectAccessReview'],
    ['', 'v1', 'DeleteOptions'],
    ['apps', 'v1', 'DeleteOptions'],
  ])('is there for the body %s/%s %s', (group, version, kind) => {
    expect(shapeOf(group, version, kind)?.properties?.['kind']).toEqual({ type: 'string' });
  });

  test.each([
    ['', 'v1', 'Container'],
    ['', 'v2', 'Pod'],
    ['example.com', 'v1', 'Pod'],
    ['apps', 'v1', 'Pod'],
  ])('is not there for %s/%s %s', (group, version, kind) => {
    expect(shapeOf(group, version, kind)).toBeUndefined();
  });

  const fields: [readonly [string, string, string], string, StructuralSchema][] = [
    [pod, 'spec.nodeName', { type: 'string' }],
    [pod, 'spec.hostNetwork', { type: 'boolean' }],
    [pod, 'spec.priority', { type: 'integer', format: 'int32' }],
    [pod, 'spec.terminationGracePeriodSeconds', { type: 'integer', format: 'int64' }],
    [pod, 'spec.containers[].resources.limits{}', { format: 'quantity' }],
    [pod, 'spec.overhead{}', { format: 'quantity' }],
    [pod, 'spec.containers[].livenessProbe.httpGet.port', { 'x-kubernetes-int-or-string': true }],
    [pod, 'metadata.creationTimestamp', { type: 'string', format: 'date-time' }],
    [['coordination.k8s.io', 'v1', 'Lease'], 'spec.renewTime', { type: 'string', format: 'micro-time' }],
    [['', 'v1', 'Secret'], 'data{}', { type: 'string', format: 'byte' }],
    [['', 'v1', 'Secret'], 'stringData{}', { type: 'string' }],
    [
      ['apps', 'v1', 'ControllerRevision'],
      'data',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-map-type': 'atomic' },
    ],
    [
      definition,
      'spec.versions[].schema.openAPIV3Schema.default',
      { 'x-kubernetes-preserve-unknown-fields': true },
    ],
    [pod, 'spec.containers[].ports[].protocol', { type: 'string', default: 'TCP' }],
    [service, 'spec.ports[].protocol', { type: 'string', default: 'TCP' }],
  ];
  test.each(fields)('%s %s', (kind, path, schema) => {
    expect(at(kind, path)).toEqual(schema);
  });

  const lists: [readonly [string, string, string], string, string, string[]?, string?, string?][] = [
    [pod, 'metadata.finalizers', 'set', undefined, 'merge'],
    [pod, 'metadata.ownerReferences', 'map', ['uid'], 'merge', 'uid'],
    [pod, 'metadata.managedFields', 'atomic'],
    [pod, 'spec.containers', 'map', ['name'], 'merge', 'name'],
    [pod, 'spec.containers[].env', 'map', ['name'], 'merge', 'name'],
    [pod, 'spec.containers[].args', 'atomic'],
    [pod, 'spec.containers[].ports', 'map', ['containerPort', 'protocol'], 'merge', 'containerPort'],
    [pod, 'spec.containers[].volumeMounts', 'map', ['mountPath'], 'merge', 'mountPath'],
    [pod, 'spec.containers[].resources.claims', 'map', ['name']],
    [pod, 'spec.volumes', 'map', ['name'], 'merge,retainKeys', 'name'],
    [pod, 'spec.tolerations', 'atomic'],
    [pod, 'spec.readinessGates', 'atomic'],
    [
      pod,
      'spec.topologySpreadConstraints',
      'map',
      ['topologyKey', 'whenUnsatisfiable'],
      'merge',
      'topologyKey',
    ],
    [pod, 'status.conditions', 'map', ['type'], 'merge', 'type'],
    [pod, 'status.containerStatuses', 'atomic'],
    [pod, 'status.podIPs', 'map', ['ip'], 'merge', 'ip'],
    [pod, 'status.hostIPs', 'atomic', undefined, 'merge', 'ip'],
    [service, 'spec.ports', 'map', ['port', 'protocol'], 'merge', 'port'],
    [['', 'v1', 'ServiceAccount'], 'secrets', 'map', ['name'], 'merge', 'name'],
    [['', 'v1', 'ServiceAccount'], 'imagePullSecrets', 'atomic'],
    [['', 'v1', 'Node'], 'spec.taints', 'atomic'],
    [['', 'v1', 'Node'], 'spec.podCIDRs', 'set', undefined, 'merge'],
    [['batch', 'v1', 'Job'], 'status.conditions', 'atomic', undefined, 'merge', 'type'],
    [['discovery.k8s.io', 'v1', 'EndpointSlice'], 'endpoints[].addresses', 'set'],
    [definition, 'status.conditions', 'map', ['type']],
    [definition, 'spec.versions', 'atomic'],
  ];
  test.each(lists)('%s %s is a list of type %s', (kind, path, type, keys, strategy, mergeKey) => {
    const { items: _items, type: _type, ...merging } = at(kind, path) ?? {};
    expect(merging).toEqual({
      'x-kubernetes-list-type': type,
      ...(keys === undefined ? {} : { 'x-kubernetes-list-map-keys': keys }),
      ...(strategy === undefined ? {} : { 'x-kubernetes-patch-strategy': strategy }),
      ...(mergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': mergeKey }),
    });
  });

  test.each([
    [deployment, 'spec.selector', 'atomic'],
    [pod, 'spec.nodeSelector', 'atomic'],
    [pod, 'spec.imagePullSecrets[]', 'atomic'],
    [['', 'v1', 'PersistentVolume'] as const, 'spec.claimRef', 'granular'],
    [pod, 'spec.securityContext', undefined],
  ])('%s %s is a map of type %s', (kind, path, type) => {
    expect(at(kind, path)).toMatchObject({ type: 'object' });
    expect(at(kind, path)?.['x-kubernetes-map-type']).toBe(type);
  });

  test('knows the strategies of single fields', () => {
    expect(at(deployment, 'spec.strategy')?.['x-kubernetes-patch-strategy']).toBe('retainKeys');
    expect(
      at(['policy', 'v1', 'PodDisruptionBudget'], 'spec.selector')?.['x-kubernetes-patch-strategy'],
    ).toBe('replace');
  });

  test('has what Kubernetes 1.35 has', () => {
    expect(at(pod, 'spec.workloadRef.podGroup')).toEqual({ type: 'string' });
  });

  test('contains itself where the kind does', () => {
    const schema = 'spec.versions[].schema.openAPIV3Schema';
    const nested = at(definition, `${schema}.properties{}.properties{}.not.allOf[].required`);
    expect(nested).toEqual(at(definition, `${schema}.required`));
    expect(nested?.items).toEqual({ type: 'string' });
  });

  test('is one for all who ask', () => {
    expect(shapeOf(...pod)).toBe(shapeOf(...pod));
    expect(at(pod, 'spec')?.properties).toBe(at(deployment, 'spec.template.spec')?.properties);
  });

  test('names its types, and the enums of their fields', () => {
    expect(structNameOf(at(pod, 'spec') ?? {})).toBe('core.v1.PodSpec');
    expect(structNameOf(at(pod, 'spec.nodeSelector') ?? {})).toBeUndefined();
    expect(valuesOfField('core.v1.PodSpec', 'restartPolicy')).toEqual(['Always', 'Never', 'OnFailure']);
    expect(valuesOfField('core.v1.PodSpec', 'nodeName')).toBeUndefined();
  });
});

test.each([
  ['string', { containers: [], element: 'string', required: false, presence: 'omitted' }],
  ['string?', { containers: [], element: 'string', required: false, presence: 'pointer' }],
  ['string!-', { containers: [], element: 'string', required: true, presence: 'omitted' }],
  ['a.B', { containers: [], element: 'a.B', required: false, presence: 'pointer' }],
  ['a.B+', { containers: [], element: 'a.B', required: false, presence: 'always' }],
  ['quantity', { containers: [], element: 'quantity', required: false, presence: 'pointer' }],
  ['time', { containers: [], element: 'time', required: false, presence: 'always' }],
  ['time?', { containers: [], element: 'time', required: false, presence: 'pointer' }],
  ['int32! =1', { containers: [], element: 'int32', required: true, presence: 'always', default: 1 }],
  [
    '[]string',
    { containers: ['list'], element: 'string', required: false, presence: 'omitted', listType: 'atomic' },
  ],
  [
    '{}[]meta.v1.Time! atomic',
    {
      containers: ['map', 'list'],
      element: 'meta.v1.Time',
      required: true,
      presence: 'always',
      mapType: 'atomic',
    },
  ],
  [
    '[]a.B~ map(x,y) merge(x) retainKeys',
    {
      containers: ['list'],
      element: 'a.B',
      required: false,
      presence: 'null',
      listType: 'map',
      listMapKeys: ['x', 'y'],
      patchStrategy: 'merge,retainKeys',
      patchMergeKey: 'x',
    },
  ],
])('the notation %s', (notation, field) => {
  expect(readField(notation)).toEqual(field);
});
