import { createVirtualClock, createWorld, type VirtualClock, type World } from 'kruise-sandbox';
import { crds } from '../../schemas/generated/crds.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { recordedBy, matchedOf } from '../../semantics/workloadspread/matched.ts';
import { startRuntime } from './stage.ts';

export const AT = { namespace: 'shop', name: 'web' };

export const deployments: Resource = {
  ...{ group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true },
};

/** A cluster of one node in zone a and one in zone b, and a runtime. */
export interface SpreadWorld {
  clock: VirtualClock;
  world: World;
  user: Cluster;
  errors: unknown[];
  /** Each active pod, sorted: where it runs, what is on record of its subset, and whether nothing binds it to that. */
  located(): Promise<string[]>;
  /** Changes the spec of an object named `web`. */
  change(resource: Resource, spec: JsonObject): Promise<void>;
  /** Whether the runtime reports pods of the WorkloadSpread that wait with a gate. */
  waiting(): boolean;
  stopRuntime(): Promise<void>;
  /** Stops the runtime and the cluster. */
  stop(): Promise<void>;
}

export async function spreadWorld(
  wrap: (cluster: Cluster, clock: VirtualClock) => Cluster = (cluster) => cluster,
): Promise<SpreadWorld> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['shop'], crds: [...crds], nodes: 0, workloads: true });
  for (const name of ['a', 'b']) world.nodes.add(`node-${name}`, { labels: { zone: name } });
  const errors: unknown[] = [];
  let isWaiting = false;
  const runtime = startRuntime(world, clock, errors, {
    policy: 'Auto',
    wrap: (cluster) => wrap(cluster, clock),
    onSnapshot({ key, gatedSince }) {
      if (key.kind === 'WorkloadSpread') isWaiting = gatedSince !== undefined;
    },
  });
  await clock.settle();
  const user = world.cluster('user');
  return {
    ...{ clock, world, user, errors },
    async located() {
      const { items } = await user.list(resources.Pod, { namespace: 'shop' });
      return (items as Pod[])
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map((pod) => `${pod.spec.nodeName ?? 'nowhere'} ${onRecord(pod)}`)
        .sort();
    },
    async change(resource, spec) {
      await user.patch(resource, AT, { type: 'merge', body: { spec } });
    },
    waiting: () => isWaiting,
    async stopRuntime() {
      await runtime.stop();
    },
    async stop() {
      await runtime.stop();
      world.stop();
    },
  };
}

function onRecord(pod: Pod): string {
  const by = recordedBy(pod, { metadata: { name: 'web' } } as KubeObject);
  const bound = pod.spec.affinity === undefined ? ' unbound' : '';
  return `${matchedOf(pod)?.subset ?? (by === undefined ? '-' : `by ${by}`)}${bound}`;
}

const inZone = (name: string): JsonObject => ({
  matchExpressions: [{ key: 'zone', operator: 'In', values: [name] }],
});

/** A WorkloadSpread of workload `web` with a subset for each zone; null: it has no cap. */
export function zones(
  kind: string,
  caps: Readonly<Record<string, number | string | null>>,
  spec: JsonObject = {},
): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'WorkloadSpread',
    metadata: { ...AT },
    spec: {
      targetRef: {
        apiVersion: kind === 'Deployment' ? 'apps/v1' : 'apps.kruise.io/v1beta1',
        kind,
        name: 'web',
      },
      subsets: Object.entries(caps).map(([name, maxReplicas]) => ({
        name,
        requiredNodeSelector: inZone(name),
        ...(maxReplicas !== null && { maxReplicas }),
      })),
      ...spec,
    },
  };
}

/** Deployment `web` whose pods wait with the gate. */
export function gatedDeployment(replicas: number): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...AT },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          schedulingGates: [{ name: 'kruise.io/workloadspread' }],
          containers: [{ name: 'main', image: 'web:1' }],
        },
      },
    },
  };
}
