import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import {
  at,
  cronJobs,
  daemonSets,
  jobs,
  podQuota,
  podsOf,
  replicaSets,
  resourceQuotas,
  statefulSets,
  statusOf,
  workload,
  workloadStage,
} from './stage.ts';

const work = {
  parallelism: 2,
  template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'web:1' }] } },
};
const batch = (kind: string, spec: object): KubeObject => ({
  apiVersion: 'batch/v1',
  kind,
  metadata: at('web'),
  spec,
});

/** A world in which one pod may be created; it counts the refusals. */
async function refusingStage() {
  const set = workloadStage({ nodes: 2, timings: { runMs: Number.POSITIVE_INFINITY } });
  await set.alice.create(resourceQuotas, podQuota('few', 1));
  await set.wait(1);
  const refusals = () => set.world.log.filter(({ verb, code }) => verb === 'create' && code === 403).length;
  return { ...set, refusals };
}

describe('what the server refuses a controller', () => {
  test.each([
    ['ReplicaSet', replicaSets, workload('ReplicaSet', { replicas: 2 })],
    ['StatefulSet', statefulSets, workload('StatefulSet', { serviceName: 'web', replicas: 2 })],
    ['DaemonSet', daemonSets, workload('DaemonSet')],
    ['Job', jobs, batch('Job', work)],
  ])('is tried again after pauses that double: %s', async (kind, resource, object) => {
    const { alice, wait, refusals } = await refusingStage();
    await alice.create(resource, object);
    await wait(300);
    const before = refusals();
    // The pauses of a Job end at a minute.
    expect(before).toBeLessThan(30);
    await wait(600);
    const more = refusals() - before;
    expect(more).toBeGreaterThanOrEqual(1);
    expect(more).toBeLessThanOrEqual(kind === 'Job' ? 11 : 3);
  });

  test('is tried again at once when the object changes, and then after short pauses again', async () => {
    const { alice, wait, refusals } = await refusingStage();
    await alice.create(replicaSets, workload('ReplicaSet', { replicas: 2 }));
    await wait(300);
    await alice.patch(replicaSets, at('web'), { type: 'merge', body: { spec: { replicas: 1 } } });
    await wait(1);
    const before = refusals();
    await alice.patch(replicaSets, at('web'), { type: 'merge', body: { spec: { replicas: 2 } } });
    await wait(10);
    expect(refusals() - before).toBeGreaterThan(5);
  });

  test('is tried again after pauses that double: a Job of a CronJob', async () => {
    const { alice, wait } = await refusingStage();
    const hard = { 'count/jobs.batch': '0' };
    await alice.create(resourceQuotas, { ...podQuota('none', 0), spec: { hard } });
    await alice.create(cronJobs, batch('CronJob', { schedule: '0 * * * *', jobTemplate: { spec: work } }));
    await wait(3600 + 100);
    await alice.delete(resourceQuotas, at('none'));
    await wait(5);
    expect((await alice.list(jobs, { namespace: 'default' })).items).toHaveLength(0);
    await wait(200);
    expect((await alice.list(jobs, { namespace: 'default' })).items).toHaveLength(1);
  });

  test('does not delay the status: a pod becomes available in its time', async () => {
    const { alice, wait } = await refusingStage();
    await alice.create(replicaSets, workload('ReplicaSet', { replicas: 2, minReadySeconds: 200 }));
    await wait(210);
    expect(await podsOf(alice, 'app=web')).toHaveLength(1);
    expect(statusOf(await alice.get(replicaSets, at('web')))['availableReplicas']).toBe(1);
  });

  test('does not delay the deadline of a Job', async () => {
    const { alice, wait } = await refusingStage();
    await alice.create(jobs, batch('Job', { ...work, activeDeadlineSeconds: 80 }));
    await wait(85);
    const { conditions = [] } = statusOf(await alice.get(jobs, at('web')));
    expect(conditions.map(({ type, reason }) => `${type} ${reason}`)).toContain(
      'FailureTarget DeadlineExceeded',
    );
  });
});
