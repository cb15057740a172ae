import { createRuntime, type Runtime, type RuntimeOptions } from '../../runtime/runtime.ts';
import { createVirtualClock, createWorld, type VirtualClock, type World } from 'kruise-sandbox';
import { crds } from '../../schemas/generated/crds.ts';
import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { broadcastJobResource } from '../../semantics/broadcastjob/resource.ts';
import { requiredNode } from '../../semantics/node/affinity.ts';
import { planDigest } from '../../semantics/plan/digest.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { templateHash } from '../../semantics/template/canonical.ts';

export const OPS = 'ops';
export const ZONE = 'topology.kubernetes.io/zone';
const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
const GROUP = 'apps.kruise.io/v1beta1';

/** The parts of BroadcastJob `fix` that differ between tests. */
export interface Fix {
  /** Default: `fix`. */
  name?: string;
  image?: string;
  restartPolicy?: 'Never' | 'OnFailure';
  spec?: JsonObject;
  pod?: JsonObject;
}

const templateOf = ({ image = 'fix:1', restartPolicy = 'Never', pod = {} }: Fix): JsonObject => ({
  spec: { restartPolicy, containers: [{ name: 'main', image }], ...pod },
});

export function fix(parts: Fix = {}): KubeObject {
  return {
    apiVersion: GROUP,
    kind: 'BroadcastJob',
    metadata: { name: parts.name ?? 'fix', namespace: OPS },
    spec: { template: templateOf(parts), ...parts.spec },
  };
}

export function planFor(parts: Fix, steps: readonly Step[]): KubeObject {
  const spec: Omit<RolloutPlanSpec, 'digest'> = {
    format: '1',
    semantics: '1',
    target: { apiVersion: GROUP, kind: 'BroadcastJob', name: parts.name ?? 'fix' },
    to: { hash: templateHash(templateOf(parts)), bound: {} },
    from: [],
    steps: [...steps],
  };
  return {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutPlan',
    metadata: { name: `broadcastjob-${parts.name ?? 'fix'}`, namespace: OPS },
    spec: { ...spec, digest: planDigest(spec) },
  };
}

/** A sandbox whose nodes are in three zones in turn, and the runtime in it. */
export interface RunWorld {
  world: World;
  clock: VirtualClock;
  user: Cluster;
  errors: unknown[];
  /** The nodes that got a pod of the job, in the order of the creations. */
  created: string[];
  /** The most zones that had unfinished pods of the job at one time. */
  readonly mostZones: number;
  /** Nodes with a pod of the job by the phase of the pod. */
  phases(): Promise<Record<string, string[]>>;
  job(): Promise<{ status: JsonObject; held: string }>;
  plan(): Promise<{ phase: string; step: string; message: string }>;
  apply(parts: Fix, steps?: readonly Step[]): Promise<void>;
  command(action: string, more?: JsonObject): Promise<void>;
  /** Restarts the runtime: nothing is remembered but what is in the cluster. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** What of a runtime these worlds use. */
type Started = Pick<Runtime, 'start'> & { stop(): unknown };

/** @param start creates the runtime. Default: `createRuntime` */
export async function createRunWorld({
  nodes = 6,
  policy = 'Required',
  start = createRuntime,
  maxRunning,
}: {
  nodes?: number;
  policy?: RuntimeOptions['policy'];
  start?: (options: RuntimeOptions) => Started;
  maxRunning?: number;
} = {}): Promise<RunWorld> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', OPS], nodes: 0, crds: [...crds] });
  const zoneOf = new Map<string, string>();
  world.images.set('fix:1', { exitAfterMs: 20 * SECOND });
  world.images.set('fix:2', { exitAfterMs: 20 * SECOND });
  world.images.set('fix:bad', { exitAfterMs: 20 * SECOND, exitCode: 1 });
  const created: string[] = [];
  const running = new Map<string, string>();
  let mostZones = 0;
  world.onCommit(({ resource, type, object, previous }) => {
    if (resource === 'nodes') zoneOf.set(object.metadata.name, object.metadata.labels?.[ZONE] ?? '');
    if (resource !== 'pods' || !object.metadata.name.startsWith('fix-')) return;
    const node = requiredNode((object as Pod).spec) ?? '';
    if (previous === undefined) created.push(node);
    const { phase } = (object as Pod).status ?? {};
    if (type === 'DELETED' || phase === 'Succeeded' || phase === 'Failed')
      running.delete(object.metadata.name);
    else running.set(object.metadata.name, zoneOf.get(node) ?? '');
    mostZones = Math.max(mostZones, new Set(running.values()).size);
  });
  // After the hook, which learns the zones of the nodes by their commits.
  for (let n = 1; n <= nodes; n += 1) addNode(world, `node-${n}`, `zone-${'abc'[(n - 1) % 3] ?? ''}`);
  const errors: unknown[] = [];
  const begin = (): Started => {
    const made = start({
      cluster: world.cluster('kruise'),
      clock,
      policy,
      ...(maxRunning !== undefined && { maxRunning }),
      onError: (_key, error) => errors.push(error),
    });
    made.start();
    return made;
  };
  let runtime = begin();
  await clock.advance(MINUTE);
  const user = world.cluster('user');
  const at = { namespace: OPS, name: 'fix' };
  const planAt = { namespace: OPS, name: 'broadcastjob-fix' };
  let commands = 0;
  return {
    world,
    clock,
    user,
    errors,
    created,
    get mostZones() {
      return mostZones;
    },
    async phases() {
      const found: Record<string, string[]> = {};
      for (const pod of (await user.list(resources.Pod, { namespace: OPS })).items as Pod[]) {
        const { phase = '' } = pod.status ?? {};
        if (pod.metadata.name.startsWith('fix-')) (found[phase] ??= []).push(requiredNode(pod.spec) ?? '');
      }
      for (const names of Object.values(found)) names.sort();
      return found;
    },
    async job() {
      const status = ((await user.get(broadcastJobResource, at))['status'] ?? {}) as {
        conditions?: { type: string; reason: string; message: string; status: string }[];
      };
      const held = status.conditions?.find(
        ({ type, status: is }) => type === 'plan.kruise.io/Held' && is === 'True',
      );
      return {
        status,
        held: held === undefined ? '' : `${held.reason}: ${held.message}`,
      };
    },
    async plan() {
      const {
        phase = '',
        step = '',
        message = '',
      } = ((await user.get(resources.RolloutPlan, planAt))['status'] ?? {}) as Record<string, string>;
      return { phase, step, message };
    },
    async apply(parts, steps) {
      if (steps !== undefined) await put(user, resources.RolloutPlan, planFor(parts, steps));
      await put(user, broadcastJobResource, fix(parts));
      await clock.settle();
    },
    async command(action, more = {}) {
      commands += 1;
      await user.create(resources.RolloutCommand, {
        apiVersion: 'plan.kruise.io/v1alpha1',
        kind: 'RolloutCommand',
        metadata: { namespace: OPS, name: `command-${commands}` },
        spec: {
          target: { apiVersion: GROUP, kind: 'BroadcastJob', name: 'fix' },
          action,
          by: 'mona',
          ...more,
        },
      });
      await clock.advance(5 * SECOND);
    },
    async restart() {
      await runtime.stop();
      runtime = begin();
      await clock.advance(5 * SECOND);
    },
    async stop() {
      await Promise.all([runtime.stop(), clock.settle()]);
      world.stop();
      await clock.settle();
    },
  };
}

export function addNode(world: World, name: string, zone: string): void {
  world.nodes.add(name, { labels: { [ZONE]: zone } });
}

/** As `kubectl apply`. */
async function put(
  user: Cluster,
  resource: Parameters<Cluster['patch']>[0],
  object: KubeObject,
): Promise<void> {
  const { namespace = '', name } = object.metadata;
  await user.patch(
    resource,
    { namespace, name },
    { type: 'apply', body: object as never, force: true },
    { fieldManager: 'user' },
  );
}
