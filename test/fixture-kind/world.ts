import { createRuntime, type Runtime } from '../../runtime/runtime.ts';
import { createVirtualClock, createWorld, type VirtualClock, type World } from 'kruise-sandbox';
import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { planDigest } from '../../semantics/plan/digest.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import { rackDefinitions } from './definitions.ts';

export const SHOP = 'shop';
const MINUTE = 60_000;

const templateOf = (image: string): JsonObject => ({
  metadata: { labels: { app: 'db' } },
  spec: { containers: [{ name: 'main', image }] },
});

/** A target `db` of a kind of these tests, of four slots. */
export function target({ resource }: Kind, image: string): KubeObject {
  const { group, version, kind, namespaced } = resource;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: 'db', ...(namespaced && { namespace: SHOP }) },
    spec: { slots: 4, ...(!namespaced && { namespace: SHOP }), template: templateOf(image) },
  };
}

/** The resources of plans and commands about targets of this kind. */
export function planResources({ resource }: Kind): { plan: Resource; command: Resource } {
  return resource.namespaced
    ? { plan: resources.RolloutPlan, command: resources.RolloutCommand }
    : { plan: resources.ClusterRolloutPlan, command: resources.ClusterRolloutCommand };
}

/** A plan for a target, by default `db`: one slot, an approval, the rest. */
export function planFor(
  kind: Kind,
  from: string,
  to: string,
  { name: of = 'db', ...more }: Pick<RolloutPlanSpec, 'after'> & { name?: string } = {},
): KubeObject {
  const { group, version, kind: name, namespaced } = kind.resource;
  const spec: Omit<RolloutPlanSpec, 'digest'> = {
    format: '1',
    semantics: '1',
    target: { apiVersion: `${group}/${version}`, kind: name, name: of },
    to: { hash: templateHash(templateOf(to)), bound: {} },
    from: [{ hash: templateHash(templateOf(from)), mode: 'Recreate' }],
    steps: [
      { id: 'canary', update: { to: 1 } },
      { id: 'agree', approve: {} },
      { id: 'rest', update: { to: '100%' } },
    ],
    ...more,
  };
  const { plan } = planResources(kind);
  return {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: plan.kind,
    metadata: { name: `${name.toLowerCase()}-${of}`, ...(namespaced && { namespace: SHOP }) },
    spec: { ...spec, digest: planDigest(spec) },
  };
}

/** A sandbox that has the kinds of these tests, and the runtime in it. */
export interface RackCluster {
  kind: Kind;
  /** Where the target is. */
  at: { name: string; namespace?: string };
  world: World;
  clock: VirtualClock;
  user: Cluster;
  runtime: Runtime;
  errors: unknown[];
  /** Slots by image, in the order of the slots. */
  images(): Promise<string[]>;
  target(): Promise<KubeObject>;
  plan(): Promise<KubeObject>;
  change(from: string, to: string, isPlanned?: boolean): Promise<void>;
  command(action: string, more?: JsonObject): Promise<void>;
  stop(): Promise<void>;
}

/**
 * `db` at image db:1 has settled.
 *
 * @param clusterOf what the runtime gets of the world
 */
export async function createRackCluster(
  kind: Kind,
  clusterOf: (world: World) => Cluster = (world) => world.cluster('kruise'),
): Promise<RackCluster> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const namespaces = ['default', SHOP, 'kruise-system'];
  const world = createWorld({ clock, namespaces, crds: [...crds, ...rackDefinitions] });
  const errors: unknown[] = [];
  const runtime = createRuntime({
    cluster: clusterOf(world),
    clock,
    policy: 'Required',
    onError: (_key, error) => errors.push(error),
  });
  runtime.start();
  await clock.settle();
  const user = world.cluster('user');
  const at = { name: 'db', ...(kind.resource.namespaced && { namespace: SHOP }) };
  const { plan, command } = planResources(kind);
  await user.create(kind.resource, target(kind, 'db:1'));
  await clock.advance(MINUTE);
  let commands = 0;
  return {
    kind,
    at,
    world,
    clock,
    user,
    runtime,
    errors,
    async images() {
      const { items } = await user.list(resources.Pod, { namespace: SHOP });
      return items
        .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
        .map((pod) => (pod['spec'] as { containers: { image: string }[] }).containers[0]?.image ?? '');
    },
    target: () => user.get(kind.resource, at),
    plan: () => user.get(plan, { ...at, name: `${kind.id.kind.toLowerCase()}-db` }),
    async change(from, to, isPlanned = true) {
      if (isPlanned) await user.create(plan, planFor(kind, from, to));
      const body = { spec: { template: templateOf(to) } };
      await user.patch(kind.resource, at, { type: 'merge', body });
      await clock.advance(2 * MINUTE);
    },
    async command(action, more = {}) {
      const { apiVersion } = target(kind, '');
      commands += 1;
      await user.create(command, {
        apiVersion: 'plan.kruise.io/v1alpha1',
        kind: command.kind,
        metadata: { ...at, name: `command-${commands}` },
        spec: { target: { apiVersion, kind: kind.id.kind, name: 'db' }, action, by: 'mona', ...more },
      });
      await clock.advance(2 * MINUTE);
    },
    async stop() {
      void runtime.stop();
      world.stop();
      await clock.settle();
    },
  };
}
