import { expect, test } from 'vitest';
import { patched } from '../../../semantics/reconcile/patched.ts';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web-1',
    uid: 'u1',
    resourceVersion: '7',
    labels: { app: 'web', revision: 'a' },
    ownerReferences: [
      { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web', uid: 'o1' },
      { apiVersion: 'v1', kind: 'Other', name: 'x', uid: 'o2' },
    ],
  },
  spec: {
    nodeName: 'n',
    containers: [
      { name: 'a', image: '1', tty: true },
      { name: 'b', image: '1' },
    ],
  },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' as const }] },
};

test('labels and annotations change key by key, and null removes a key', () => {
  const metadata = { labels: { revision: 'b', app: null }, annotations: { note: 'x' } };
  const { labels, annotations } = patched(pod, { metadata }).metadata as typeof pod.metadata & {
    annotations: object;
  };
  expect({ labels, annotations }).toEqual({ labels: { revision: 'b' }, annotations: { note: 'x' } });
});

test('containers change by name, conditions by type', () => {
  const { spec, status } = patched(pod, {
    spec: { containers: [{ name: 'a', image: '2' }] },
    status: {
      conditions: [
        { type: 'Ready', status: 'False' },
        { type: 'Gate', status: 'False' },
      ],
    },
  });
  expect(spec.containers).toEqual([
    { name: 'a', image: '2', tty: true },
    { name: 'b', image: '1' },
  ]);
  expect(status).toEqual({
    phase: 'Running',
    conditions: [
      { type: 'Ready', status: 'False' },
      { type: 'Gate', status: 'False' },
    ],
  });
});

test('owners are added and removed by uid, and values at the root are replaced; other values stay the same objects', () => {
  const after = patched(pod, {
    revision: 3,
    metadata: { uid: 'u1', ownerReferences: [{ $patch: 'delete', uid: 'o1' }] },
  });
  expect(after.metadata.ownerReferences.map(({ uid }) => uid)).toEqual(['o2']);
  const own = { apiVersion: 'v1', kind: 'Pod', name: 'web-2', uid: 'u2' };
  const added = patched(pod, { metadata: { ownerReferences: [own, { $patch: 'delete', uid: 'o2' }] } });
  expect(added.metadata.ownerReferences).toEqual([pod.metadata.ownerReferences[0], own]);
  expect(after).toMatchObject({ revision: 3, metadata: { resourceVersion: '7' } });
  expect(after.spec).toBe(pod.spec);
});

test('the request of a claim changes, and the rest of its spec stays', () => {
  const resources = { requests: { storage: '1Gi' }, limits: { storage: '9Gi' } };
  const claim = { ...pod, spec: { volumeName: 'v', resources } };
  const { spec } = patched(claim, { spec: { resources: { requests: { storage: '2Gi' } } } });
  expect(spec).toEqual({
    volumeName: 'v',
    resources: { requests: { storage: '2Gi' }, limits: { storage: '9Gi' } },
  });
});
