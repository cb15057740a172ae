import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { newPod, podNameOf } from '../../../semantics/broadcastjob/new-pod.ts';
import { decide, jobOf, reasonsOf } from './model.ts';

const job = jobOf({ nodes: '' });
const none: ReadonlySet<string> = new Set();

describe('a new pod', () => {
  const template: JsonObject = {
    metadata: {
      labels: { app: 'fix', 'broadcastjob-name': '' },
      annotations: { note: 'n' },
      finalizers: ['example.com/hold'],
    },
    spec: {
      restartPolicy: 'Never',
      nodeName: 'elsewhere',
      containers: [{ name: 'main', image: 'fix:1' }],
      affinity: {
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] },
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [],
        },
      },
    },
  };

  test('is known by labels and owner, and pinned to its node (BJ-6)', () => {
    const pod = newPod(job, template, { node: 'a', taken: none });
    expect(pod).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: podNameOf(job, { node: 'a', taken: none }),
        generateName: 'fix-',
        namespace: 'ops',
        labels: { app: 'fix', 'broadcastjob-name': 'fix', 'broadcastjob-controller-uid': 'job-uid' },
        annotations: { note: 'n' },
        finalizers: ['example.com/hold'],
        ownerReferences: [
          {
            apiVersion: 'apps.kruise.io/v1beta1',
            kind: 'BroadcastJob',
            name: 'fix',
            uid: 'job-uid',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'fix:1' }],
        affinity: {
          podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] },
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] }],
            },
            preferredDuringSchedulingIgnoredDuringExecution: [],
          },
        },
      },
    });
  });

  test('has a name that follows from job and node, unless another object has it', () => {
    const name = podNameOf(job, { node: 'a', taken: none });
    expect(name).toMatch(/^fix-[0-9a-f]{12}$/);
    expect(podNameOf(job, { node: 'a', taken: new Set(['other']) })).toBe(name);
    expect(podNameOf(job, { node: 'b', taken: none })).not.toBe(name);
    expect(
      podNameOf({ ...job, metadata: { ...job.metadata, uid: 'other' } }, { node: 'a', taken: none }),
    ).not.toBe(name);
    expect(podNameOf(job, { node: 'a', taken: none, run: 'r' })).not.toBe(name);
    const next = podNameOf(job, { node: 'a', taken: new Set([name]) });
    expect(next).toMatch(/^fix-[0-9a-f]{12}$/);
    expect(next).not.toBe(name);
  });

  test('gets another name from the decision where one is taken', () => {
    const name = podNameOf(job, { node: 'a', taken: none });
    const created = (taken: string[]) =>
      decide({ nodes: 'a', taken }).actions.map((each) => each.do === 'create' && each.object.metadata.name);
    expect(created([])).toEqual([name]);
    expect(created([name])).toEqual([podNameOf(job, { node: 'a', taken: new Set([name]) })]);
  });
});

test('two pods of one node are an Event (rule 6.1 step 8)', () => {
  const decision = decide({ nodes: 'a', pods: 'a a' });
  expect(reasonsOf(decision)).toEqual(['DuplicatePodCreatedOnSameNode']);
  expect([decision.actions, decision.status.active]).toEqual([[], 2]);
});

test('pods are deleted as they were observed', () => {
  expect(decide({ nodes: 'a!', pods: 'a' }).actions).toMatchObject([
    {
      do: 'delete',
      kind: 'Pod',
      uid: 'uid-0',
      resourceVersion: '1',
      reason: 'node a has the taint out:NoSchedule',
      event: { reason: 'SuccessfulDelete' },
    },
  ]);
});
