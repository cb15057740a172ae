import { expect, test } from 'vitest';
import { isPullPod, newPullPod, pullOf } from '../../../semantics/pull/pod.ts';
import { hasImages, nodesFor } from '../../../semantics/pull/nodes.ts';
import { nodeOf, owner, workOf } from './fleet.ts';

const pod = newPullPod(workOf({ images: ['nginx:1.27', 'redis:8'] }), 'node-1', 2);
const spec = pod['spec'] as Record<string, unknown> & { containers: Record<string, unknown>[] };

test('it has no token, runs as nobody, and may do what the Pod Security level `restricted` allows', () => {
  expect(spec).toMatchObject({
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    restartPolicy: 'Never',
    activeDeadlineSeconds: 600,
    securityContext: { runAsNonRoot: true, runAsUser: 65534, seccompProfile: { type: 'RuntimeDefault' } },
  });
  for (const { securityContext } of spec.containers)
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
});

test('it has a container for each image, and pulls only what the node lacks', () => {
  expect(spec.containers.map(({ image, imagePullPolicy }) => [image, imagePullPolicy])).toEqual([
    ['nginx:1.27', 'IfNotPresent'],
    ['redis:8', 'IfNotPresent'],
  ]);
});

test('it runs on one node, and has none of the labels of the template', () => {
  const { metadata } = pod;
  expect(spec['affinity']).toEqual({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] }],
      },
    },
  });
  expect(Object.keys(metadata.labels ?? {})).toEqual(['plan.kruise.io/pull']);
  expect(isPullPod(pod)).toBe(true);
  expect(pullOf(pod)).toEqual({ key: 'k1', node: 'node-1', attempt: 2, tries: 2, round: 1 });
  expect(metadata.namespace).toBe('shop');
  expect(metadata.ownerReferences).toEqual([
    expect.objectContaining({ kind: 'CloneSet', name: 'web', uid: 'uid-of-web', controller: true }),
  ]);
});

test('pull secrets and service account are those of the later pods', () => {
  const podSpec = {
    imagePullSecrets: [{ name: 'registry' }],
    serviceAccountName: 'web',
    hostNetwork: true,
    volumes: [{ name: 'data', hostPath: { path: '/' } }],
  };
  const made = newPullPod(workOf({ podSpec }), 'node-1', 1)['spec'] as Record<string, unknown>;
  expect(made).toMatchObject({ imagePullSecrets: [{ name: 'registry' }], serviceAccountName: 'web' });
  expect(Object.keys(made)).not.toContain('hostNetwork');
  expect(Object.keys(made)).not.toContain('volumes');
  expect(Object.keys(spec)).not.toContain('imagePullSecrets');
});

test('the name of a pod fits, however long that of its owner is', () => {
  const long = { ...owner, metadata: { ...owner.metadata, name: 'w'.repeat(253) } };
  expect(newPullPod(workOf({ owner: long }), 'node-1', 1).metadata.name).toHaveLength(253);
});

test('an attempt that cannot be read is the first', () => {
  const annotations = { ...pod.metadata.annotations, 'plan.kruise.io/pull-attempt': 'many' };
  expect(pullOf({ ...pod, metadata: { ...pod.metadata, annotations } }).attempt).toBe(1);
});

test('nodes: those that fit and are ready, by name', () => {
  const ready = nodeOf('b');
  const status = { ...ready.status, conditions: [{ type: 'Ready', status: 'False' as const }] };
  const virtual = { ...ready, metadata: { name: 'v', labels: { type: 'virtual-kubelet' } } };
  const all = [
    ready,
    nodeOf('a'),
    { ...nodeOf('silent'), status },
    { ...nodeOf('cordoned'), spec: { unschedulable: true } },
    { ...nodeOf('leaving'), metadata: { name: 'leaving', deletionTimestamp: '2026-01-01T12:00:00Z' } },
    virtual,
  ];
  const named = (podSpec: object) =>
    nodesFor({ containers: [], ...podSpec }, all).map(({ metadata }) => metadata.name);
  expect(named({})).toEqual(['a', 'b']);
  expect(named({ nodeSelector: { pool: 'b' } })).toEqual(['b']);
});

test.each([
  ['nginx', 'docker.io/library/nginx:latest', true],
  ['shop/web:2', 'docker.io/shop/web:2', true],
  ['registry.example:5000/web:2', 'registry.example:5000/web:2', true],
  ['web@sha256:00', 'docker.io/library/web@sha256:00', true],
  ['nginx:1.27', 'docker.io/library/nginx:1.26', false],
])('a node lists %s as %s: %s', (image, name, there) => {
  expect(hasImages(nodeOf('a', [name]), [image])).toBe(there);
});

test('a node that lists nothing has no image', () => {
  expect(hasImages({ ...nodeOf('a'), status: {} }, ['nginx'])).toBe(false);
  expect(hasImages({ ...nodeOf('a'), status: { images: [{ names: null }] } }, ['nginx'])).toBe(false);
});

test.each(['.', '-', '-.-'])(
  'a name of an owner that is cut after %s makes a name that the server takes',
  (mark) => {
    const metadata = { name: `${'a'.repeat(235 - mark.length)}${mark}${'b'.repeat(10)}`, namespace: 'shop' };
    const { name } = newPullPod(workOf({ owner: { ...owner, metadata } }), 'node-1', 1).metadata;
    expect(name).toMatch(/^a+-pull-[0-9a-f]{12}$/);
  },
);
