import { createVirtualClock, createWorld, type VirtualClock, type World } from 'kruise-sandbox';
import { crds } from '../../../schemas/generated/crds.ts';
import type { Cluster, Resource } from '../../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { isGatedBy } from '../../../semantics/pod/gated.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { listOf, objectOf } from '../../../semantics/values/read.ts';
import { matchedOf } from '../../../semantics/workloadspread/matched.ts';
import { cloneSet } from '../../runtime/stage.ts';
import type { Start } from '../plays.ts';
import { lives } from '../serving.ts';

export const MINUTE = 60_000;
const SHOP = 'shop';
const AT = { namespace: SHOP, name: 'web' };
const GATE = 'kruise.io/workloadspread';

const native = (group: string, kind: string, plural: string): Resource => ({
  ...{ group, version: 'v1', kind, plural, namespaced: true },
});

/** The workloads that are spread. */
export const workloads = {
  CloneSet: resources.CloneSet,
  StatefulSet: resources.StatefulSet,
  Deployment: native('apps', 'Deployment', 'deployments'),
  Job: native('batch', 'Job', 'jobs'),
} as const satisfies Record<string, Resource>;

export type WorkloadKind = keyof typeof workloads;

/** The field of the spec that says how many pods there are. */
export const sizeOf = (kind: WorkloadKind, size: number): JsonObject =>
  kind === 'Job' ? { parallelism: size } : { replicas: size };

const versionOf = ({ group, version }: Resource, kind: WorkloadKind): string =>
  `${group}/${kind === 'CloneSet' || kind === 'StatefulSet' ? 'v1beta1' : version}`;

/** Workload `web`. The pods of those of Kubernetes wait with the gate that `kruise build` writes. */
export function workload(kind: WorkloadKind, size: number, image = 'web:1'): KubeObject {
  if (kind === 'CloneSet') return cloneSet('web', image, { replicas: size }, { maxUnavailable: 2 });
  const selector = { matchLabels: { app: 'web' } };
  const spec = {
    StatefulSet: { serviceName: 'web', podManagementPolicy: 'Parallel', selector },
    Deployment: {
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      selector,
    },
    Job: { completions: 100 },
  }[kind];
  const isGated = kind !== 'StatefulSet';
  return {
    apiVersion: versionOf(workloads[kind], kind),
    kind,
    metadata: { ...AT },
    spec: {
      ...spec,
      ...sizeOf(kind, size),
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          ...(kind === 'Job' && { restartPolicy: 'Never' }),
          ...(isGated && { schedulingGates: [{ name: GATE }] }),
          containers: [{ name: 'main', image }],
        },
      },
    },
  };
}

const zone = (name: string): JsonObject => ({
  matchExpressions: [{ key: 'zone', operator: 'In', values: [name] }],
});

/** A WorkloadSpread of workload `web`: some pods in zone a, and the rest in b. */
export function spread(
  kind: WorkloadKind,
  caps: [number | string, (number | string)?],
  spec: JsonObject = {},
): KubeObject {
  const [a, b] = caps;
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'WorkloadSpread',
    metadata: { ...AT },
    spec: {
      targetRef: { apiVersion: versionOf(workloads[kind], kind), kind, name: 'web' },
      subsets: [
        { name: 'a', maxReplicas: a, requiredNodeSelector: zone('a') },
        {
          name: 'b',
          ...(b !== undefined && { maxReplicas: b }),
          requiredNodeSelector: zone('b'),
          patch: { metadata: { labels: { place: 'b' } } },
        },
      ],
      ...spec,
    },
  };
}

/** A cluster of one node in zone a and one in b, under a runtime. */
export interface SpreadWorld {
  clock: VirtualClock;
  world: World;
  user: Cluster;
  /** Creates the WorkloadSpread, and waits until it is observed: pods that are created before go anywhere. */
  begin(object: KubeObject): Promise<void>;
  create(kind: WorkloadKind, size: number): Promise<void>;
  /** Changes the spec of the workload. */
  change(kind: WorkloadKind, body: JsonObject): Promise<void>;
  /** Recreates all pods, by another variable. */
  update(kind: WorkloadKind): Promise<void>;
  /** Where each pod is, with the label of its subset; those without a node are `waits`. */
  located(): Promise<string>;
  /** Name, pods and pods that are missing of each subset by the status. */
  counts(): Promise<string[]>;
  /** The most pods that were in zone a, and the same for b; of a Deployment in each of its versions. */
  most(): [number, number];
  stop(): Promise<void>;
}

export async function spreadWorld(start: Start): Promise<SpreadWorld> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const namespaces = ['default', SHOP];
  const world = createWorld({ clock, namespaces, crds: [...crds], nodes: 0, workloads: true });
  for (const name of ['a', 'b']) world.nodes.add(`node-${name}`, { labels: { zone: name } });
  // Pods of a Job would come to an end.
  world.images.set('web:1', { keepsRunning: true });
  const runtime = start({ cluster: world.cluster('kruise'), clock, policy: 'Auto', onError: () => {} });
  runtime.start();
  await clock.settle();
  const user = world.cluster('user');
  const pods = new Map<string, Pod>();
  const most: [number, number] = [0, 0];
  world.onCommit(({ resource, type, object }) => {
    if (resource !== 'pods') return;
    if (type === 'DELETED') pods.delete(object.metadata.uid ?? '');
    else pods.set(object.metadata.uid ?? '', object as Pod);
    const living = [...pods.values()].filter(lives);
    ['a', 'b'].forEach((name, index) => {
      most[index] = Math.max(most[index] ?? 0, mostIn(living.filter((pod) => isIn(pod, name))));
    });
  });
  const change = async (kind: WorkloadKind, body: JsonObject): Promise<void> => {
    await user.patch(workloads[kind], AT, { type: 'merge', body: { spec: body } });
    await clock.advance(10 * MINUTE);
  };
  return {
    ...{ clock, world, user, change },
    async begin(object) {
      await user.create(resources.WorkloadSpread, object);
      await clock.advance(MINUTE);
    },
    async create(kind, size) {
      await user.create(workloads[kind], workload(kind, size));
      await clock.advance(3 * MINUTE);
    },
    async update(kind) {
      const { template } = objectOf(workload(kind, 0, 'web:2')['spec']);
      await change(kind, { template: withVariable(objectOf(template)) });
    },
    async located() {
      const { items } = await user.list(resources.Pod, { namespace: SHOP });
      return (items as Pod[])
        .map(({ spec, metadata }) => `${spec.nodeName ?? 'waits'} ${metadata.labels?.['place'] ?? ''}`.trim())
        .sort()
        .join(', ');
    },
    async counts() {
      const { status } = await user.get(resources.WorkloadSpread, AT);
      return listOf(objectOf(status)['subsetStatuses']).map((each) =>
        ['name', 'replicas', 'missingReplicas'].map((field) => JSON.stringify(each[field])).join(' '),
      );
    },
    most: () => most,
    async stop() {
      await Promise.all([runtime.stop(), clock.settle()]);
      world.stop();
      await clock.settle();
    },
  };
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

/** By its record or its node. One that waits says nothing. */
function isIn(pod: Pod, name: string): boolean {
  if (isGatedBy(pod, [GATE])) return false;
  return matchedOf(pod)?.subset === name || pod.spec.nodeName === `node-${name}`;
}

function withVariable({ spec, ...template }: JsonObject): JsonObject {
  const containers = listOf(objectOf(spec)['containers']).map((each) => ({
    ...each,
    env: [{ name: 'A', value: 'b' }],
  }));
  return { ...template, spec: { ...objectOf(spec), containers } };
}
