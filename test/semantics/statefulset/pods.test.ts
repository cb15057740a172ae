import { describe, expect, test } from 'vitest';
import type { StatefulSetStatus } from '../../../schemas/generated/types/statefulset.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { decide, type Given, NOW, ownStrategy, snapshotOf } from './model.ts';

function created(given: Given): KubeObject {
  const [action] = decide(given).actions;
  if (action?.do !== 'create') throw new Error('no pod is created');
  return action.object;
}

describe('a new pod', () => {
  test('has its name as label and hostname, its ordinal as label (AS-9), and is pulled always', () => {
    const { metadata, spec } = created({ replicas: 2, start: 3, pods: '3n' });
    expect(metadata).toMatchObject({
      name: 'web-4',
      labels: {
        app: 'web',
        'statefulset.kubernetes.io/pod-name': 'web-4',
        'apps.kubernetes.io/pod-index': '4',
        'controller-revision-hash': 'web-new',
        'lifecycle.apps.kruise.io/state': 'Normal',
      },
      ownerReferences: [{ kind: 'StatefulSet', name: 'web', uid: 'uid-web', controller: true }],
    });
    expect(spec).toMatchObject({
      hostname: 'web-4',
      readinessGates: [{ conditionType: 'InPlaceUpdateReady' }],
      containers: [{ name: 'main', image: 'web:2', imagePullPolicy: 'Always' }],
    });
    expect(spec).not.toHaveProperty('subdomain');
  });

  test('is reported by an Event', () => {
    const [action] = decide({ replicas: 1, pods: '' }).actions;
    expect(action?.event).toEqual({
      type: 'Normal',
      reason: 'SuccessfulCreate',
      message: 'create Pod web-0 in StatefulSet web successful',
    });
  });
});

describe('the status', () => {
  const statusOf = (given: Given) => decide(given).status as StatefulSetStatus;

  test('counts pods by revision, readiness and availability', () => {
    expect(statusOf({ replicas: 4, pods: '0 1n 2n! 3n~', rolling: { minReadySeconds: 10 } })).toEqual({
      observedGeneration: 3,
      replicas: 4,
      readyReplicas: 3,
      availableReplicas: 2,
      currentReplicas: 1,
      updatedReplicas: 3,
      updatedReadyReplicas: 2,
      updatedAvailableReplicas: 1,
      currentRevision: 'web-old',
      updateRevision: 'web-new',
      labelSelector: 'app=web',
    });
  });

  test('counts pods that are being deleted, have ended or are out of range as replicas', () => {
    const { replicas, readyReplicas, availableReplicas, updatedReplicas } = statusOf({
      replicas: 3,
      pods: '0n 1nt 2nf 5n',
    });
    expect([replicas, readyReplicas, availableReplicas, updatedReplicas]).toEqual([4, 3, 2, 2]);
  });
});

describe('the labels of a pod', () => {
  const labels = (...wrong: Record<string, string>[]): Given => ({
    replicas: 2,
    start: 7,
    pods: '7n 8n',
    labels: Object.fromEntries(wrong.map((each, index) => [7 + index, each])),
  });
  const NAME = 'statefulset.kubernetes.io/pod-name';

  test.each<[what: string, given: Given, repaired: string[]]>([
    ['its own name: nothing', labels(), []],
    ['the name of another pod', labels({}, { [NAME]: 'web-7' }), ['web-8']],
    ['no name', labels({ [NAME]: '' }), ['web-7']],
    ['another name, while paused', { ...labels({ [NAME]: 'x' }), rolling: { paused: true } }, ['web-7']],
    ['another name, and it is deleted now', { ...labels({ [NAME]: 'x' }), pods: '7!x 8n' }, []],
  ])('%s', (_what, given, repaired) => {
    const found = decide(given).actions.filter(({ verb }) => verb === 'label');
    expect(found.map((action) => action.do === 'patch' && action.name)).toEqual(repaired);
  });

  test('are repaired with its ordinal, and an Event says so', () => {
    const [action] = decide(labels({ [NAME]: 'web-8' })).actions;
    expect(action).toMatchObject({
      body: { metadata: { labels: { [NAME]: 'web-7', 'apps.kubernetes.io/pod-index': '7' } } },
      event: { reason: 'SuccessfulUpdate', message: 'update Pod web-7 in StatefulSet web successful' },
    });
  });
});

test.each([
  ['reserved', { replicas: 2, pods: '0n 1n 2n', reserve: [1] }],
  ['reserved', { replicas: 2, pods: '0n 1n 7n', reserve: ['5-7'] }],
  ['out of range', { replicas: 2, pods: '0n 1n 2n' }],
  ['out of range', { replicas: 2, pods: '1n 2n 3n', start: 2 }],
])('a pod is deleted because its ordinal is %s: %j', (what, given) => {
  expect(decide(given).actions.map(({ reason }) => reason)).toEqual([`its ordinal is ${what}`]);
});

describe('when the target is reconciled again', () => {
  test('a pod becomes available after minReadySeconds (AS-3)', () => {
    const given: Given = {
      policy: 'OrderedReady',
      replicas: 2,
      pods: '0n~',
      rolling: { minReadySeconds: 10 },
    };
    expect(decide(given).requeueAt).toBe(NOW + 9_001);
    expect(decide(given).actions).toEqual([]);
  });

  test('so does one that is scaled in, and waits for it', () => {
    const given: Given = {
      policy: 'OrderedReady',
      replicas: 1,
      pods: '0n 1n! 2n~',
      rolling: { minReadySeconds: 10 },
    };
    expect(decide(given).actions).toEqual([]);
    expect(decide(given).requeueAt).toBe(NOW + 9_001);
  });
});

describe('a pod that is being deleted', () => {
  const given: Given = { replicas: 2, pods: '0n 1nt' };
  const at = (now: number) => snapshotOf(given, undefined, now).decide(ownStrategy(), undefined, new Set());

  test('is waited for, and looked at again a minute after its grace period', () => {
    const { actions, explanations, requeueAt, status } = at(NOW);
    expect(actions).toEqual([]);
    expect(explanations.map(({ reason }) => reason)).toEqual([
      'a pod waits for the deletion of web-1: it takes its name',
    ]);
    expect(requeueAt).toBe(NOW + 59_000);
    expect((status as StatefulSetStatus).conditions).toBeUndefined();
  });

  test('is reported then', () => {
    const { conditions } = at(NOW + 59_000).status as StatefulSetStatus;
    expect(conditions).toMatchObject([{ type: 'FailedCreatePod', status: 'True' }]);
    expect(conditions?.[0]?.message).toContain('Find out what blocks the deletion');
  });
});

describe('why nothing is done', () => {
  const reasons = (given: Given): string[] =>
    decide(given, ownStrategy()).explanations.map(({ about, reason }) => `${about} ${reason}`);

  test.each<[given: Given, reason: string]>([
    [
      { policy: 'OrderedReady', replicas: 3, pods: '0n!' },
      'web creates no further pod now: web-0 is not available, and podManagementPolicy is OrderedReady',
    ],
    [{ replicas: 3, pods: '0! 1 2' }, 'web-2 is updated once fewer than 1 pods are unavailable: web-0'],
    [
      { replicas: 5, pods: '0n 1n!', scale: 2 },
      'web creates 1 of 3 missing pods now: scaleStrategy.maxUnavailable is 2',
    ],
    [
      { replicas: 3, pods: '0n! 1n 2nx' },
      'web-2 is marked for deletion, and stays: 1 of at most 1 pods are unavailable',
    ],
    [
      { replicas: 3, pods: '0n 1n 2nx', rolling: { paused: true } },
      'web-2 is marked for deletion, and stays: the StatefulSet is paused',
    ],
    [
      { policy: 'OrderedReady', replicas: 1, pods: '0n 1n! 2n!' },
      'web-2 is to be deleted, and stays: web-1 is not available',
    ],
  ])('%j', (given, reason) => {
    expect(reasons(given)).toContain(reason);
  });
});
