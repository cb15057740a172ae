import { describe, expect, test } from 'vitest';
import type { Cluster } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import type { Pod } from '../../../schemas/pods/pod.ts';
import type { StatefulSet } from '../../workloads/kinds.ts';
import { statefulStep } from '../../workloads/statefulSet.ts';
import {
  at,
  imageChange,
  merge,
  podQuota,
  podsOf,
  resourceQuotas,
  statefulSets,
  statusOf,
  workload,
  workloadStage,
} from './stage.ts';

const statefulSet = (spec: object = {}): KubeObject =>
  workload('StatefulSet', { serviceName: 'web', replicas: 3, ...spec });

const data = {
  volumeClaimTemplates: [
    {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ],
};

/** `NAME IMAGE` of each pod. */
async function pods(alice: Cluster): Promise<string[]> {
  return (await podsOf(alice, 'app=web'))
    .map(({ metadata, spec }) => `${metadata.name} ${spec.containers[0]?.image}`)
    .sort();
}

async function claims(alice: Cluster): Promise<string[]> {
  const { items } = await alice.list(resources.PersistentVolumeClaim, { namespace: 'default' });
  return items.map(({ metadata }) => metadata.name);
}

describe('a StatefulSet', () => {
  test('makes its pods one after the other, each ready before the next', async () => {
    const { alice, wait, world } = workloadStage();
    const made: string[] = [];
    world.onCommit(({ resource, type, object }) => {
      if (resource !== 'pods' || type !== 'ADDED') return;
      const seen = world.server.list('bob', resources.Pod, { namespace: 'default' }).items;
      made.push(
        `${object.metadata.name} after ${seen.filter((pod) => JSON.stringify(pod).includes('"ready":true')).length}`,
      );
    });
    await alice.create(statefulSets, statefulSet());
    await wait(30);
    expect(made).toEqual(['web-0 after 0', 'web-1 after 1', 'web-2 after 2']);
    const [first] = await podsOf(alice, 'statefulset.kubernetes.io/pod-name=web-0');
    expect([first?.spec['hostname'], first?.spec['subdomain']]).toEqual(['web-0', 'web']);
    expect(first?.metadata.labels?.['apps.kubernetes.io/pod-index']).toBe('0');
    const status = statusOf(await alice.get(statefulSets, at('web')));
    expect(status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
    });
    expect(status['currentRevision']).toBe(status['updateRevision']);
    expect(first?.metadata.labels?.['controller-revision-hash']).toBe(status['updateRevision']);
  });

  test('reports a pod that it may not create, and tries again', async () => {
    const { alice, wait } = workloadStage({ podEvents: true });
    await alice.create(resourceQuotas, podQuota('few', 1));
    await wait(1);
    await alice.create(statefulSets, statefulSet());
    await wait(20);
    expect(statusOf(await alice.get(statefulSets, at('web')))).toMatchObject({
      observedGeneration: 1,
      replicas: 1,
      readyReplicas: 1,
    });
    const { items } = await alice.list(resources.Event, { namespace: 'default' });
    const messages = items.filter(
      ({ involvedObject }) => (involvedObject as { name: string }).name === 'web',
    );
    expect(messages.map(({ reason, message }) => `${String(reason)}: ${String(message)}`)).toEqual([
      'SuccessfulCreate: Create Pod web-0 in StatefulSet web successful',
      'FailedCreate: Create Pod web-1 in StatefulSet web failed error: pods "web-1" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1',
    ]);
    await alice.delete(resourceQuotas, at('few'));
    await wait(30);
    expect(await pods(alice)).toHaveLength(3);
  });

  test('is updated pod by pod: maxUnavailable belongs to a feature that is switched off', async () => {
    const { alice, wait } = workloadStage();
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 3 } };
    await alice.create(statefulSets, statefulSet({ updateStrategy }));
    await wait(30);
    await alice.patch(statefulSets, at('web'), imageChange('web:2'));
    await wait(1);
    const { items } = await alice.list(resources.Pod, { namespace: 'default' });
    expect(items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toHaveLength(1);
  });

  test('of the policy Parallel makes and deletes them together', async () => {
    const { alice, wait } = workloadStage();
    await alice.create(statefulSets, statefulSet({ podManagementPolicy: 'Parallel' }));
    await wait(0.5);
    expect(await pods(alice)).toHaveLength(3);
    await wait(10);
    await alice.patch(statefulSets, at('web'), merge({ spec: { replicas: 0 } }));
    await wait(2);
    expect(await pods(alice)).toEqual([]);
  });

  test('is scaled down from its end, and waits for pods before it that are not ready', async () => {
    const { alice, wait, world } = workloadStage();
    await alice.create(statefulSets, statefulSet());
    await wait(30);
    world.images.set('web:broken', { neverReady: true });
    await alice.patch(resources.Pod, at('web-0'), {
      type: 'strategic',
      body: { spec: { containers: [{ name: 'main', image: 'web:broken' }] } },
    });
    await wait(10);
    await alice.patch(statefulSets, at('web'), merge({ spec: { replicas: 1 } }));
    await wait(10);
    expect(await pods(alice)).toHaveLength(3);
    world.images.set('web:broken', {});
    await alice.delete(resources.Pod, at('web-0'));
    await wait(20);
    expect(await pods(alice)).toEqual(['web-0 web:1']);
  });

  test('is updated from its end down to its partition', async () => {
    const { alice, wait } = workloadStage();
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 1 } };
    await alice.create(statefulSets, statefulSet({ updateStrategy }));
    await wait(30);
    const uid = async () => (await alice.get(resources.Pod, at('web-0'))).metadata.uid;
    const retained = await uid();
    await alice.patch(statefulSets, at('web'), imageChange('web:2'));
    await wait(5);
    expect(await pods(alice)).toEqual(['web-0 web:1', 'web-1 web:1', 'web-2 web:2']);
    await wait(20);
    expect(await uid()).toBe(retained);
    expect(await pods(alice)).toEqual(['web-0 web:1', 'web-1 web:2', 'web-2 web:2']);
    const partial = statusOf(await alice.get(statefulSets, at('web')));
    expect(partial).toMatchObject({ currentReplicas: 1, updatedReplicas: 2 });
    // A pod below the partition comes back as it was.
    await alice.delete(resources.Pod, at('web-0'));
    await wait(10);
    expect((await pods(alice))[0]).toBe('web-0 web:1');
    await alice.patch(
      statefulSets,
      at('web'),
      merge({ spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } }),
    );
    await wait(20);
    expect((await pods(alice))[0]).toBe('web-0 web:2');
    const whole = statusOf(await alice.get(statefulSets, at('web')));
    expect(whole['currentRevision']).toBe(whole['updateRevision']);
  });

  test('deletes no surplus pod while one before it is unhealthy', () => {
    const one = (name: string, ready: boolean) =>
      ({
        metadata: { name },
        status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
      }) as Pod;
    const set = statefulSet({ replicas: 0 }) as StatefulSet;
    const removed = (present: Pod[]) =>
      statefulStep(set, present, { current: 'a', update: 'a' }, 0).remove.map(
        ({ metadata }) => metadata.name,
      );
    expect(removed([one('web-0', true), one('web-1', true)])).toEqual(['web-1']);
    expect(removed([one('web-0', false), one('web-1', true)])).toEqual([]);
    expect(removed([one('web-0', true), one('web-1', false)])).toEqual(['web-1']);
  });

  test('of the strategy OnDelete leaves outdated pods until somebody deletes them', async () => {
    const { alice, wait } = workloadStage();
    await alice.create(statefulSets, statefulSet({ updateStrategy: { type: 'OnDelete' } }));
    await wait(30);
    await alice.patch(statefulSets, at('web'), imageChange('web:2'));
    await wait(10);
    expect(await pods(alice)).toEqual(['web-0 web:1', 'web-1 web:1', 'web-2 web:1']);
    await alice.delete(resources.Pod, at('web-1'));
    await wait(10);
    expect(await pods(alice)).toEqual(['web-0 web:1', 'web-1 web:2', 'web-2 web:1']);
  });

  test.each([
    [
      'Retain',
      'Retain',
      ['data-web-0', 'data-web-1', 'data-web-2'],
      ['data-web-0', 'data-web-1', 'data-web-2'],
    ],
    ['Delete', 'Retain', ['data-web-0'], ['data-web-0']],
    ['Retain', 'Delete', ['data-web-0', 'data-web-1', 'data-web-2'], []],
  ])('claims: whenScaled %s, whenDeleted %s', async (whenScaled, whenDeleted, scaled, deleted) => {
    const { alice, wait } = workloadStage({ bootstrapped: true });
    const persistentVolumeClaimRetentionPolicy = { whenScaled, whenDeleted };
    await alice.create(statefulSets, statefulSet({ ...data, persistentVolumeClaimRetentionPolicy }));
    await wait(40);
    const [first] = await podsOf(alice, 'statefulset.kubernetes.io/pod-name=web-0');
    expect(first?.spec.volumes?.[0]).toEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'data-web-0' },
    });
    await alice.patch(statefulSets, at('web'), merge({ spec: { replicas: 1 } }));
    await wait(20);
    expect(await claims(alice)).toEqual(scaled);
    await alice.delete(statefulSets, at('web'));
    await wait(20);
    expect(await claims(alice)).toEqual(deleted);
  });

  test('created again after an orphaning deletion, adopts pods and their revision, and restarts none', async () => {
    const { alice, wait } = workloadStage();
    await alice.create(statefulSets, statefulSet());
    await wait(30);
    const state = async () => ({
      pods: (await podsOf(alice, 'app=web')).map(({ metadata }) => metadata.uid),
      revisions: (
        await alice.list(resources.ControllerRevision, { namespace: 'default', labelSelector: 'app=web' })
      ).items.map(({ metadata }) => metadata.uid),
    });
    const before = await state();
    await alice.delete(statefulSets, at('web'), { propagationPolicy: 'Orphan' });
    await wait(5);
    const { metadata } = await alice.create(statefulSets, statefulSet());
    await wait(30);
    expect(await state()).toEqual(before);
    const [pod] = await podsOf(alice, 'app=web');
    expect(pod?.metadata.ownerReferences).toMatchObject([{ uid: metadata.uid, controller: true }]);
  });

  test('counts the revisions that it keeps', async () => {
    const { alice, wait } = workloadStage();
    await alice.create(statefulSets, statefulSet({ replicas: 1, revisionHistoryLimit: 1 }));
    for (const image of ['web:2', 'web:3', 'web:4']) {
      await wait(20);
      await alice.patch(statefulSets, at('web'), imageChange(image));
    }
    await wait(20);
    const { items } = await alice.list(resources.ControllerRevision, { namespace: 'default' });
    expect(items.map((each) => Number(each['revision'])).sort((a, b) => a - b)).toEqual([3, 4]);
  });
});
