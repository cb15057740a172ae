import { createVirtualClock, createWorld, type VirtualClock, type World } from 'kruise-sandbox';
import { createRuntime, type Runtime, type RuntimeOptions } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { PlanBound, RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { planDigest } from '../../semantics/plan/digest.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import type { TemplateField } from '../../semantics/uniteddeployment/resource.ts';
import { normalizeUnited } from '../../semantics/uniteddeployment/normalize.ts';

export const SHOP = 'shop';
export const AT = { namespace: SHOP, name: 'web' };
const MINUTE = 60_000;
const GROUP = 'apps.kruise.io/v1beta1';

export const podTemplate = (image: string): JsonObject => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image }] },
});

export const inZone = (zone: string): JsonObject => ({
  matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }],
});

export const zones = (names: string, more: JsonObject = {}): JsonObject[] =>
  [...names].map((name) => ({ name, nodeSelectorTerm: inZone(name), ...more }));

/** What differs between UnitedDeployments `web`. */
export interface Web {
  image?: string;
  subsets?: JsonObject[];
  /** What is made of each subset. Default: a CloneSet. */
  field?: TemplateField;
  /** Of the spec of each child. */
  child?: JsonObject;
  spec?: JsonObject;
}

/** Ten pods in the zones a, b and c. */
export function united({
  image = 'web:1',
  subsets = zones('abc'),
  field = 'cloneSetTemplate',
  child = {},
  spec = {},
}: Web = {}): KubeObject {
  const selector = { matchLabels: { app: 'web' } };
  return {
    apiVersion: GROUP,
    kind: 'UnitedDeployment',
    metadata: { ...AT },
    spec: {
      replicas: 10,
      selector,
      topology: { subsets },
      template: { [field]: { spec: { selector, template: podTemplate(image), ...child } } },
      ...spec,
    },
  };
}

export const STEPS: readonly Step[] = [
  { id: 'fifth', update: { to: '20%' } },
  { id: 'one', approve: {} },
  { id: 'half', update: { to: '50%' } },
  { id: 'two', approve: {} },
  { id: 'rest', update: { to: '100%' } },
];

const hashOf = (web: Web): string => templateHash(normalizeUnited(united(web)).template);

/** The plan from a state, or several, to another. */
export function planFor(
  from: Web | readonly Web[],
  to: Web,
  steps: readonly Step[] = STEPS,
  bound: PlanBound = {},
): KubeObject {
  const spec: Omit<RolloutPlanSpec, 'digest'> = {
    format: '1',
    semantics: '1',
    target: { apiVersion: GROUP, kind: 'UnitedDeployment', name: AT.name },
    to: { hash: hashOf(to), bound },
    from: [from].flat().map((each) => ({ hash: hashOf(each), mode: 'Recreate' })),
    steps: [...steps],
  };
  return {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutPlan',
    metadata: { namespace: SHOP, name: 'uniteddeployment-web' },
    spec: { ...spec, digest: planDigest(spec) },
  };
}

type Started = Pick<Runtime, 'start'> & { stop(): unknown };

/** A sandbox with a node in each of the zones a, b, c and d, and the runtime in it. */
export interface UnitedWorld {
  world: World;
  clock: VirtualClock;
  user: Cluster;
  errors: unknown[];
  /** By subset, how many pods are on which image. */
  pods(): Promise<Record<string, Record<string, number>>>;
  /** Most pods on each image since this was last asked, those being deleted aside. */
  most(): Record<string, number>;
  /** Default: a CloneSet. */
  child(subset: string, kind?: 'CloneSet' | 'StatefulSet'): Promise<KubeObject>;
  target(): Promise<KubeObject>;
  held(): Promise<string>;
  plan(): Promise<Record<string, unknown>>;
  /** Applies objects as git would, and waits. */
  apply(...objects: KubeObject[]): Promise<void>;
  set(spec: JsonObject): Promise<void>;
  approve(step: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param start creates the runtime for the world. Default: `createRuntime`
 * @param workloads the controllers of Kubernetes run, too: of Deployments and StatefulSets. Default: they do not
 */
export async function createUnitedWorld({
  policy = 'Required',
  start = createRuntime,
  workloads = false,
}: {
  policy?: RuntimeOptions['policy'];
  start?: (options: RuntimeOptions) => Started;
  workloads?: boolean;
} = {}): Promise<UnitedWorld> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', SHOP], crds: [...crds], nodes: 0, workloads });
  for (const zone of 'abcd') world.nodes.add(`node-${zone}`, { labels: { zone } });
  const errors: unknown[] = [];
  const onError: RuntimeOptions['onError'] = (_key, error) => errors.push(error);
  const runtime = start({ cluster: world.cluster('kruise'), clock, policy, onError });
  runtime.start();
  await clock.settle();
  const user = world.cluster('user');
  const alive = new Map<string, KubeObject>();
  let most: Record<string, number> = {};
  const measure = (): void => {
    const images: Record<string, number> = {};
    for (const pod of alive.values()) images[imageOf(pod)] = (images[imageOf(pod)] ?? 0) + 1;
    for (const [image, count] of Object.entries(images)) most[image] = Math.max(most[image] ?? 0, count);
  };
  world.onCommit(({ resource, type, object }) => {
    if (resource !== 'pods') return;
    if (type === 'DELETED' || object.metadata.deletionTimestamp !== undefined)
      alive.delete(object.metadata.name);
    else alive.set(object.metadata.name, object);
    measure();
  });
  let commands = 0;
  const self: UnitedWorld = {
    world,
    clock,
    user,
    errors,
    async pods() {
      const { items } = await user.list(resources.Pod, { namespace: SHOP });
      const found: Record<string, Record<string, number>> = {};
      for (const pod of items) {
        const images = (found[pod.metadata.labels?.['apps.kruise.io/subset-name'] ?? ''] ??= {});
        images[imageOf(pod)] = (images[imageOf(pod)] ?? 0) + 1;
      }
      return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
    },
    most() {
      const found = most;
      most = {};
      measure();
      return found;
    },
    child: (subset, kind = 'CloneSet') =>
      user.get(resources[kind], { namespace: SHOP, name: `web-${subset}` }),
    target: () => user.get(resources.UnitedDeployment, AT),
    async held() {
      const { conditions = [] } = statusOf(await self.target()) as {
        conditions?: { type: string; reason: string; message: string }[];
      };
      const held = conditions.find(({ type }) => type === 'plan.kruise.io/Held');
      return held === undefined ? '' : `${held.reason}: ${held.message}`;
    },
    plan: async () =>
      statusOf(await user.get(resources.RolloutPlan, { namespace: SHOP, name: 'uniteddeployment-web' })),
    async apply(...objects) {
      for (const object of objects) {
        const resource = object.kind === 'RolloutPlan' ? resources.RolloutPlan : resources.UnitedDeployment;
        const patch = { type: 'apply', body: object as never, force: true } as const;
        const { namespace = '', name } = object.metadata;
        await user.patch(resource, { namespace, name }, patch, { fieldManager: 'user' });
      }
      await clock.advance(3 * MINUTE);
    },
    async set(spec) {
      await user.patch(resources.UnitedDeployment, AT, { type: 'merge', body: { spec } });
      await clock.advance(3 * MINUTE);
    },
    async approve(step) {
      const { spec } = await user.get(resources.RolloutPlan, {
        namespace: SHOP,
        name: 'uniteddeployment-web',
      });
      commands += 1;
      await user.create(resources.RolloutCommand, {
        apiVersion: 'plan.kruise.io/v1alpha1',
        kind: 'RolloutCommand',
        metadata: { namespace: SHOP, name: `command-${commands}` },
        spec: {
          target: { apiVersion: GROUP, kind: 'UnitedDeployment', name: AT.name },
          ...{ action: 'Approve', by: 'mona', step, digest: (spec as { digest: string }).digest },
        },
      });
      await clock.advance(5 * MINUTE);
    },
    async stop() {
      await Promise.all([runtime.stop(), clock.settle()]);
      world.stop();
      await clock.settle();
    },
  };
  return self;
}

function imageOf(pod: KubeObject): string {
  return (pod['spec'] as { containers: { image: string }[] }).containers[0]?.image ?? '';
}

function statusOf(object: KubeObject): Record<string, unknown> {
  return (object['status'] ?? {}) as Record<string, unknown>;
}
