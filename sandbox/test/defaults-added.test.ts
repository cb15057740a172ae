import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { kindSamples } from './everyKind.ts';
import { stage } from './world.ts';

const labels = { a: 'b' };
const selector = { matchLabels: labels };
const containers = [{ name: 'main', image: 'web:1' }];
const template = { metadata: { labels }, spec: { containers } };
const jobTemplate = { metadata: { labels }, spec: { containers, restartPolicy: 'Never' } };

/** A new object of a kind, with these fields on top of its minimal manifest. */
function made(id: string, fields: object = {}): KubeObject {
  const sample = kindSamples().find((each) => each.id === id);
  if (sample === undefined) throw new Error(`no kind ${id}`);
  const { server } = stage({ nodes: 0, kubeletsByHand: false }).world;
  const { metadata, ...rest } = fields as { metadata?: object };
  const manifest = {
    ...sample.manifest,
    ...rest,
    metadata: { ...sample.manifest.metadata, ...metadata },
  };
  return server.create('alice', sample.resource, manifest, { fieldManager: 'm' });
}

const volumes = [
  { name: 'projected', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
  {
    name: 'downward',
    downwardAPI: { items: [{ path: 'x', fieldRef: { fieldPath: 'metadata.name' } }] },
  },
  {
    name: 'ephemeral',
    ephemeral: {
      volumeClaimTemplate: {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    },
  },
  {
    name: 'iscsi',
    iscsi: { targetPortal: '1.2.3.4', iqn: 'iqn.2001-04.com.example:storage.kube.sys1.xyz', lun: 0 },
  },
  { name: 'rbd', rbd: { monitors: ['a'], image: 'b' } },
  { name: 'image', image: { reference: 'a:1' } },
  { name: 'latest', image: { reference: 'a' } },
];

describe('what a 1.35 server fills in', () => {
  test.each<[string, object, object]>([
    [
      'pods',
      { spec: { containers, serviceAccountName: 'builder' } },
      { spec: { serviceAccountName: 'builder', serviceAccount: 'builder' } },
    ],
    [
      'deployments.apps',
      { spec: { selector, template: { ...template, spec: { containers, serviceAccount: 'old' } } } },
      { spec: { template: { spec: { serviceAccountName: 'old', serviceAccount: 'old' } } } },
    ],
    [
      'pods',
      { spec: { containers, volumes, serviceAccountName: 'builder' } },
      {
        spec: {
          volumes: [
            {
              projected: {
                defaultMode: 420,
                sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }],
              },
            },
            {
              downwardAPI: {
                defaultMode: 420,
                items: [{ fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } }],
              },
            },
            { ephemeral: { volumeClaimTemplate: { spec: { volumeMode: 'Filesystem' } } } },
            { iscsi: { iscsiInterface: 'default' } },
            { rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' } },
            { image: { pullPolicy: 'IfNotPresent' } },
            { image: { pullPolicy: 'Always' } },
          ],
        },
      },
    ],
    [
      'pods',
      {
        spec: {
          hostNetwork: true,
          resources: { limits: { cpu: '3' } },
          containers: [
            {
              name: 'main',
              image: 'web:1',
              ports: [{ containerPort: 80 }],
              readinessProbe: { grpc: { port: 80 } },
              lifecycle: { postStart: { httpGet: { port: 80 } } },
              resources: { requests: { cpu: '1500m' }, limits: { cpu: '2', memory: '1Mi' } },
            },
          ],
        },
      },
      {
        spec: {
          resources: { limits: { cpu: '3' }, requests: { cpu: '1500m', memory: '1Mi' } },
          containers: [
            {
              ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }],
              readinessProbe: { grpc: { port: 80, service: '' } },
              lifecycle: { postStart: { httpGet: { path: '/', port: 80, scheme: 'HTTP' } } },
            },
          ],
        },
      },
    ],
    [
      'replicationcontrollers',
      {},
      { metadata: { labels }, spec: { replicas: 1, selector: labels }, status: { replicas: 0 } },
    ],
    [
      'daemonsets.apps',
      {},
      { metadata: { annotations: { 'deprecated.daemonset.template.generation': '1' } } },
    ],
    [
      'statefulsets.apps',
      { spec: { selector, template, persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } } },
      { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' } } },
    ],
    [
      'jobs.batch',
      {
        spec: {
          template: jobTemplate,
          podFailurePolicy: { rules: [{ action: 'Count', onPodConditions: [{ type: 'X' }] }] },
        },
      },
      {
        metadata: { labels: { a: 'b', 'job-name': 'own' } },
        spec: {
          manualSelector: false,
          podReplacementPolicy: 'Failed',
          podFailurePolicy: { rules: [{ onPodConditions: [{ type: 'X', status: 'True' }] }] },
        },
      },
    ],
    [
      'jobs.batch',
      {
        spec: { template: jobTemplate, completions: 1, completionMode: 'Indexed', backoffLimitPerIndex: 1 },
      },
      { spec: { backoffLimit: 2147483647 } },
    ],
    [
      'networkpolicies.networking.k8s.io',
      { spec: { podSelector: {}, egress: [{ ports: [{ port: 80 }] }] } },
      { spec: { policyTypes: ['Ingress', 'Egress'], egress: [{ ports: [{ port: 80, protocol: 'TCP' }] }] } },
    ],
    [
      'persistentvolumes',
      {},
      {
        metadata: { finalizers: ['kubernetes.io/pv-protection'] },
        spec: {
          persistentVolumeReclaimPolicy: 'Retain',
          volumeMode: 'Filesystem',
          hostPath: { path: '/x', type: '' },
        },
        status: { phase: 'Pending', lastPhaseTransitionTime: '2026-01-01T12:00:00Z' },
      },
    ],
    [
      'persistentvolumeclaims',
      {
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          dataSource: { kind: 'PersistentVolumeClaim', name: 'x' },
        },
      },
      {
        metadata: { finalizers: ['kubernetes.io/pvc-protection'] },
        spec: {
          volumeMode: 'Filesystem',
          dataSourceRef: { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'x' },
        },
      },
    ],
    ['endpointslices.discovery.k8s.io', {}, { ports: [{ name: '', port: 80, protocol: 'TCP' }] }],
    ['endpoints', {}, { subsets: [{ ports: [{ port: 80, protocol: 'TCP' }] }] }],
    ['ingresses.networking.k8s.io', {}, { status: { loadBalancer: {} } }],
    ['ingressclasses.networking.k8s.io', {}, { spec: { parameters: { scope: 'Cluster' } } }],
    [
      'nodes',
      {},
      { spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] }, status: { allocatable: { cpu: '1' } } },
    ],
    ['services', {}, { spec: { healthCheckNodePort: expect.any(Number) as number } }],
    [
      'csidrivers.storage.k8s.io',
      {},
      {
        spec: {
          attachRequired: true,
          podInfoOnMount: false,
          storageCapacity: false,
          fsGroupPolicy: 'ReadWriteOnceWithFSType',
          volumeLifecycleModes: ['Persistent'],
          requiresRepublish: false,
          seLinuxMount: false,
        },
      },
    ],
    ['configmaps', { metadata: { generation: 5, selfLink: '/x' } }, { metadata: { generation: 5 } }],
  ])('of %s: %j', (id, fields, expected) => {
    const object = made(id, fields);
    expect(object).toMatchObject(expected);
    expect(object.metadata).not.toHaveProperty('selfLink');
  });

  test('labels that a Job has of its own are not joined by those of its pods', () => {
    expect(made('jobs.batch', { metadata: { labels: { q: 'w' } } }).metadata.labels).toEqual({ q: 'w' });
  });

  test.each([
    ['pods', 'spec', ['priority', 'preemptionPolicy', 'tolerations'], ['dnsPolicy', 'serviceAccount']],
    ['jobs.batch', 'spec', ['selector'], ['manualSelector', 'suspend']],
    ['persistentvolumeclaims', 'metadata', ['finalizers'], []],
  ])('of %s: what admission adds to %s belongs to nobody', (id, part, nobodys, writers) => {
    const [entry] = made(id).metadata.managedFields ?? [];
    const owned = (entry?.fieldsV1 as Record<string, object> | undefined)?.[`f:${part}`] ?? {};
    for (const name of nobodys) expect(owned).not.toHaveProperty([`f:${name}`]);
    for (const name of writers) expect(owned).toHaveProperty([`f:${name}`]);
  });
});

describe('generations', () => {
  const annotated = (id: string) => {
    const sample = kindSamples().find((each) => each.id === id);
    if (sample === undefined) throw new Error(`no kind ${id}`);
    const { server } = stage({ nodes: 0 }).world;
    server.create('alice', sample.resource, sample.manifest);
    const { name, namespace = '' } = sample.manifest.metadata;
    const body = { metadata: { annotations: { new: 'one' } } };
    return server.patch('alice', sample.resource, { name, namespace }, { type: 'merge', body }).metadata;
  };
  test.each([
    ['deployments.apps', 2],
    ['replicasets.apps', 1],
    ['statefulsets.apps', 1],
    ['daemonsets.apps', 1],
  ])('after an annotation %s is at %d', (id, generation) => {
    expect(annotated(id).generation).toBe(generation);
  });

  test('a DaemonSet counts its templates and ignores the count of clients', () => {
    const sample = kindSamples().find(({ id }) => id === 'daemonsets.apps');
    if (sample === undefined) throw new Error('no DaemonSets');
    const { server } = stage({ nodes: 0 }).world;
    server.create('alice', sample.resource, sample.manifest);
    const at = { name: 'own', namespace: 'default' };
    const count = (body: object) =>
      server.patch('alice', sample.resource, at, { type: 'merge', body } as never).metadata.annotations;
    const name = 'deprecated.daemonset.template.generation';
    expect(count({ metadata: { annotations: { [name]: '7' } } })).toEqual({ [name]: '1' });
    expect(count({ spec: { template: { spec: { dnsPolicy: 'Default' } } } })).toEqual({ [name]: '2' });
  });
});

describe('warnings of pods', () => {
  const gone = [{ name: 'p', rbd: { monitors: ['a'], image: 'b' } }];
  const twice = [{ name: 'main', image: 'web:1', env: [{ name: 'A' }, { name: 'A' }] }];
  const spec = { containers: twice, volumes: gone };
  const told = (path: string) => [
    `${path}.volumes[0].rbd: deprecated in v1.28, non-functional in v1.31+`,
    `${path}.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply`,
  ];
  test.each<[string, object, string]>([
    ['pods', { spec }, 'spec'],
    ['podtemplates', { template: { spec } }, 'template.spec'],
    ['deployments.apps', { spec: { selector, template: { ...template, spec } } }, 'spec.template.spec'],
  ])('of %s', (id, fields, path) => {
    const sample = kindSamples().find((each) => each.id === id);
    if (sample === undefined) throw new Error(`no kind ${id}`);
    const { server } = stage({ nodes: 0 }).world;
    const heard: string[] = [];
    const options = { warn: (text: string) => heard.push(text) };
    server.create('alice', sample.resource, { ...sample.manifest, ...fields }, options);
    expect(heard).toEqual(told(path));
    const body = { metadata: { labels: { new: 'one' } } };
    const at = { name: 'own', namespace: 'default' };
    server.patch('alice', sample.resource, at, { type: 'merge', body }, options);
    expect(heard).toEqual(told(path));
  });
});
