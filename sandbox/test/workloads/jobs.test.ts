import { describe, expect, test } from 'vitest';
import type { Cluster } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Pod } from '../../../schemas/pods/pod.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { indexText, readIndexes } from '../../workloads/jobPods.ts';
import { refusal } from '../world.ts';
import { at, conditionsOf, jobs, merge, podsOf, statusOf, workloadStage } from './stage.ts';

const job = (spec: object = {}, podSpec: object = {}): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'sum', namespace: 'default' },
  spec: {
    template: {
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'sum:1' }], ...podSpec },
    },
    ...spec,
  },
});

/** A world in which `sum:1` ends well after five seconds. */
function jobStage(exitCode = 0) {
  const set = workloadStage();
  set.world.images.set('sum:1', { exitAfterMs: 5000, exitCode });
  return set;
}

const podsOfJob = (alice: Cluster) => podsOf(alice, 'job-name=sum');
const phases = (pods: readonly Pod[]) => pods.map(({ status }) => String(status?.phase)).sort();

describe('a Job', () => {
  test('runs its pod to the end', async () => {
    const { alice, wait } = jobStage();
    await alice.create(jobs, job());
    await wait(4);
    expect(statusOf(await alice.get(jobs, at('sum')))).toEqual({
      startTime: '2026-01-01T12:00:00Z',
      active: 1,
      ready: 1,
      terminating: 0,
      uncountedTerminatedPods: {},
    });
    const [pod] = await podsOfJob(alice);
    expect(pod?.metadata.finalizers).toEqual(['batch.kubernetes.io/job-tracking']);
    await wait(10);
    const ended = await alice.get(jobs, at('sum'));
    expect(conditionsOf(ended)).toEqual([
      'Complete True CompletionsReached',
      'SuccessCriteriaMet True CompletionsReached',
    ]);
    expect(statusOf(ended)).toMatchObject({ succeeded: 1, completionTime: '2026-01-01T12:00:07Z' });
    expect((await podsOfJob(alice))[0]?.metadata.finalizers).toBeUndefined();
  });

  test('works on as many completions at once as its parallelism says', async () => {
    const { alice, wait, world } = jobStage();
    let most = 0;
    world.onCommit(({ resource, object }) => {
      if (resource === 'jobs.batch') most = Math.max(most, Number(statusOf(object)['active'] ?? 0));
    });
    await alice.create(jobs, job({ completions: 5, parallelism: 2 }));
    await wait(60);
    expect(statusOf(await alice.get(jobs, at('sum')))).toMatchObject({ succeeded: 5 });
    expect(phases(await podsOfJob(alice))).toEqual(Array.from({ length: 5 }, () => 'Succeeded'));
    expect(most).toBe(2);
  });

  test('without a number of completions ends with its last pod after one success', async () => {
    const { alice, wait } = jobStage();
    await alice.create(jobs, job({ parallelism: 3 }));
    await wait(30);
    expect(statusOf(await alice.get(jobs, at('sum')))).toMatchObject({ succeeded: 3 });
    expect(await podsOfJob(alice)).toHaveLength(3);
  });

  test('fails after its backoff limit, with longer and longer pauses', async () => {
    const { alice, wait } = jobStage(1);
    await alice.create(jobs, job({ backoffLimit: 2 }));
    await wait(200);
    const made = (await podsOfJob(alice))
      .map(({ metadata }) => String(metadata.creationTimestamp).slice(-6, -1))
      .sort();
    expect(made).toEqual(['00:00', '00:17', '00:42']);
    const ended = await alice.get(jobs, at('sum'));
    expect(conditionsOf(ended)).toEqual([
      'Failed True BackoffLimitExceeded',
      'FailureTarget True BackoffLimitExceeded',
    ]);
    expect(statusOf(ended)).toMatchObject({ failed: 3 });
  });

  test('counts restarts of containers against the limit, too', async () => {
    const { alice, wait } = jobStage(1);
    await alice.create(jobs, job({ backoffLimit: 1 }, { restartPolicy: 'OnFailure' }));
    await wait(60);
    expect(conditionsOf(await alice.get(jobs, at('sum')))).toContain('Failed True BackoffLimitExceeded');
    expect(await podsOfJob(alice)).toEqual([]);
  });

  test('fails after its deadline, when its pods have stopped', async () => {
    const { alice, wait, world } = jobStage();
    world.images.set('sum:1', { keepsRunning: true });
    await alice.create(jobs, job({ activeDeadlineSeconds: 10 }));
    await wait(10.2);
    expect(conditionsOf(await alice.get(jobs, at('sum')))).toEqual(['FailureTarget True DeadlineExceeded']);
    await wait(10);
    expect(conditionsOf(await alice.get(jobs, at('sum')))).toContain('Failed True DeadlineExceeded');
  });

  test('is suspended and resumed, and pods of before do not count as failed', async () => {
    const { alice, wait } = jobStage();
    await alice.create(jobs, job({ suspend: true }));
    await wait(5);
    expect(await podsOfJob(alice)).toEqual([]);
    expect(conditionsOf(await alice.get(jobs, at('sum')))).toEqual(['Suspended True JobSuspended']);
    await alice.patch(jobs, at('sum'), merge({ spec: { suspend: false } }));
    await wait(3);
    expect(statusOf(await alice.get(jobs, at('sum')))).toMatchObject({
      active: 1,
      startTime: '2026-01-01T12:00:05Z',
    });
    await alice.patch(jobs, at('sum'), merge({ spec: { suspend: true } }));
    await wait(5);
    expect(await podsOfJob(alice)).toEqual([]);
    await alice.patch(jobs, at('sum'), merge({ spec: { suspend: false } }));
    await wait(20);
    const ended = statusOf(await alice.get(jobs, at('sum')));
    expect([ended['failed'], ended['succeeded']]).toEqual([undefined, 1]);
  });

  test('replaces a pod that is deleted before its end, which has failed', async () => {
    const { alice, wait } = jobStage();
    await alice.create(jobs, job({ podReplacementPolicy: 'Failed' }));
    await wait(4);
    const [pod] = await podsOfJob(alice);
    await alice.delete(resources.Pod, at(pod?.metadata.name ?? ''));
    await wait(4);
    expect(statusOf(await alice.get(jobs, at('sum')))).toMatchObject({ failed: 1 });
    await wait(30);
    expect(statusOf(await alice.get(jobs, at('sum')))).toMatchObject({ failed: 1, succeeded: 1 });
  });

  test('reports the pods that it deletes', async () => {
    const { alice, wait, world } = workloadStage({ podEvents: true });
    world.images.set('sum:1', { keepsRunning: true });
    await alice.create(jobs, job({ parallelism: 2, completions: 2 }));
    await wait(4);
    await alice.patch(jobs, at('sum'), merge({ spec: { parallelism: 1 } }));
    await wait(4);
    await alice.patch(jobs, at('sum'), merge({ spec: { activeDeadlineSeconds: 1 } }));
    await wait(4);
    const { items } = await alice.list(resources.Event, { namespace: 'default' });
    const messages = items
      .filter(({ reason }) => reason === 'SuccessfulDelete')
      .map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringMatching(/^Deleted pod: sum-\w{5}$/),
      expect.stringMatching(/^Deleted pod: sum-\w{5}$/),
    ]);
  });

  test('gives each pod of an Indexed one its index', async () => {
    const { alice, wait } = jobStage();
    await alice.create(jobs, job({ completions: 3, parallelism: 3, completionMode: 'Indexed' }));
    await wait(3);
    const pods = await podsOfJob(alice);
    expect(pods.map(({ spec }) => String(spec['hostname'])).sort()).toEqual(['sum-0', 'sum-1', 'sum-2']);
    const first = pods.find(({ spec }) => spec['hostname'] === 'sum-0');
    expect(first?.metadata.labels?.['batch.kubernetes.io/job-completion-index']).toBe('0');
    await alice.delete(resources.Pod, at(first?.metadata.name ?? ''));
    await wait(30);
    const ended = statusOf(await alice.get(jobs, at('sum')));
    expect(ended).toMatchObject({ succeeded: 3, failed: 1, completedIndexes: '0-2' });
  });

  test('that is Indexed grows and shrinks: completions change together with parallelism', async () => {
    const { alice, wait, world } = jobStage();
    world.images.set('sum:1', { exitAfterMs: 20_000 });
    await alice.create(jobs, job({ completions: 3, parallelism: 3, completionMode: 'Indexed' }));
    await wait(4);
    const resize = async (completions: number, parallelism: number) =>
      alice.patch(jobs, at('sum'), merge({ spec: { completions, parallelism } }));
    await resize(5, 5);
    await wait(4);
    expect(await podsOfJob(alice)).toHaveLength(5);
    await resize(2, 2);
    await wait(4);
    expect((await podsOfJob(alice)).map(({ spec }) => String(spec['hostname'])).sort()).toEqual([
      'sum-0',
      'sum-1',
    ]);
    await expect(refusal(resize(4, 2))).resolves.toMatchObject({
      message:
        'Job.batch "sum" is invalid: spec.completions: Invalid value: 4: can only be modified in tandem with spec.parallelism',
    });
    await wait(30);
    expect(statusOf(await alice.get(jobs, at('sum')))).toMatchObject({
      succeeded: 2,
      completedIndexes: '0,1',
    });
  });

  test('whose indexes are complete when it shrinks counts only those that are left', async () => {
    const { alice, wait, world } = jobStage();
    world.images.set('slow:1', { exitAfterMs: 60_000 });
    await alice.create(jobs, job({ completions: 3, parallelism: 3, completionMode: 'Indexed' }));
    await wait(4);
    const first = (await podsOfJob(alice)).find(({ spec }) => spec['hostname'] === 'sum-0');
    await alice.patch(resources.Pod, at(first?.metadata.name ?? ''), {
      type: 'strategic',
      body: { spec: { containers: [{ name: 'main', image: 'slow:1' }] } },
    });
    await wait(10);
    expect(statusOf(await alice.get(jobs, at('sum')))).toMatchObject({
      succeeded: 2,
      completedIndexes: '1,2',
    });
    await alice.patch(jobs, at('sum'), merge({ spec: { completions: 1, parallelism: 1 } }));
    await wait(4);
    const shrunk = statusOf(await alice.get(jobs, at('sum')));
    expect([shrunk['succeeded'], shrunk['completedIndexes'], shrunk['active']]).toEqual([
      undefined,
      undefined,
      1,
    ]);
  });

  test('that is suspended and was never started may be given other nodes', async () => {
    const { alice, wait } = jobStage();
    await alice.create(jobs, job({ suspend: true }));
    await wait(2);
    const change = async (spec: object) =>
      alice.patch(jobs, at('sum'), merge({ spec: { template: { spec } } }));
    await change({
      nodeSelector: { 'kubernetes.io/hostname': 'node-2' },
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
    });
    await expect(refusal(change({ hostNetwork: true }))).resolves.toMatchObject({
      message: expect.stringMatching(/spec\.template: Invalid value: .*: field is immutable$/s) as string,
    });
    await alice.patch(jobs, at('sum'), merge({ spec: { suspend: false } }));
    await wait(3);
    expect((await podsOfJob(alice))[0]?.spec.nodeName).toBe('node-2');
    await expect(refusal(change({ nodeSelector: null }))).resolves.toMatchObject({ code: 422 });
  });

  test.each([
    ['completionMode', 'Indexed'],
    ['backoffLimitPerIndex', 2],
    ['managedBy', 'example.com/other'],
  ])('keeps its %s', async (name, value) => {
    const { alice } = jobStage();
    await alice.create(jobs, job({ completions: 1 }));
    const change = alice.patch(jobs, at('sum'), merge({ spec: { [name]: value } }));
    await expect(refusal(change)).resolves.toMatchObject({
      message: expect.stringContaining(
        `spec.${name}: Invalid value: ${JSON.stringify(value)}: field is immutable`,
      ) as string,
    });
  });

  test('is deleted some time after its end, with its pods', async () => {
    const { alice, wait } = jobStage();
    await alice.create(jobs, job({ ttlSecondsAfterFinished: 20 }));
    await wait(25);
    expect(conditionsOf(await alice.get(jobs, at('sum')))).toContain('Complete True CompletionsReached');
    await wait(10);
    expect((await refusal(alice.get(jobs, at('sum')))).code).toBe(404);
    expect(await podsOfJob(alice)).toEqual([]);
  });

  test.each(['Background', 'Foreground', 'Orphan'] as const)(
    'leaves no finalizer on its pods when it is deleted (%s)',
    async (propagationPolicy) => {
      const { alice, wait } = jobStage();
      await alice.create(jobs, job());
      await wait(4);
      await alice.delete(jobs, at('sum'), { propagationPolicy });
      await wait(10);
      const left = await podsOfJob(alice);
      expect(left.map(({ metadata }) => metadata.finalizers)).toEqual(
        propagationPolicy === 'Orphan' ? [undefined] : [],
      );
    },
  );

  test('is left to another controller where it says so', async () => {
    const { alice, wait } = jobStage();
    await alice.create(jobs, job({ managedBy: 'example.com/other' }));
    await wait(10);
    expect(statusOf(await alice.get(jobs, at('sum')))).toEqual({});
  });

  test('writes completed indexes as ranges', () => {
    expect(indexText(new Set([7, 0, 2, 3, 4, 8]))).toBe('0,2-4,7,8');
    expect([...readIndexes('0,2-4,7,8')]).toEqual([0, 2, 3, 4, 7, 8]);
    expect([...readIndexes('')]).toEqual([]);
  });
});
