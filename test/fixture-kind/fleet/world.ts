import { parseAllDocuments } from 'yaml';
import {
  authorized,
  type Call,
  crashing,
  createVirtualClock,
  createWorld,
  failing,
  type Fate,
  serviceAccount,
  type VirtualClock,
  type World,
} from 'kruise-sandbox';
import { deployOutputs } from '../../../deploy/generate/outputs.ts';
import { createRuntime, type Runtime } from '../../../runtime/runtime.ts';
import type { RolloutPlanSpec } from '../../../schemas/generated/types/rolloutplan.ts';
import { crds } from '../../../schemas/generated/crds.ts';
import type { ApiError, Cluster } from '../../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { planDigest } from '../../../semantics/plan/digest.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { grant } from '../../deploy/scenario.ts';
import { rackKind } from '../kind.ts';
import { fleetDefinitions } from './definitions.ts';
import { fleetKind } from './kind.ts';
import { registered } from './registered.ts';
import { slotsOf, specOf } from './spec.ts';

export const SHOP = 'shop';
export const AT = { namespace: SHOP, name: 'db' };
const MINUTE = 60_000;

const outputs = deployOutputs(registered, [...crds, ...fleetDefinitions]);
const roles = parseAllDocuments(outputs.get('deploy/rbac/runtime.yaml') ?? '').map(
  (document) => document.toJS() as KubeObject,
);

const templateOf = (image: string): JsonObject => ({
  metadata: { labels: { app: 'db' } },
  spec: { containers: [{ name: 'main', image }] },
});

/** The fleet `db`: three zones of five, three and two slots. */
export function fleet(image: string, spec: JsonObject = {}): KubeObject {
  const { group, version, kind } = fleetKind.resource;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { ...AT },
    spec: { subsets: zones(5, 3, 2), template: templateOf(image), ...spec },
  };
}

export function zones(...slots: number[]): JsonObject[] {
  return slots.map((count, index) => ({ name: 'abc'[index] ?? '', slots: count }));
}

/** A plan for the fleet: a fifth of the slots, half of them and all, each after an approval. */
export function planOf(from: string, to: string): KubeObject {
  const spec: Omit<RolloutPlanSpec, 'digest'> = {
    format: '1',
    semantics: '1',
    target: { apiVersion: 'test.plan.kruise.io/v1', kind: 'Fleet', name: AT.name },
    to: { hash: templateHash(templateOf(to)), bound: {} },
    from: [{ hash: templateHash(templateOf(from)), mode: 'Recreate' }],
    steps: [
      { id: 'fifth', update: { to: '20%' } },
      { id: 'one', approve: {} },
      { id: 'half', update: { to: '50%' } },
      { id: 'two', approve: {} },
      { id: 'rest', update: { to: '100%' } },
    ],
  };
  return {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutPlan',
    metadata: { namespace: SHOP, name: 'fleet-db' },
    spec: { ...spec, digest: planDigest(spec) },
  };
}

/** A sandbox that has the kinds, and the runtime in it under the roles that are made for them. */
export interface FleetCluster {
  world: World;
  clock: VirtualClock;
  user: Cluster;
  errors: unknown[];
  /** What the roles have refused. */
  denied: string[];
  /** Most pods on each image, those being deleted aside, and most pods missing of all, at any time since this was last asked. */
  most(): { images: Record<string, number>; missing: number };
  /** How many pods of each rack are on which image: `{a: {'db:1': 3, 'db:2': 2}}`. */
  pods(): Promise<Record<string, Record<string, number>>>;
  target(): Promise<KubeObject>;
  rack(zone: string): Promise<KubeObject>;
  plan(): Promise<KubeObject>;
  /** Sets the image, with a plan unless there is none from this image. */
  change(image: string, from?: string): Promise<void>;
  set(spec: JsonObject): Promise<void>;
  command(action: string, more?: JsonObject): Promise<KubeObject>;
  approve(step: string): Promise<void>;
  stop(): Promise<void>;
}

const imageOf = (pod: KubeObject): string =>
  (pod['spec'] as { containers: { image: string }[] }).containers[0]?.image ?? '';
const isReady = (pod: KubeObject): boolean =>
  (pod['status'] as { conditions?: { type: string; status: string }[] } | undefined)?.conditions?.some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  ) === true;

/** Milliseconds after which another process goes on where one has ended. */
const RESTARTS_MS = 5_000;

/**
 * `db` at image db:1 has settled.
 *
 * @param fate of a call of the runtime: where it ends, another one begins
 * @param errorOf why the server refuses a call of the runtime
 */
export async function createFleetCluster(
  spec: JsonObject = {},
  fate: (call: Call) => Fate = () => 'lives',
  errorOf: (call: Call) => ApiError | undefined = () => undefined,
): Promise<FleetCluster> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({
    clock,
    namespaces: ['default', SHOP, 'kruise-system'],
    crds: [...crds, ...fleetDefinitions],
  });
  grant(world, roles);
  const [errors, denied]: [unknown[], string[]] = [[], []];
  const account = serviceAccount('kruise-system', 'kruise-runtime');
  const begin = (): Runtime => {
    const cluster = authorized(world, account, ({ verb, resource }, isAllowed) => {
      if (!isAllowed) denied.push(`${verb} ${resource}`);
    });
    const process = createRuntime({
      cluster: crashing(failing(cluster, errorOf), clock, fate, () =>
        clock.after(RESTARTS_MS, () => (runtime = begin())),
      ),
      clock,
      policy: 'Required',
      onError: (_key, error) => errors.push(error),
    });
    process.start();
    return process;
  };
  let runtime = begin();
  await clock.settle();
  const user = world.cluster('user');
  await user.create(fleetKind.resource, fleet('db:1', spec));
  await clock.advance(2 * MINUTE);
  const pods = new Map<string, KubeObject>();
  for (const pod of (await user.list(resources.Pod, { namespace: SHOP })).items)
    pods.set(pod.metadata.name, pod);
  let wanted = slotsOf(specOf(await user.get(fleetKind.resource, AT)));
  let most = { images: {} as Record<string, number>, missing: 0 };
  const measure = (): void => {
    const images: Record<string, number> = {};
    for (const pod of pods.values()) images[imageOf(pod)] = (images[imageOf(pod)] ?? 0) + 1;
    for (const [image, count] of Object.entries(images))
      most.images[image] = Math.max(most.images[image] ?? 0, count);
    most.missing = Math.max(most.missing, wanted - [...pods.values()].filter(isReady).length);
  };
  world.onCommit(({ resource, type, object }) => {
    if (resource === 'fleets.test.plan.kruise.io') wanted = slotsOf(specOf(object));
    if (resource !== 'pods') return;
    if (type === 'DELETED' || object.metadata.deletionTimestamp !== undefined)
      pods.delete(object.metadata.name);
    else pods.set(object.metadata.name, object);
    measure();
  });
  let commands = 0;
  const self: FleetCluster = {
    world,
    clock,
    user,
    errors,
    denied,
    most() {
      const found = most;
      most = { images: {}, missing: 0 };
      measure();
      return found;
    },
    async pods() {
      const { items } = await user.list(resources.Pod, { namespace: SHOP });
      const found: Record<string, Record<string, number>> = {};
      for (const pod of items) {
        const zone = pod.metadata.name.split('-')[1] ?? '';
        const images = (found[zone] ??= {});
        images[imageOf(pod)] = (images[imageOf(pod)] ?? 0) + 1;
      }
      return found;
    },
    target: () => user.get(fleetKind.resource, AT),
    rack: (zone) => user.get(rackKind.resource, { namespace: SHOP, name: `db-${zone}` }),
    plan: () => user.get(resources.RolloutPlan, { namespace: SHOP, name: 'fleet-db' }),
    async change(image, from) {
      if (from !== undefined) await user.create(resources.RolloutPlan, planOf(from, image));
      await self.set({ template: templateOf(image) });
    },
    async set(changed) {
      await user.patch(fleetKind.resource, AT, { type: 'merge', body: { spec: changed } });
      await clock.advance(3 * MINUTE);
    },
    async command(action, more = {}) {
      commands += 1;
      const at = { namespace: SHOP, name: `command-${commands}` };
      await user.create(resources.RolloutCommand, {
        apiVersion: 'plan.kruise.io/v1alpha1',
        kind: 'RolloutCommand',
        metadata: at,
        spec: {
          target: { apiVersion: 'test.plan.kruise.io/v1', kind: 'Fleet', name: AT.name },
          action,
          by: 'mona',
          ...more,
        },
      });
      await clock.advance(5 * MINUTE);
      return user.get(resources.RolloutCommand, at);
    },
    async approve(step) {
      const { digest } = (await self.plan())['spec'] as RolloutPlanSpec;
      await self.command('Approve', { step, digest });
    },
    async stop() {
      void runtime.stop();
      world.stop();
      await clock.settle();
    },
  };
  return self;
}
