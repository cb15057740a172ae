import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { createRuntime, type Runtime, type RuntimeOptions } from '../../runtime/runtime.ts';
import {
  createVirtualClock,
  createWorld,
  type VirtualClock,
  type World,
  type WorldOptions,
} from 'kruise-sandbox';
import { planDigest } from '../../semantics/plan/digest.ts';
import { isAvailable } from '../../semantics/pod/readiness.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { templateHash } from '../../semantics/template/canonical.ts';

const START = Date.UTC(2026, 0, 1);
const NAMESPACE = 'shop';

/** The runtime on a world of its own, on one virtual clock. */
export interface TestCluster {
  world: World;
  clock: VirtualClock;
  user: Cluster;
  runtime: Runtime;
  errors: unknown[];
  pods(target?: string): Promise<Pod[]>;
  target(name?: string): Promise<KubeObject>;
  plan(name?: string): Promise<KubeObject>;
  /** Changes the template's image, and adds the plan that leads there where one is given. */
  change(image: string, planParts?: Partial<RolloutPlanSpec> | false, target?: string): Promise<void>;
  /** Runs until the plan shows this phase. */
  until(phase: string, limitMs?: number): Promise<void>;
  /** Pods of a target by image. */
  images(target?: string): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

export interface StageOptions {
  world?: Partial<WorldOptions>;
  policy?: RuntimeOptions['policy'];
  maxRunning?: number;
  canResize?: () => boolean;
  config?: RuntimeOptions['config'];
  post?: RuntimeOptions['post'];
  onSnapshot?: RuntimeOptions['onSnapshot'];
  wrap?: (cluster: Cluster, clock: VirtualClock) => Cluster;
  prepare?: (world: World) => void;
}

export function cloneSet(
  name: string,
  image: string,
  spec: JsonObject = {},
  strategy: JsonObject = {},
): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: name } },
      template: templateOf(name, image),
      updateStrategy: {
        type: 'RollingUpdate',
        rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', maxUnavailable: 1, ...strategy },
      },
      ...spec,
    },
  };
}

export function templateOf(app: string, image: string): JsonObject {
  return { metadata: { labels: { app } }, spec: { containers: [{ name: 'main', image }] } };
}

/** A CloneSet of one pod whose two containers, `main` and `proxy`, start one after the other. */
export function orderedCloneSet(name: string, image: string): KubeObject {
  const annotations = { 'apps.kruise.io/container-launch-priority': 'Ordered' };
  const template = {
    metadata: { labels: { app: name }, annotations },
    spec: { containers: ['main', 'proxy'].map((each) => ({ name: each, image })) },
  };
  return cloneSet(name, image, { replicas: 1, template });
}

export function planOf(
  name: string,
  fromImage: string,
  toImage: string,
  parts: Partial<RolloutPlanSpec> = {},
): KubeObject {
  const spec: Omit<RolloutPlanSpec, 'digest'> = {
    format: '1',
    semantics: '1',
    target: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name },
    to: { hash: templateHash(templateOf(name, toImage)), bound: {} },
    from: [{ hash: templateHash(templateOf(name, fromImage)), mode: 'Recreate' }],
    steps: [{ id: 'all', update: { to: '100%' } }],
    ...parts,
  };
  return {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutPlan',
    metadata: { name: `cloneset-${name}`, namespace: NAMESPACE },
    spec: { ...spec, digest: planDigest(spec) },
  };
}

export function startRuntime(
  world: World,
  clock: VirtualClock,
  errors: unknown[],
  {
    policy = 'Required',
    maxRunning,
    canResize,
    config,
    post,
    onSnapshot,
    wrap = (c) => c,
  }: Omit<StageOptions, 'world' | 'prepare'> = {},
): Runtime {
  const runtime = createRuntime({
    cluster: wrap(world.cluster('kruise'), clock),
    clock,
    policy,
    ...(maxRunning === undefined ? {} : { maxRunning }),
    ...(canResize === undefined ? {} : { canResize }),
    ...(config === undefined ? {} : { config }),
    ...(post === undefined ? {} : { post }),
    ...(onSnapshot === undefined ? {} : { onSnapshot }),
    onError: (_key, error) => errors.push(error),
  });
  runtime.start();
  return runtime;
}

/** A world in which CloneSet `web` of three pods at web:1 has settled. */
export async function createTestCluster(
  target: KubeObject,
  options: StageOptions = {},
): Promise<TestCluster> {
  const clock = createVirtualClock(START);
  const world = createWorld({ clock, namespaces: ['default', NAMESPACE], ...options.world });
  options.prepare?.(world);
  const errors: unknown[] = [];
  const user = world.cluster('user');
  const runtime = startRuntime(world, clock, errors, options);
  await clock.settle();
  await user.create(resources.CloneSet, target);
  await clock.advance(60_000);
  const at = (name: string) => ({ namespace: NAMESPACE, name });
  const stage: TestCluster = {
    world,
    clock,
    user,
    runtime,
    errors,
    pods: async (name = 'web') =>
      (await user.list(resources.Pod, { namespace: NAMESPACE, labelSelector: `app=${name}` })).items as Pod[],
    target: (name = 'web') => user.get(resources.CloneSet, at(name)),
    plan: (name = 'web') => user.get(resources.RolloutPlan, at(`cloneset-${name}`)),
    async change(image, planParts = {}, name = 'web') {
      const live = await stage.target(name);
      const { template } = live['spec'] as { template: { spec: { containers: { image: string }[] } } };
      const before = template.spec.containers[0]?.image ?? '';
      if (planParts !== false)
        await user.create(resources.RolloutPlan, planOf(name, before, image, planParts));
      await patchSpec(stage, name, { template: templateOf(name, image) });
      await clock.settle();
    },
    async until(phase, limitMs = 3_600_000) {
      let seen = await phaseOf(stage);
      const stop = world.onCommit(({ object }) => {
        if (object.kind === 'RolloutPlan') seen = (object['status'] as { phase?: string } | undefined)?.phase;
      });
      await clock.runUntil(() => seen === phase, { what: `phase ${phase}`, limitMs });
      stop();
    },
    async images(name = 'web') {
      const counts: Record<string, number> = {};
      for (const pod of await stage.pods(name)) {
        const image = pod.spec.containers[0]?.image ?? '';
        counts[image] = (counts[image] ?? 0) + 1;
      }
      return counts;
    },
    async stop() {
      void runtime.stop();
      world.stop();
      await clock.settle();
    },
  };
  return stage;
}

export async function phaseOf(stage: TestCluster, name = 'web'): Promise<string | undefined> {
  const { items } = await stage.user.list(resources.RolloutPlan, { namespace: NAMESPACE });
  const plan = items.find((object) => object.metadata.name === `cloneset-${name}`);
  return (plan?.['status'] as { phase?: string } | undefined)?.phase;
}

export async function patchSpec(stage: TestCluster, name: string, spec: JsonObject): Promise<void> {
  await stage.user.patch(
    resources.CloneSet,
    { namespace: NAMESPACE, name },
    { type: 'merge', body: { spec } },
  );
}

export function availableOf(pods: readonly Pod[], now: number): number {
  return pods.filter((pod) => isAvailable(pod, 0, now)).length;
}
