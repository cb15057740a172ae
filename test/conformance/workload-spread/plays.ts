import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { crds } from '../../../schemas/generated/crds.ts';
import type { Resource } from '../../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { listOf, objectOf } from '../../../semantics/values/read.ts';
import { workloadSpreadKind } from '../../../semantics/workloadspread/kind.ts';
import { cloneSet } from '../../runtime/stage.ts';
import type { KindPlay, Start } from '../plays.ts';
import { lives } from '../serving.ts';

/**
 * A workload that grows from two pods to six, is updated, and shrinks to two, with at most two pods in zone a and the rest in b. Whatever
 * becomes of the runtime, zone a never has more, and every pod stays in the zone that it was made for.
 */
const CAP = 2;
const MINUTE = 60_000;
const SHOP = 'shop';
const AT = { namespace: SHOP, name: 'web' };

const zone = (name: string): JsonObject => ({
  matchExpressions: [{ key: 'zone', operator: 'In', values: [name] }],
});

const spread = (kind: keyof typeof versions): KubeObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'WorkloadSpread',
  metadata: { ...AT },
  spec: {
    targetRef: { apiVersion: versions[kind], kind, name: 'web' },
    subsets: [
      { name: 'a', maxReplicas: CAP, requiredNodeSelector: zone('a') },
      { name: 'b', requiredNodeSelector: zone('b'), patch: { metadata: { labels: { place: 'b' } } } },
    ],
  },
});

const workloads = {
  CloneSet: (image: string) => cloneSet('web', image, { replicas: 2 }, { maxUnavailable: 2 }),
  StatefulSet: (image: string): KubeObject => ({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'StatefulSet',
    metadata: { ...AT },
    spec: {
      replicas: 2,
      serviceName: 'web',
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image }] },
      },
    },
  }),
  // Its pods wait with the gate that `kruise build` writes.
  Deployment: (image: string): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...AT },
    spec: {
      replicas: 2,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          schedulingGates: [{ name: 'kruise.io/workloadspread' }],
          containers: [{ name: 'main', image }],
        },
      },
    },
  }),
};

const versions = {
  CloneSet: 'apps.kruise.io/v1beta1',
  StatefulSet: 'apps.kruise.io/v1beta1',
  Deployment: 'apps/v1',
};

const deployments: Resource = {
  ...{ group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true },
};

const resourceOf = (kind: keyof typeof workloads): Resource =>
  kind === 'Deployment' ? deployments : resources[kind];

async function played(start: Start, kind: keyof typeof workloads) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({
    clock,
    namespaces: ['default', SHOP],
    crds: [...crds],
    nodes: 0,
    workloads: true,
  });
  for (const name of ['a', 'b']) world.nodes.add(`node-${name}`, { labels: { zone: name } });
  const runtime = start({ cluster: world.cluster('kruise'), clock, policy: 'Auto', onError: () => {} });
  runtime.start();
  await clock.settle();
  const user = world.cluster('user');
  const pods = new Map<string, Pod>();
  let most = 0;
  world.onCommit(({ resource, type, object }) => {
    if (resource !== 'pods') return;
    if (type === 'DELETED') pods.delete(object.metadata.uid ?? '');
    else pods.set(object.metadata.uid ?? '', object as Pod);
    most = Math.max(most, mostIn([...pods.values()].filter((pod) => lives(pod) && isIn(pod, 'a'))));
  });
  await user.create(resources.WorkloadSpread, spread(kind));
  // Pods that are created before it is observed go anywhere.
  await clock.advance(MINUTE);
  await user.create(resourceOf(kind), workloads[kind]('web:1'));
  await clock.advance(3 * MINUTE);
  const places = async () => {
    const { items } = await user.list(resources.Pod, { namespace: SHOP });
    return (items as Pod[])
      .map(({ spec, metadata }) => `${spec.nodeName ?? ''} ${metadata.labels?.['place'] ?? ''}`.trim())
      .sort()
      .join(', ');
  };
  const change = async (body: JsonObject) => {
    await user.patch(resourceOf(kind), AT, { type: 'merge', body: { spec: body } });
    await clock.advance(10 * MINUTE);
  };
  const small = await places();
  await change({ replicas: 6 });
  const large = await places();
  const { template } = workloads[kind]('web:2')['spec'] as { template: JsonObject };
  // A changed variable recreates pods.
  await change({ template: { ...template, spec: withVariable(template) } });
  const updated = await places();
  const { status } = await user.get(resources.WorkloadSpread, AT);
  await change({ replicas: 2 });
  const ending = {
    ...{ small, large, updated, again: await places(), most },
    counts: listOf(objectOf(status)['subsetStatuses']).map((each) =>
      ['name', 'replicas', 'missingReplicas'].map((field) => JSON.stringify(each[field])).join(' '),
    ),
  };
  await Promise.all([runtime.stop(), clock.settle()]);
  world.stop();
  await clock.settle();
  return ending;
}

/** Each version of a Deployment has the caps for itself. */
function mostIn(pods: readonly Pod[]): number {
  const counts = new Map<string | undefined, number>();
  for (const { metadata } of pods) {
    const version = metadata.labels?.['pod-template-hash'];
    const isOfDeployment = metadata.ownerReferences?.[0]?.kind === 'ReplicaSet';
    const key = isOfDeployment ? version : undefined;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}

function isIn({ metadata }: Pod, name: string): boolean {
  return (
    metadata.annotations?.['apps.kruise.io/matched-workloadspread']?.includes(`"subset":"${name}"`) === true
  );
}

function withVariable(template: JsonObject): JsonObject {
  const spec = objectOf(template['spec']);
  const containers = listOf(spec['containers']).map((each) => ({
    ...each,
    env: [{ name: 'A', value: 'b' }],
  }));
  return { ...spec, containers };
}

const SMALL = 'node-a, node-a';
const LARGE = 'node-a, node-a, node-b b, node-b b, node-b b, node-b b';

const expected = {
  ...{ small: SMALL, large: LARGE, updated: LARGE, again: SMALL, most: CAP },
  counts: ['"a" 2 0', '"b" 4 -1'],
};

export const plays: readonly KindPlay[] = (['CloneSet', 'StatefulSet', 'Deployment'] as const).map(
  (kind) => ({
    kind: workloadSpreadKind,
    title: `a ${kind} of two pods, then six, updated, and two again (WS-3, WS-4)`,
    play: (start) => played(start, kind),
    expected,
    sends: (writes) => writes.some((text) => text.includes('workloadspreads')),
  }),
);
