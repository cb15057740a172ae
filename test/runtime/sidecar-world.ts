import { createVirtualClock, type VirtualClock, type World } from 'kruise-sandbox';
import { injectingWorld } from '../fixtures/injecting-world.ts';
import { statedBound } from '../../compiler/plan/bound.ts';
import { createRuntime, type RuntimeOptions } from '../../runtime/runtime.ts';
import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { planDigest } from '../../semantics/plan/digest.ts';
import type { Policy } from '../../semantics/policy.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { classifyContent } from '../../semantics/sidecarset/classify.ts';
import { COMPLETE_ANNOTATION } from '../../semantics/revision/revision.ts';
import { sidecarSetGit } from '../../semantics/sidecarset/git.ts';
import { sidecarSets } from '../../semantics/sidecarset/resource.ts';
import { trueCondition } from '../../semantics/status/conditions.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import { objectOf, textOf } from '../../semantics/values/read.ts';

const DEPLOYMENTS: Resource = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

interface Running {
  start(): void;
  stop(): unknown;
}

/** A cluster with the runtime, the admission and the controllers of Kubernetes, on one virtual clock. */
export interface SidecarWorld {
  world: World;
  clock: VirtualClock;
  user: Cluster;
  /** The one that runs now. */
  runtime: Running;
  errors: unknown[];
  /** Writes a set with this image, first its plan where steps are given. */
  set(image: string, steps?: readonly Step[], spec?: JsonObject): Promise<void>;
  /** Writes the plan of the present set, whose manifest came first. `before`: what differed in the spec of the set. */
  replan(before: JsonObject, steps: readonly Step[]): Promise<void>;
  deployment(name: string, replicas: number, labels?: Record<string, string>): Promise<void>;
  /** Scales, and runs for half a minute or this time, milliseconds. */
  scale(name: string, replicas: number, ms?: number): Promise<void>;
  bare(name: string, namespace?: string, annotations?: Record<string, string>): Promise<void>;
  /** Sets labels of a pod. */
  label(name: string, labels: Record<string, string>): Promise<void>;
  pods(): Promise<Pod[]>;
  /** How many pods have each image of the sidecar; `none`: they have none. */
  images(): Promise<Record<string, number>>;
  status(): Promise<JsonObject>;
  /** A condition of the set that is True. */
  condition(type: string): Promise<Condition | undefined>;
  plan(): Promise<JsonObject>;
  /** Runs until it is on record which revision is stable: after a fault that may take a while. */
  recorded(): Promise<void>;
  /** Runs until the plan has this phase. */
  until(phase: string, limitMs?: number): Promise<void>;
  stop(): Promise<void>;
}

const SELECTOR = { matchLabels: { app: 'web' } };

export function setWith(image: string, spec: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'SidecarSet',
    metadata: { name: 'log' },
    spec: { selector: SELECTOR, containers: [{ name: 'log', image }], ...spec },
  };
}

const contentOf = (set: KubeObject): JsonObject => sidecarSetGit.read(set).template;
const hashWith = (set: KubeObject): string => templateHash(contentOf(set));

/**
 * The plan of a changed set.
 *
 * @param active the plan that it takes over from; undefined: there is none
 */
export function planOfSet(
  before: KubeObject,
  after: KubeObject,
  steps: readonly Step[],
  active?: KubeObject,
): KubeObject {
  const { from = [], digest } = (active?.['spec'] ?? {}) as Partial<RolloutPlanSpec>;
  const spec: Omit<RolloutPlanSpec, 'digest'> = {
    format: '1',
    semantics: '1',
    target: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'SidecarSet', name: 'log' },
    to: {
      hash: hashWith(after),
      bound: statedBound(sidecarSetGit.read(after), sidecarSetGit.read(before), undefined),
    },
    from: [
      { hash: hashWith(before), mode: classifyContent(contentOf(before), contentOf(after)).mode },
      ...from,
    ].filter(({ hash }) => hash !== hashWith(after)),
    ...(digest !== undefined && { supersedes: [digest] }),
    steps: [...steps],
  };
  return {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'ClusterRolloutPlan',
    metadata: { name: 'sidecarset-log' },
    spec: { ...spec, digest: planDigest(spec) },
  };
}

/** Whether the bound of a plan retains pods on the revisions that it starts from. */
function retainsPods({ spec }: KubeObject): boolean {
  const { selector, partition = 0 } = objectOf(objectOf(objectOf(spec)['to'])['bound']);
  return selector !== undefined || partition !== 0;
}

const template = (containers: readonly JsonObject[], labels: JsonObject = {}): JsonObject => ({
  metadata: { labels: { app: 'web', ...labels } },
  spec: { containers: [...containers] },
});

export async function sidecarWorld({
  policy = 'Required',
  admission = policy,
  start = createRuntime,
}: {
  policy?: Policy;
  /** The policy that the admission is started with. Default: that of the runtime. */
  admission?: Policy;
  start?: (options: RuntimeOptions) => Running;
} = {}): Promise<SidecarWorld> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = injectingWorld(clock, { namespaces: ['other'] }, admission);
  const errors: unknown[] = [];
  const runtime = start({
    cluster: world.cluster('kruise'),
    clock,
    policy,
    onError: (_key, error) => errors.push(error),
  });
  runtime.start();
  await clock.settle();
  const user = world.cluster('user');
  const get = (): Promise<KubeObject> => user.get(sidecarSets, { name: 'log' });
  let present: KubeObject | undefined;
  const all = async (): Promise<Pod[]> => (await user.list(resources.Pod, {})).items as Pod[];
  const plan = async (): Promise<JsonObject> =>
    objectOf((await user.get(resources.ClusterRolloutPlan, { name: 'sidecarset-log' }))['status']);
  const planned = async (before: KubeObject, after: KubeObject, steps: readonly Step[]): Promise<void> => {
    const { items } = await user.list(resources.ClusterRolloutPlan, {});
    // Where the bound has retained pods, they are on a revision that the plan before starts from.
    const active = items.find(
      (each) => objectOf(each['status'])['phase'] !== 'Succeeded' || retainsPods(each),
    );
    for (const { metadata } of items)
      await user.delete(resources.ClusterRolloutPlan, { name: metadata.name });
    await user.create(resources.ClusterRolloutPlan, planOfSet(before, after, steps, active));
  };
  const scene: SidecarWorld = {
    world,
    clock,
    user,
    runtime,
    errors,
    async set(image, steps, spec) {
      const next = setWith(image, spec);
      if (present === undefined) await user.create(sidecarSets, next);
      else {
        if (steps !== undefined) await planned(present, next, steps);
        const { metadata } = await get();
        await user.replace(sidecarSets, { ...next, metadata });
      }
      present = next;
      await clock.advance(5_000);
    },
    async replan(before, steps) {
      if (present === undefined) throw new Error('there is no set');
      await planned({ ...present, spec: { ...objectOf(present['spec']), ...before } }, present, steps);
      await clock.advance(1_000);
    },
    async deployment(name, replicas, labels = {}) {
      await user.create(DEPLOYMENTS, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name, namespace: 'shop' },
        spec: {
          replicas,
          selector: { matchLabels: { app: 'web', ...labels } },
          template: template([{ name: 'nginx', image: 'nginx:1' }], labels),
        },
      });
      await clock.advance(30_000);
    },
    async scale(name, replicas, ms = 30_000) {
      await user.patch(
        DEPLOYMENTS,
        { namespace: 'shop', name },
        { type: 'merge', body: { spec: { replicas } } },
      );
      await clock.advance(ms);
    },
    async bare(name, namespace = 'shop', annotations = {}) {
      const { metadata, spec } = template([{ name: 'main', image: 'main:1' }]);
      await user.create(resources.Pod, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...objectOf(metadata), name, namespace, annotations },
        spec: spec ?? {},
      });
      await clock.advance(15_000);
    },
    async label(name, labels) {
      await user.patch(
        resources.Pod,
        { namespace: 'shop', name },
        { type: 'merge', body: { metadata: { labels } } },
      );
    },
    pods: all,
    async images() {
      const counts: Record<string, number> = {};
      for (const pod of await all()) {
        const image = pod.spec.containers.find(({ name }) => name === 'log')?.image ?? 'none';
        counts[image] = (counts[image] ?? 0) + 1;
      }
      return counts;
    },
    status: async () => objectOf((await get())['status']),
    condition: async (type) => trueCondition(await get(), type),
    plan,
    async recorded() {
      const end = clock.now() + 600_000;
      const isStable = ({ metadata }: KubeObject): boolean =>
        metadata.annotations?.[COMPLETE_ANNOTATION] !== undefined;
      while (!(await user.list(resources.ControllerRevision, {})).items.some(isStable)) {
        if (clock.now() >= end) throw new Error('no revision is stable');
        await clock.advance(1_000);
      }
    },
    async until(phase, limitMs = 600_000) {
      const end = clock.now() + limitMs;
      while (textOf((await plan())['phase']) !== phase) {
        if (clock.now() >= end) throw new Error(`not ${phase}: ${JSON.stringify(await plan())}`);
        await clock.advance(1_000);
      }
    },
    async stop() {
      void scene.runtime.stop();
      world.stop();
      await clock.settle();
    },
  };
  return scene;
}
