import { describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { configMap, configMaps, pod, refusalOf } from './world.ts';
import { deployments, front, secrets, type Address } from './front.ts';

const container = (more: object) => ({ containers: [{ name: 'a', image: 'x', ...more }] });

const podOf = (spec: unknown) => ({ ...pod('p'), spec });

const meta = (more: object) => ({ ...pod('p'), metadata: { name: 'p', namespace: 'default', ...more } });

const into = (what: string, field: string, type: string) =>
  `json: cannot unmarshal ${what} into Go struct field ${field} of type ${type}`;

const quantities =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

describe('wrong types of built-in kinds', () => {
  const pods: [unknown, string][] = [
    [podOf('x'), into('string', 'Pod.spec', 'v1.PodSpec')],
    [podOf([]), into('array', 'Pod.spec', 'v1.PodSpec')],
    [podOf(container({ name: 1 })), into('number', 'Container.spec.containers.name', 'string')],
    [podOf({ containers: {} }), into('object', 'PodSpec.spec.containers', '[]v1.Container')],
    [podOf({ containers: ['x'] }), into('string', 'PodSpec.spec.containers', 'v1.Container')],
    [podOf(container({ env: 'x' })), into('string', 'Container.spec.containers.env', '[]v1.EnvVar')],
    [
      podOf(container({ ports: [{ containerPort: '80' }] })),
      into('string', 'ContainerPort.spec.containers.ports.containerPort', 'int32'),
    ],
    [
      podOf(container({ ports: [{ containerPort: 3_000_000_000 }] })),
      into('number 3000000000', 'ContainerPort.spec.containers.ports.containerPort', 'int32'),
    ],
    [
      podOf({ ...container({}), activeDeadlineSeconds: 1.5 }),
      into('number 1.5', 'PodSpec.spec.activeDeadlineSeconds', 'int64'),
    ],
    [podOf({ ...container({}), hostNetwork: 'true' }), into('string', 'PodSpec.spec.hostNetwork', 'bool')],
    [podOf({ nodeSelector: ['a'] }), into('array', 'PodSpec.spec.nodeSelector', 'map[string]string')],
    [podOf(container({ resources: { requests: { cpu: 'abc' } } })), quantities],
    [podOf(container({ resources: { requests: { cpu: true } } })), quantities],
    [meta({ name: 1 }), into('number', 'ObjectMeta.metadata.name', 'string')],
    [meta({ labels: { a: 1 } }), into('number', 'ObjectMeta.metadata.labels', 'string')],
    [meta({ labels: 'x' }), into('string', 'ObjectMeta.metadata.labels', 'map[string]string')],
    [meta({ finalizers: [1] }), into('number', 'ObjectMeta.metadata.finalizers', 'string')],
    [
      meta({ ownerReferences: ['x'] }),
      into('string', 'ObjectMeta.metadata.ownerReferences', 'v1.OwnerReference'),
    ],
    [meta({ creationTimestamp: 1 }), into('number', 'ObjectMeta.metadata.creationTimestamp', 'string')],
    [
      meta({ creationTimestamp: 'x' }),
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [{ ...pod('p'), metadata: [] }, into('array', 'Pod.metadata', 'v1.ObjectMeta')],
  ];
  test.each(pods)('%j', (body, why) => {
    expect(refusalOf(() => front().create(resources.Pod, body))).toEqual({
      code: 400,
      reason: 'BadRequest',
      message: `Pod in version "v1" cannot be handled as a Pod: ${why}`,
    });
  });

  const others: [Address, object, string][] = [
    [
      deployments,
      { spec: { replicas: 'x', paused: 'y' } },
      into('string', 'DeploymentSpec.spec.replicas', 'int32'),
    ],
    [
      deployments,
      { spec: { strategy: { rollingUpdate: { maxSurge: true } } } },
      into('bool', 'RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge', 'int32'),
    ],
    [secrets, { data: { a: '###' } }, 'illegal base64 data at input byte 0'],
    [secrets, { data: { a: 'aG k=' } }, 'illegal base64 data at input byte 2'],
    [secrets, { data: { a: 1 } }, into('number', 'Secret.data', '[]uint8')],
    [secrets, { data: 'x' }, into('string', 'Secret.data', 'map[string][]uint8')],
    [configMaps, { data: { a: { b: 'c' } } }, into('object', 'ConfigMap.data', 'string')],
    [
      resources.Lease,
      { spec: { renewTime: '2026-01-01T00:00:00Z' } },
      'parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    ],
  ];
  test.each(others)('of %o: %j', ({ kind, group, version, ...rest }, body, why) => {
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const object = { apiVersion, kind, metadata: { name: 'x', namespace: 'default' }, ...body };
    const { code, message } = refusalOf(() => front().create({ kind, group, version, ...rest }, object));
    expect(code).toBe(400);
    expect(message).toBe(`${kind} in version "v1" cannot be handled as a ${kind}: ${why}`);
  });

  test('of the result of a patch: 422, with the patch as the cause', () => {
    const { create, patch } = front();
    create(resources.Pod, pod('a'));
    const status = refusalOf(() =>
      patch(resources.Pod, 'a', { type: 'merge', body: { spec: { activeDeadlineSeconds: 'x' } } }),
    );
    expect(status.code).toBe(422);
    expect(status.message).toMatch(
      /": json: cannot unmarshal string into Go struct field PodSpec\.spec\.activeDeadlineSeconds of type int64$/,
    );
  });

  test('nulls are absent, in lists and maps zero; times are stored in UTC', () => {
    const { create } = front();
    const made = create(configMaps, { ...configMap('a'), data: { a: null, b: 'c' }, immutable: null });
    expect(made['data']).toEqual({ a: '', b: 'c' });
    expect(made).not.toHaveProperty('immutable');
    const lease = create(resources.Lease, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'l', namespace: 'default' },
      spec: { renewTime: '2026-01-01T02:00:00.123456+02:00' },
    });
    expect(lease['spec']).toEqual({ renewTime: '2026-01-01T00:00:00.123456Z' });
  });
});
