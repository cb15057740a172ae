import { createVirtualClock, type VirtualClock, type World } from 'kruise-sandbox';
import { injectingWorld } from '../fixtures/injecting-world.ts';
import type { Runtime, RuntimeOptions } from '../../runtime/options.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { sidecarSets } from '../../semantics/sidecarset/resource.ts';

export const ORDERED = { 'apps.kruise.io/container-launch-priority': 'Ordered' };
/** How long a container of the image `slow:1` takes to be ready, milliseconds. */
const SLOW = 4_000;

export const apps = (kind: string): Resource => ({
  group: 'apps',
  version: 'v1',
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: true,
});

export const template = (
  annotations: Record<string, string>,
  containers: readonly JsonObject[],
): JsonObject => ({
  metadata: { labels: { app: 'web' }, annotations },
  spec: { containers: [...containers] },
});

export const slow = (name: string, more: JsonObject = {}): JsonObject => ({ name, image: 'slow:1', ...more });

/** A template whose containers start by their position. */
export const ordered = (...names: string[]): JsonObject =>
  template(
    ORDERED,
    names.map((name) => slow(name)),
  );

/** A cluster with the admission and the controllers of Kubernetes, on a virtual clock. */
export interface LaunchWorld {
  world: World;
  clock: VirtualClock;
  user: Cluster;
  /** What happens to ConfigMaps, without those of the server. */
  writes: string[];
  /** The errors of all runtimes. */
  errors: string[];
  /** The keys in whose name something was written. */
  writers: Set<string>;
  /** Starts a runtime, which ends with the world. */
  run(cluster?: Cluster, options?: Pick<RuntimeOptions, 'retention'>): Runtime;
  workload(kind: string, made: JsonObject, replicas?: number): Promise<void>;
  sidecarSet(spec: JsonObject): Promise<void>;
  pods(): Promise<Pod[]>;
  onlyPod(): Promise<Pod>;
  /** The Events of the runtime about pods. */
  events(): Promise<string[]>;
  stop(): Promise<void>;
}

export async function launchWorld(): Promise<LaunchWorld> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = injectingWorld(clock);
  const user = world.cluster('user');
  const writes: string[] = [];
  const errors: string[] = [];
  const writers = new Set<string>();
  const running: Runtime[] = [];
  world.onCommit(({ resource, type, object }) => {
    if (resource !== 'configmaps' || object.metadata.name === 'kube-root-ca.crt') return;
    const owners = (object.metadata.ownerReferences ?? []).map(({ kind }) => kind).join(' ');
    writes.push(`${type} of ${owners}: ${Object.keys(object['data'] ?? {}).join(' ')}`);
  });
  world.images.set('slow:1', { readyMs: SLOW });
  await clock.settle();
  const pods = async (): Promise<Pod[]> =>
    (await user.list(resources.Pod, { namespace: 'shop' })).items as Pod[];
  return {
    world,
    clock,
    user,
    writes,
    errors,
    writers,
    run(cluster = world.cluster('kruise'), options = {}) {
      const made = createRuntime({
        ...options,
        cluster,
        clock,
        policy: 'Auto',
        onAction: ({ key }) => writers.add(String(key)),
        onError: (key, error) => errors.push(`${String(key)}: ${String(error)}`),
      });
      made.start();
      running.push(made);
      return made;
    },
    async workload(kind, made, replicas = 1) {
      await user.create(apps(kind), {
        apiVersion: 'apps/v1',
        kind,
        metadata: { name: 'web', namespace: 'shop' },
        spec: {
          replicas,
          selector: { matchLabels: { app: 'web' } },
          template: made,
          ...(kind === 'StatefulSet' && { serviceName: 'web' }),
        },
      });
    },
    async sidecarSet(spec) {
      await user.create(sidecarSets, {
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'SidecarSet',
        metadata: { name: 'mesh' },
        spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
      });
    },
    pods,
    async onlyPod() {
      const [pod] = await pods();
      if (pod === undefined) throw new Error('there is no pod');
      return pod;
    },
    async events() {
      const { items } = await user.list(resources.Event, { namespace: 'shop' });
      return items
        .filter(({ source }) => (source as { component?: string }).component === 'kruise')
        .map(({ reason, message, involvedObject }) => {
          const { kind } = involvedObject as { kind: string };
          return `${kind} ${String(reason)}: ${String(message)}`;
        });
    },
    async stop() {
      for (const each of running) void each.stop();
      world.stop();
      await clock.settle();
    },
  };
}

/** The running containers of a pod in the order of their starts, with the seconds since the first one. */
function startsOf(pod: Pod): { name: string; after: number }[] {
  const starts = (pod.status?.containerStatuses ?? []).flatMap((status) => {
    const { running } = (status['state'] ?? {}) as { running?: { startedAt: string } };
    return running === undefined ? [] : [{ name: status.name, at: Date.parse(running.startedAt) }];
  });
  starts.sort((one, other) => one.at - other.at);
  return starts.map(({ name, at }) => ({ name, after: (at - (starts[0]?.at ?? 0)) / 1000 }));
}

/** The running containers of a pod in the order of their starts; `+`: a container did not wait for the one before. */
export function startOrder(pod: Pod): string {
  return startsOf(pod)
    .map(({ name, after }, index, all) => {
      const before = all[index - 1];
      if (before === undefined) return name;
      return after - before.after < SLOW / 1000 ? `+ ${name}` : name;
    })
    .join(' ');
}
