import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { conditionOf } from '../../schemas/pods/pod.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../kinds/volume.ts';
import { pod, readPod, refusal, stage, type Stage } from './world.ts';

const claims = resources.PersistentVolumeClaim;
const volumes = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumes',
  kind: 'PersistentVolume',
  namespaced: false,
};
const classes = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'storageclasses',
  kind: 'StorageClass',
  namespaced: false,
};
const at = (name: string) => ({ namespace: 'default', name });

function storageClass(name: string, fields: Record<string, unknown> = {}, isDefault = false): KubeObject {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: {
      name,
      ...(isDefault ? { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } } : {}),
    },
    provisioner: 'example.com/disks',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
    ...fields,
  };
}

function claim(name: string, spec: Record<string, unknown> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  };
}

function volume(name: string, storage: string, spec: Record<string, unknown> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage },
      storageClassName: 'manual',
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: '/data' },
      ...spec,
    },
  };
}

const using = (claimName: string) => ({ volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] });

async function readClaim({ alice }: Stage, name: string) {
  return (await alice.get(claims, at(name))) as PersistentVolumeClaim;
}

async function phases({ alice }: Stage) {
  const { items } = (await alice.list(volumes)) as unknown as { items: PersistentVolume[] };
  return items.map(({ metadata, status }) => `${metadata.name} ${status?.phase}`);
}

describe('claims', () => {
  test('Immediate: a volume is made and bound, protected from both sides', async () => {
    const set = stage();
    await set.alice.create(classes, storageClass('fast'));
    await set.alice.create(claims, claim('data', { storageClassName: 'fast' }));
    await set.clock.advance(200);
    expect((await readClaim(set, 'data')).status?.phase).toBe('Pending');
    await set.clock.advance(1000);
    const bound = await readClaim(set, 'data');
    const name = `pvc-${bound.metadata.uid}`;
    expect(bound).toMatchObject({
      metadata: {
        annotations: {
          'pv.kubernetes.io/bind-completed': 'yes',
          'pv.kubernetes.io/bound-by-controller': 'yes',
          'volume.kubernetes.io/storage-provisioner': 'example.com/disks',
        },
        finalizers: ['kubernetes.io/pvc-protection'],
      },
      spec: { volumeName: name },
      status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } },
    });
    expect(await set.alice.get(volumes, { name })).toMatchObject({
      metadata: { finalizers: ['kubernetes.io/pv-protection'] },
      spec: { claimRef: { kind: 'PersistentVolumeClaim', name: 'data', uid: bound.metadata.uid } },
      status: { phase: 'Bound' },
    });
    const requests = set.world.log.length;
    await set.clock.advance(600_000);
    expect(set.world.log.length).toBe(requests);
  });

  test('a bound volume that is put again without its claim gets it back', async () => {
    const set = stage();
    await set.alice.create(volumes, volume('v', '1Gi'));
    await set.alice.create(claims, claim('data', { storageClassName: 'manual' }));
    await set.clock.advance(1000);
    const { uid } = (await readClaim(set, 'data')).metadata;
    for (const claimRef of [undefined, { namespace: 'default', name: 'data' }]) {
      await set.alice.replace(volumes, volume('v', '1Gi', claimRef === undefined ? {} : { claimRef }));
      await set.clock.advance(1000);
      expect(await phases(set)).toEqual(['v Bound']);
      expect(await set.alice.get(volumes, { name: 'v' })).toMatchObject({
        metadata: { finalizers: ['kubernetes.io/pv-protection'] },
        spec: { claimRef: { name: 'data', uid } },
      });
    }
    await set.alice.create(claims, claim('other', { storageClassName: 'manual' }));
    await set.clock.advance(1000);
    expect((await readClaim(set, 'other')).status?.phase).toBe('Pending');
  });

  test('a bound claim keeps its volume: a manifest that names none is refused', async () => {
    const set = stage();
    await set.alice.create(volumes, volume('v', '1Gi'));
    await set.alice.create(claims, claim('data', { storageClassName: 'manual' }));
    await set.clock.advance(1000);
    const { code, details } = await refusal(
      set.alice.replace(claims, claim('data', { storageClassName: 'manual' })),
    );
    expect([code, details?.causes?.[0]?.field]).toEqual([422, 'spec']);
  });

  test('WaitForFirstConsumer: bound once a pod has its node, and the pod runs after it', async () => {
    const set = stage();
    await set.alice.create(classes, storageClass('late', { volumeBindingMode: 'WaitForFirstConsumer' }));
    await set.alice.create(claims, claim('data', { storageClassName: 'late' }));
    await set.clock.advance(60_000);
    expect((await readClaim(set, 'data')).status?.phase).toBe('Pending');
    await set.alice.create(resources.Pod, pod('a', 'web:1', using('data')));
    await set.clock.advance(300);
    expect((await readPod(set.alice, 'a')).spec.nodeName).toBeUndefined();
    await set.clock.advance(5000);
    const bound = await readClaim(set, 'data');
    expect(bound.status?.phase).toBe('Bound');
    const { spec } = await readPod(set.alice, 'a');
    expect(spec.nodeName).toBe('node-1');
    expect(bound.metadata.annotations?.['volume.kubernetes.io/selected-node']).toBe('node-1');
  });

  test('a claim without a class gets a later default class; the pod reports what it waits for', async () => {
    const set = stage();
    await set.alice.create(claims, claim('data'));
    await set.alice.create(resources.Pod, pod('a', 'web:1', using('data')));
    await set.alice.create(resources.Pod, pod('b', 'web:1', using('absent')));
    await set.clock.advance(60_000);
    expect(conditionOf(await readPod(set.alice, 'a'), 'PodScheduled')?.message).toBe(
      '0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
    );
    expect(conditionOf(await readPod(set.alice, 'b'), 'PodScheduled')?.message).toBe(
      '0/3 nodes are available: persistentvolumeclaim "absent" not found.',
    );
    await set.alice.create(classes, storageClass('standard', {}, true));
    await set.clock.advance(5000);
    expect((await readClaim(set, 'data')).spec.storageClassName).toBe('standard');
    expect((await readPod(set.alice, 'a')).status?.phase).toBe('Running');
  });

  test('pre-provisioned volumes: the smallest that fits, retained after its claim', async () => {
    const set = stage();
    for (const [name, size] of [
      ['big', '10Gi'],
      ['right', '3Gi'],
      ['small', '500Mi'],
    ] as const)
      await set.alice.create(volumes, volume(name, size));
    await set.alice.create(claims, claim('data', { storageClassName: 'manual' }));
    await set.clock.advance(1000);
    expect(await phases(set)).toEqual(['big Available', 'right Bound', 'small Available']);
    expect((await readClaim(set, 'data')).status?.capacity).toEqual({ storage: '3Gi' });
    await set.alice.delete(claims, at('data'));
    await set.clock.advance(5000);
    expect(await phases(set)).toEqual(['big Available', 'right Released', 'small Available']);
    await set.alice.create(claims, claim('more', { storageClassName: 'manual' }));
    await set.clock.advance(1000);
    expect((await readClaim(set, 'more')).spec.volumeName).toBe('big');
  });

  test('a claim in use is deleted after its pod, and its volume with it', async () => {
    const set = stage();
    await set.alice.create(classes, storageClass('fast'));
    await set.alice.create(claims, claim('data', { storageClassName: 'fast' }));
    await set.alice.create(resources.Pod, pod('a', 'web:1', using('data')));
    await set.clock.advance(10_000);
    expect((await readPod(set.alice, 'a')).status?.phase).toBe('Running');
    await set.alice.delete(claims, at('data'));
    await set.clock.advance(60_000);
    expect((await readClaim(set, 'data')).metadata.deletionTimestamp).toBeDefined();
    await set.alice.delete(resources.Pod, at('a'));
    await set.clock.advance(5000);
    expect((await refusal(set.alice.get(claims, at('data')))).code).toBe(404);
    expect(await phases(set)).toEqual([]);
  });

  test.each([
    [true, '2Gi'],
    [false, '1Gi'],
  ])('grows when its class allows expansion: %s', async (allowVolumeExpansion, capacity) => {
    const set = stage();
    await set.alice.create(classes, storageClass('fast', { allowVolumeExpansion }));
    await set.alice.create(claims, claim('data', { storageClassName: 'fast' }));
    await set.clock.advance(2000);
    const grow = { spec: { resources: { requests: { storage: '2Gi' } } } };
    const write = set.alice.patch(claims, at('data'), { type: 'merge', body: grow });
    if (allowVolumeExpansion) await write;
    else
      expect((await refusal(write)).message).toBe(
        'persistentvolumeclaims "data" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      );
    await set.clock.advance(2000);
    expect((await readClaim(set, 'data')).status?.capacity).toEqual({ storage: capacity });
  });

  test('the node affinity of a volume restricts the nodes of the pod', async () => {
    const set = stage();
    const required = {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-3'] }] },
      ],
    };
    await set.alice.create(volumes, volume('local', '1Gi', { nodeAffinity: { required } }));
    await set.alice.create(claims, claim('data', { storageClassName: 'manual' }));
    await set.alice.create(resources.Pod, pod('a', 'web:1', using('data')));
    await set.clock.advance(5000);
    expect((await readPod(set.alice, 'a')).spec.nodeName).toBe('node-3');
    set.world.nodes.cordon('node-3');
    await set.alice.create(resources.Pod, pod('b', 'web:1', using('data')));
    await set.clock.advance(5000);
    expect(conditionOf(await readPod(set.alice, 'b'), 'PodScheduled')?.message).toBe(
      "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match PersistentVolume's node affinity.",
    );
  });
});
