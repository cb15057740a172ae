import { describe, expect, test } from 'vitest';
import { resources } from '../../../schemas/wire/resources.ts';
import { inDeletionOrder } from '../../workloads/pods.ts';
import type { Pod } from '../../../schemas/pods/pod.ts';
import { pod } from '../world.ts';
import { at, merge, podsOf, replicaSets, statusOf, workload, workloadStage } from './stage.ts';

describe('a ReplicaSet', () => {
  test('keeps the number of its pods', async () => {
    const { alice, wait } = workloadStage();
    await alice.create(replicaSets, workload('ReplicaSet', { replicas: 3 }));
    await wait(5);
    const made = await podsOf(alice, 'app=web');
    expect(made).toHaveLength(3);
    expect(made[0]?.metadata.generateName).toBe('web-');
    expect(statusOf(await alice.get(replicaSets, at('web')))).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      observedGeneration: 1,
    });
    await alice.delete(resources.Pod, at(made[0]?.metadata.name ?? ''));
    await alice.patch(replicaSets, at('web'), merge({ spec: { replicas: 4 } }));
    await wait(6);
    expect(await podsOf(alice, 'app=web')).toHaveLength(4);
    await alice.patch(replicaSets, at('web'), merge({ spec: { replicas: 1 } }));
    await wait(6);
    expect(await podsOf(alice, 'app=web')).toHaveLength(1);
  });

  test('does nothing where the world did not ask for it', async () => {
    const { alice, wait } = workloadStage({ workloads: false });
    await alice.create(replicaSets, workload('ReplicaSet', { replicas: 3 }));
    await wait(5);
    expect(await podsOf(alice, 'app=web')).toEqual([]);
  });

  test('adopts matching pods, and gives up those whose labels change', async () => {
    const { alice, wait } = workloadStage();
    const alone = pod('alone');
    await alice.create(resources.Pod, { ...alone, metadata: { ...alone.metadata, labels: { app: 'web' } } });
    await alice.create(replicaSets, workload('ReplicaSet', { replicas: 2 }));
    await wait(5);
    const [first] = (await alice.get(resources.Pod, at('alone'))).metadata.ownerReferences ?? [];
    expect(first).toMatchObject({ kind: 'ReplicaSet', name: 'web', controller: true });
    expect(await podsOf(alice, 'app=web')).toHaveLength(2);
    await alice.patch(resources.Pod, at('alone'), merge({ metadata: { labels: { app: 'other' } } }));
    await wait(5);
    expect((await alice.get(resources.Pod, at('alone'))).metadata.ownerReferences).toBeUndefined();
    expect(await podsOf(alice, 'app=web')).toHaveLength(2);
  });

  test('counts pods as available after minReadySeconds', async () => {
    const { alice, wait } = workloadStage();
    await alice.create(replicaSets, workload('ReplicaSet', { replicas: 1, minReadySeconds: 20 }));
    const available = async () => {
      const { readyReplicas, availableReplicas = 0 } = statusOf(await alice.get(replicaSets, at('web')));
      return [readyReplicas, availableReplicas];
    };
    await wait(15);
    expect(await available()).toEqual([1, 0]);
    await wait(10);
    expect(await available()).toEqual([1, 1]);
  });

  test('reports that a quota refuses its pods, and makes them when it is gone', async () => {
    const { alice, wait } = workloadStage();
    const quotas = {
      group: '',
      version: 'v1',
      plural: 'resourcequotas',
      kind: 'ResourceQuota',
      namespaced: true,
    };
    await alice.create(quotas, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'few', namespace: 'default' },
      spec: { hard: { pods: '1' } },
    });
    await wait(1);
    await alice.create(replicaSets, workload('ReplicaSet', { replicas: 2 }));
    await wait(5);
    const [failure] = statusOf(await alice.get(replicaSets, at('web'))).conditions ?? [];
    expect(failure).toMatchObject({ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' });
    expect(failure?.message).toContain('exceeded quota: few');
    await alice.delete(quotas, at('few'));
    await wait(300);
    expect(await podsOf(alice, 'app=web')).toHaveLength(2);
    expect(statusOf(await alice.get(replicaSets, at('web'))).conditions).toBeUndefined();
  });

  test('deletes unready pods first, then by cost, then the youngest', () => {
    const one = (name: string, fields: object, annotations: Record<string, string> = {}) =>
      ({
        ...pod(name),
        metadata: { name, annotations, creationTimestamp: `2026-01-01T12:00:0${name.at(-1)}Z` },
        spec: { containers: [], nodeName: 'n' },
        ...fields,
      }) as Pod;
    const ready = {
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T12:01:00Z' }],
      },
    };
    const cost = { 'controller.kubernetes.io/pod-deletion-cost': '-1' };
    const pods = [
      one('old-1', ready),
      one('young-2', ready),
      one('cheap-3', ready, cost),
      one('unready-4', { status: { phase: 'Running' } }),
      one('pending-5', { status: { phase: 'Pending' } }),
      one('unscheduled-6', { status: { phase: 'Pending' }, spec: { containers: [] } }),
    ];
    expect(inDeletionOrder(pods).map(({ metadata }) => metadata.name)).toEqual([
      'unscheduled-6',
      'pending-5',
      'unready-4',
      'cheap-3',
      'young-2',
      'old-1',
    ]);
  });
});
