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
