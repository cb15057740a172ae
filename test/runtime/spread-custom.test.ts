import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, test } from 'vitest';
import { createRuntime } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { trueCondition } from '../../semantics/status/conditions.ts';
import { objectOf } from '../../semantics/values/read.ts';

const AT = { namespace: 'shop', name: 'web' };
const jobs = { group: 'kubeflow.org', version: 'v1', kind: 'TFJob', plural: 'tfjobs', namespaced: true };

const definition: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'tfjobs.kubeflow.org' },
  spec: {
    group: jobs.group,
    scope: 'Namespaced',
    names: { kind: jobs.kind, plural: jobs.plural },
    versions: [
      {
        name: jobs.version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** The status of a WorkloadSpread of a TFJob with two pods in a and one that nobody has placed, and the conditions of these types. */
async function statusOf(annotations: Record<string, string>) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['shop'], crds: [...crds, definition], nodes: 1 });
  const user = world.cluster('user');
  const read: string[] = [];
  const cluster = world.cluster('kruise');
  const runtime = createRuntime({
    cluster: {
      ...cluster,
      list(resource, options) {
        read.push(resource.plural);
        return cluster.list(resource, options);
      },
    },
    clock,
    policy: 'Auto',
    onError: () => {},
  });
  runtime.start();
  await user.create(resources.WorkloadSpread, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'WorkloadSpread',
    metadata: { ...AT, annotations },
    spec: {
      targetRef: { apiVersion: 'kubeflow.org/v1', kind: 'TFJob', name: 'web' },
      subsets: [
        { name: 'a', maxReplicas: 2 },
        { name: 'b', maxReplicas: 5 },
      ],
    },
  });
  await clock.advance(2_000);
  const job = await user.create(jobs, { apiVersion: 'kubeflow.org/v1', kind: 'TFJob', metadata: { ...AT } });
  const owner = { apiVersion: 'kubeflow.org/v1', kind: 'TFJob', name: 'web', controller: true };
  for (const [index, subset] of ['a', 'a', ''].entries())
    await user.create(resources.Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `web-${index}`,
        namespace: 'shop',
        ownerReferences: [{ ...owner, uid: job.metadata.uid ?? '' }],
        ...(subset !== '' && {
          annotations: {
            'apps.kruise.io/matched-workloadspread': JSON.stringify({ name: 'web', subset }),
          },
        }),
      },
      // No node takes it, so that none tells its subset.
      spec: { nodeSelector: { zone: 'none' }, containers: [{ name: 'main', image: 'web:1' }] },
    });
  await clock.advance(5_000);
  const target = await user.get(resources.WorkloadSpread, AT);
  await runtime.stop();
  world.stop();
  return {
    counts: objectOf(target['status'])['subsetStatuses'],
    held: trueCondition(target, 'plan.kruise.io/Held')?.reason,
    missed: trueCondition(target, 'plan.kruise.io/PodsMissed')?.reason,
    isRead: read.includes('tfjobs'),
  };
}

test('pods of a workload of an own definition are counted, and no list of it is read', async () => {
  expect(await statusOf({ 'plan.kruise.io/spread-by': 'webhook' })).toEqual({
    counts: [
      { name: 'a', replicas: 2, missingReplicas: 0 },
      { name: 'b', replicas: 0, missingReplicas: 5 },
    ],
    held: undefined,
    missed: 'NotPlaced',
    isRead: false,
  });
});

test('without the annotation the WorkloadSpread is held', async () => {
  expect(await statusOf({})).toMatchObject({ counts: undefined, held: 'UnsupportedSemantics' });
});
