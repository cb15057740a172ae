import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { front, json } from './http/front.ts';
import { pod, refusal, stage, type Stage } from './world.ts';

const rbac = 'rbac.authorization.k8s.io';
const kinds = {
  Service: ['', 'v1', 'services'],
  Endpoints: ['', 'v1', 'endpoints'],
  Event: ['', 'v1', 'events'],
  ConfigMap: ['', 'v1', 'configmaps'],
  Secret: ['', 'v1', 'secrets'],
  ResourceQuota: ['', 'v1', 'resourcequotas'],
  LimitRange: ['', 'v1', 'limitranges'],
  Lease: ['coordination.k8s.io', 'v1', 'leases'],
  HorizontalPodAutoscaler: ['autoscaling', 'v2', 'horizontalpodautoscalers'],
  PriorityClass: ['scheduling.k8s.io', 'v1', 'priorityclasses'],
  Role: [rbac, 'v1', 'roles'],
  ClusterRole: [rbac, 'v1', 'clusterroles'],
  RoleBinding: [rbac, 'v1', 'rolebindings'],
  ClusterRoleBinding: [rbac, 'v1', 'clusterrolebindings'],
} as const;
type Name = keyof typeof kinds;

function resource(kind: Name) {
  const [group, version, plural] = kinds[kind];
  return { group, version, plural, kind, namespaced: !/^Cluster|Class$/.test(kind) };
}

function object(kind: Name, fields: object, name = 'x'): KubeObject {
  const { group, version, namespaced } = resource(kind);
  return {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    metadata: { name, ...(namespaced ? { namespace: 'default' } : {}) },
    ...fields,
  };
}

const create = ({ alice }: Stage, kind: Name, fields: object, name?: string) =>
  alice.create(resource(kind), object(kind, fields, name));

const target = { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' };
const roleRef = { kind: 'Role', name: 'r' };

test.each<[Name, object, object]>([
  ['ResourceQuota', {}, { spec: {}, status: {} }],
  ['ResourceQuota', { spec: { hard: { pods: 2, cpu: '1' } } }, { spec: { hard: { pods: '2', cpu: '1' } } }],
  [
    'LimitRange',
    { spec: { limits: [{ type: 'Container', default: { cpu: '1' } }] } },
    { spec: { limits: [{ type: 'Container', default: { cpu: '1' }, defaultRequest: { cpu: '1' } }] } },
  ],
  ['Lease', {}, { spec: {} }],
  [
    'HorizontalPodAutoscaler',
    { spec: { scaleTargetRef: target, maxReplicas: 3 } },
    {
      spec: {
        scaleTargetRef: target,
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
          },
        ],
      },
      status: { desiredReplicas: 0, currentMetrics: null },
    },
  ],
  [
    'HorizontalPodAutoscaler',
    {
      spec: {
        scaleTargetRef: target,
        maxReplicas: 3,
        behavior: { scaleDown: { stabilizationWindowSeconds: 10 } },
      },
    },
    {
      spec: {
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 0,
            selectPolicy: 'Max',
            policies: [
              { type: 'Pods', value: 4, periodSeconds: 15 },
              { type: 'Percent', value: 100, periodSeconds: 15 },
            ],
          },
          scaleDown: {
            stabilizationWindowSeconds: 10,
            selectPolicy: 'Max',
            policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
          },
        },
      },
    },
  ],
  ['Role', {}, { rules: null }],
  [
    'RoleBinding',
    {
      roleRef,
      subjects: [
        { kind: 'User', name: 'a' },
        { kind: 'ServiceAccount', name: 'b' },
      ],
    },
    {
      roleRef: { ...roleRef, apiGroup: rbac },
      subjects: [
        { kind: 'User', name: 'a', apiGroup: rbac },
        { kind: 'ServiceAccount', name: 'b' },
      ],
    },
  ],
  ['Secret', { stringData: { a: 'b' } }, { data: { a: 'Yg==' }, type: 'Opaque' }],
])('%s is completed: %j', async (kind, given, expected) => {
  expect(await create(stage(), kind, given)).toMatchObject(expected);
});

test.each<[Name, object, string]>([
  [
    'PriorityClass',
    { value: 5, preemptionPolicy: 'X' },
    'preemptionPolicy: Unsupported value: "X": supported values: "PreemptLowerPriority", "Never"',
  ],
  [
    'PriorityClass',
    { value: 1_000_000_001 },
    'value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
  ],
  [
    'Role',
    { rules: [{ verbs: ['get'], resources: ['pods'] }] },
    'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
  ],
  [
    'Role',
    { rules: [{ verbs: [], resources: ['pods'], apiGroups: [''] }] },
    'rules[0].verbs: Required value: verbs must contain at least one value',
  ],
  [
    'Role',
    { rules: [{ verbs: ['get'], apiGroups: [''], nonResourceURLs: ['/x'] }] },
    '[rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs, rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs]',
  ],
  [
    'ClusterRole',
    { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }, { verbs: ['get'] }] },
    '[rules[1].apiGroups: Required value: resource rules must supply at least one api group, rules[1].resources: Required value: resource rules must supply at least one resource]',
  ],
  [
    'RoleBinding',
    {},
    '[roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole", roleRef.name: Required value]',
  ],
  [
    'RoleBinding',
    { roleRef: { kind: 'Foo', name: 'x', apiGroup: 'z' }, subjects: [{ kind: 'Foo', name: 'a' }] },
    `[roleRef.apiGroup: Unsupported value: "z": supported values: "${rbac}", roleRef.kind: Unsupported value: "Foo": supported values: "Role", "ClusterRole", subjects[0].kind: Unsupported value: "Foo": supported values: "ServiceAccount", "User", "Group"]`,
  ],
  [
    'RoleBinding',
    {
      roleRef,
      subjects: [
        { kind: 'ServiceAccount', name: '' },
        { kind: 'User', apiGroup: 'x', name: 'u' },
      ],
    },
    `[subjects[0].name: Required value, subjects[1].apiGroup: Unsupported value: "x": supported values: "${rbac}"]`,
  ],
  [
    'ClusterRoleBinding',
    { roleRef, subjects: [{ kind: 'ServiceAccount', name: 'a' }] },
    '[roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole", subjects[0].namespace: Required value]',
  ],
  [
    'Secret',
    { type: 'kubernetes.io/service-account-token' },
    'metadata.annotations[kubernetes.io/service-account.name]: Required value',
  ],
  [
    'Secret',
    { type: 'kubernetes.io/basic-auth' },
    '[data[username]: Required value, data[password]: Required value]',
  ],
  ['Secret', { type: 'kubernetes.io/ssh-auth' }, 'data[ssh-privatekey]: Required value'],
])('%s is refused: %j', async (kind, given, fault) => {
  const { group } = resource(kind);
  const { code, message } = await refusal(create(stage(), kind, given));
  const named = group === '' ? kind : `${kind}.${group}`;
  expect([code, message]).toEqual([422, `${named} "x" is invalid: ${fault}`]);
});

test('priority classes of the system are the two there are, and one class is the default', async () => {
  const all = stage();
  const { message } = await refusal(create(all, 'PriorityClass', { value: 5 }, 'system-mine'));
  expect(message).toBe(
    `PriorityClass.scheduling.k8s.io "system-mine" is invalid: metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class`,
  );
  await create(all, 'PriorityClass', { value: 1, globalDefault: true }, 'a');
  const second = await refusal(create(all, 'PriorityClass', { value: 1, globalDefault: true }, 'b'));
  expect([second.code, second.message]).toEqual([
    403,
    'priorityclasses.scheduling.k8s.io "b" is forbidden: PriorityClass a is already marked as default. Only one default can exist',
  ]);
});

test('the role of a binding stays', async () => {
  const all = stage();
  await create(all, 'RoleBinding', { roleRef });
  const key = { namespace: 'default', name: 'x' };
  const change = all.alice.patch(resource('RoleBinding'), key, {
    type: 'merge',
    body: { roleRef: { name: 'y' } },
  });
  expect((await refusal(change)).message).toBe(
    `RoleBinding.${rbac} "x" is invalid: roleRef: Invalid value: {"APIGroup":"${rbac}","Kind":"Role","Name":"y"}: cannot change roleRef`,
  );
});

describe('the priority of pods', () => {
  const made = (all: Stage, spec: Record<string, unknown>) =>
    all.alice.create(resources.Pod, pod('p', 'web:1', spec));

  test.each<[string, Record<string, unknown>, object]>([
    ['is nothing in particular', {}, { priority: 0, preemptionPolicy: 'PreemptLowerPriority' }],
    [
      'is of its class',
      { priorityClassName: 'high' },
      { priorityClassName: 'high', priority: 9, preemptionPolicy: 'Never' },
    ],
    ['is known of the system', { priorityClassName: 'system-node-critical' }, { priority: 2_000_001_000 }],
  ])('%s', async (_title, spec, expected) => {
    const all = stage();
    await create(all, 'PriorityClass', { value: 9, preemptionPolicy: 'Never' }, 'high');
    expect((await made(all, spec))['spec']).toMatchObject(expected);
  });

  test('is of the default class', async () => {
    const all = stage();
    await create(all, 'PriorityClass', { value: 7, globalDefault: true }, 'usual');
    expect((await made(all, {}))['spec']).toMatchObject({ priorityClassName: 'usual', priority: 7 });
  });

  test.each<[Record<string, unknown>, string]>([
    [{ priorityClassName: 'nope' }, 'no PriorityClass with name nope was found'],
    [
      { priority: 5 },
      'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    ],
    [
      { preemptionPolicy: 'Never' },
      'the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
    ],
  ])('is not what its class does not say: %j', async (spec, why) => {
    const { code, message } = await refusal(made(stage(), spec));
    expect([code, message]).toEqual([403, `pods "p" is forbidden: ${why}`]);
  });
});

describe('PUT of a missing object', () => {
  const binding = { roleRef };
  test.each<[Name, object, number]>([
    ['Endpoints', {}, 201],
    ['Event', { involvedObject: { namespace: 'default' } }, 201],
    ['Lease', {}, 201],
    ['LimitRange', { spec: { limits: [] } }, 201],
    ['Service', { spec: { ports: [{ port: 1 }] } }, 201],
    ['Role', {}, 201],
    ['RoleBinding', binding, 201],
    ['ClusterRole', {}, 201],
    ['ConfigMap', {}, 404],
    ['Secret', {}, 404],
    ['ResourceQuota', {}, 404],
    ['PriorityClass', { value: 1 }, 404],
    ['HorizontalPodAutoscaler', { spec: { scaleTargetRef: target, maxReplicas: 1 } }, 404],
  ])('%s: %j is %d', async (kind, fields, code) => {
    const { ask, world } = await front();
    const { group, version, plural, namespaced } = resource(kind);
    const path = `${group === '' ? '/api' : `/apis/${group}`}/${version}${namespaced ? '/namespaces/default' : ''}/${plural}/x`;
    const body = { ...fields, metadata: { name: 'x' } };
    const first = await ask(path, { method: 'PUT', headers: json, body });
    expect(first.code).toBe(code);
    const id = group === '' ? plural : `${plural}.${group}`;
    expect(world.state().objects.filter((each) => each.resource === id)).toHaveLength(code === 201 ? 1 : 0);
    if (code !== 201) return;
    const { resourceVersion } = (first.json as KubeObject).metadata;
    const again = { ...body, metadata: { name: 'x', resourceVersion } };
    expect((await ask(path, { method: 'PUT', headers: json, body: again })).code).toBe(200);
  });

  test('defaults its location to the path, and refuses another one', async () => {
    const { ask } = await front();
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/x';
    const body = { metadata: { name: 'y' } };
    expect((await ask(path, { method: 'PUT', headers: json, body })).code).toBe(400);
  });
});

describe('a status write', () => {
  const metadata = { labels: { l: '1' }, annotations: { a: '1' }, finalizers: ['a/b'] };
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'b' }] } };
  const spec = { replicas: 0, selector: { matchLabels: { a: 'b' } }, template };
  const apps = (plural: string, kind: string) => ({
    group: 'apps',
    version: 'v1',
    plural,
    kind,
    namespaced: true,
  });

  test.each([
    ['replicasets', 'ReplicaSet', metadata],
    ['deployments', 'Deployment', { annotations: { a: '1' }, finalizers: ['a/b'], labels: undefined }],
  ])('changes the metadata of %s, too', async (plural, kind, expected) => {
    const { alice } = stage();
    const address = apps(plural, kind);
    const key = { namespace: 'default', name: 'x' };
    await alice.create(address, { apiVersion: 'apps/v1', kind, metadata: key, spec });
    const written = await alice.patch(
      address,
      key,
      { type: 'merge', body: { metadata, status: {} } },
      { subresource: 'status' },
    );
    const { labels, annotations, finalizers } = written.metadata;
    expect({ labels, annotations, finalizers }).toEqual(expected);
  });
});
