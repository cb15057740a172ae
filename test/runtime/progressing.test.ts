import { afterEach, describe, expect, test } from 'vitest';
import type { CloneSetStatus } from '../../schemas/generated/types/cloneset.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { cloneSet, createTestCluster, type TestCluster, templateOf } from './stage.ts';
import { quotas } from '../fixtures/quotas.ts';

let stage: TestCluster;
afterEach(() => stage.stop());

const patch = (spec: JsonObject): Promise<unknown> =>
  stage.user.patch(resources.CloneSet, { namespace: 'shop', name: 'web' }, { type: 'merge', body: { spec } });

const status = async (): Promise<CloneSetStatus> => (await stage.target())['status'] as CloneSetStatus;

/** The condition Progressing of the target. */
async function condition(type = 'Progressing'): Promise<string | undefined> {
  const found = (await status()).conditions?.find((one) => one.type === type);
  return found && [found.status, found.reason, found.message].filter((part) => part !== undefined).join(' ');
}

/** A template whose pods no node can run. */
const nowhere: JsonObject = {
  ...templateOf('web', 'web:2'),
  spec: { containers: [{ name: 'main', image: 'web:2' }], nodeSelector: { disk: 'none' } },
};

async function start(spec: JsonObject = {}, strategy: JsonObject = {}): Promise<void> {
  stage = await createTestCluster(cloneSet('web', 'web:1', spec, strategy), { policy: 'Auto' });
}

describe('the condition Progressing', () => {
  test('unschedulable pods: the deadline expires, and a schedulable template ends it (CS-37)', async () => {
    await start({ progressDeadlineSeconds: 8 });
    expect(await condition()).toBe('True CloneSetAvailable CloneSet is available');
    await patch({ template: nowhere });
    await stage.clock.advance(7_000);
    expect(await condition()).toBe('True CloneSetUpdated CloneSet is progressing');
    await stage.clock.advance(4_000);
    const { updateRevision = '' } = await status();
    const over = `False ProgressDeadlineExceeded CloneSet revision ${updateRevision} has timed out progressing`;
    expect(await condition()).toBe(over);
    await stage.clock.advance(600_000);
    expect(await condition()).toBe(over);
    await patch({
      template: {
        ...templateOf('web', 'web:3'),
        spec: { nodeSelector: null, containers: [{ name: 'main', image: 'web:3' }] },
      },
    });
    await stage.clock.advance(120_000);
    expect(await stage.images()).toEqual({ 'web:3': 3 });
    expect(await condition()).toBe('True CloneSetAvailable CloneSet is available');
  });

  test('it is absent without a deadline; setting one adds it, and removing it removes the condition (CS-38)', async () => {
    await start({ progressDeadlineSeconds: 2147483647 });
    expect(await condition()).toBeUndefined();
    await patch({ progressDeadlineSeconds: 600 });
    await stage.clock.advance(1_000);
    expect(await condition()).toBe('True CloneSetAvailable CloneSet is available');
    await patch({ progressDeadlineSeconds: null });
    await stage.clock.advance(1_000);
    expect(await condition()).toBeUndefined();
  });

  test('a partition of 99 % of four: one pod, one expected, and it is paused by the partition (CS-5)', async () => {
    await start({ replicas: 4, progressDeadlineSeconds: 600 }, { partition: '99%' });
    await patch({ template: templateOf('web', 'web:2') });
    await stage.clock.advance(120_000);
    expect(await stage.images()).toEqual({ 'web:1': 3, 'web:2': 1 });
    expect(await status()).toMatchObject({ expectedUpdatedReplicas: 1, updatedReplicas: 1 });
    expect(await condition()).toBe(
      'True ProgressPartitionAvailable CloneSet has been paused due to partition ready',
    );
  });

  test('paused: no pod is updated, replicas are maintained, new pods become ready (CS-10)', async () => {
    await start({ progressDeadlineSeconds: 600 }, { paused: true });
    await patch({ template: templateOf('web', 'web:2'), replicas: 4 });
    await stage.clock.advance(120_000);
    expect(await condition()).toBe('True CloneSetPaused CloneSet is paused');
    expect(await status()).toMatchObject({ replicas: 4, readyReplicas: 4 });
    expect((await stage.images())['web:1']).toBeGreaterThanOrEqual(3);
  });
});

test('FailedScale lasts as long as a quota refuses pods', async () => {
  await start();
  const made = await stage.user.create(quotas, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace: 'shop', name: 'team' },
    spec: { hard: { pods: '3' } },
  });
  await stage.clock.advance(1_000);
  await patch({ replicas: 5 });
  await stage.clock.advance(10_000);
  expect(await condition('FailedScale')).toMatch(/^True pods "web-\w{5}" is forbidden: exceeded quota: team/);
  await stage.user.delete(quotas, { namespace: 'shop', name: 'team' }, { uid: made.metadata.uid ?? '' });
  await stage.clock.advance(120_000);
  expect(await status()).toMatchObject({ readyReplicas: 5 });
  expect(await condition('FailedScale')).toBeUndefined();
});
