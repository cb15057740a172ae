import { parseAllDocuments } from 'yaml';
import { deployOutputs } from '../../../deploy/generate/outputs.ts';
import type { RuntimeOptions } from '../../../runtime/options.ts';
import { createRuntime, type Runtime } from '../../../runtime/runtime.ts';
import {
  authorized,
  createVirtualClock,
  createWorld,
  serviceAccount,
  type VirtualClock,
  type World,
} from 'kruise-sandbox';
import { crds } from '../../../schemas/generated/crds.ts';
import type { Cluster } from '../../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { serves } from '../../conformance/serving.ts';
import { grant } from '../../deploy/scenario.ts';
import { cloneSet, templateOf } from '../../runtime/stage.ts';
import { rackDefinitions } from '../definitions.ts';
import { rationDefinitions } from './definitions.ts';
import { registered } from './registered.ts';
import { rationResource, type RationSpec, type RationStatus, statusOf } from './spec.ts';

export const SHOP = 'shop';
export const MINUTE = 60_000;
const AT = { namespace: SHOP, name: 'web' };
/** The number of pods of `web`. */
export const SIZE = 6;

export const definitions = [...crds, ...rackDefinitions, ...rationDefinitions];
/** The roles that are made for the registered kinds. */
export const roles = parseAllDocuments(
  deployOutputs(registered, definitions).get('deploy/rbac/runtime.yaml') ?? '',
).map((document) => document.toJS() as KubeObject);

/** A CloneSet whose own limit lets three of its six pods be unavailable. */
export function web(name = 'web', image = 'web:1', spec: JsonObject = {}): KubeObject {
  const template = { ...templateOf('web', image), metadata: { labels: { app: 'web', of: name } } };
  const selector = { matchLabels: { of: name } };
  return cloneSet(name, image, { replicas: SIZE, selector, template, ...spec }, { maxUnavailable: 3 });
}

/** The ration `web`: one of the pods with the label app=web. */
export function ration(spec: Partial<RationSpec> = {}): KubeObject {
  return {
    apiVersion: 'test.plan.kruise.io/v1',
    kind: 'Ration',
    metadata: { ...AT },
    spec: { app: 'web', total: SIZE, maxUnavailable: 1, ...spec },
  };
}

/** A sandbox with these kinds, and the runtime in it under the roles that are made for them. */
export interface RationCluster {
  world: World;
  clock: VirtualClock;
  user: Cluster;
  errors: unknown[];
  /** What the roles have refused. */
  denied: string[];
  /** The most pods of each label app that did not serve at any time since the last `watch`. */
  worst(): number;
  /** Counts anew from now on. */
  watch(): void;
  pods(): Promise<Pod[]>;
  images(): Promise<Record<string, number>>;
  ration(): Promise<RationStatus>;
  update(image: string, name?: string): Promise<void>;
  /** The reason and message of the condition Held of a CloneSet; undefined: it is not held. */
  held(name?: string): Promise<string | undefined>;
  begin(
    options?: Partial<RuntimeOptions>,
    clusterOf?: (cluster: Cluster, clock: VirtualClock) => Cluster,
  ): Runtime;
  /** Ends every process, and begins another. */
  restart(clusterOf: (cluster: Cluster) => Cluster): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A sandbox in which these objects have settled.
 *
 * @param clusterOf what the first runtime gets of what its account may do
 */
export async function createRationCluster(
  objects: readonly KubeObject[],
  clusterOf: (cluster: Cluster, clock: VirtualClock) => Cluster = (cluster) => cluster,
): Promise<RationCluster> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const namespaces = ['default', SHOP, 'kruise-system'];
  const world = createWorld({ clock, namespaces, crds: definitions });
  grant(world, roles);
  const [errors, denied]: [unknown[], string[]] = [[], []];
  const account = serviceAccount('kruise-system', 'kruise-runtime');
  const running: Runtime[] = [];
  const begin: RationCluster['begin'] = (options = {}, wrap = (cluster) => cluster) => {
    const cluster = authorized(world, account, ({ verb, resource, subresource }, isAllowed) => {
      if (!isAllowed) denied.push(`${verb} ${resource} ${subresource}`);
    });
    const runtime = createRuntime({
      cluster: wrap(cluster, clock),
      clock,
      policy: 'Auto',
      onError: (_key, error) => errors.push(error),
      ...options,
    });
    runtime.start();
    running.push(runtime);
    return runtime;
  };
  const pods = new Map<string, Pod>();
  let worst = 0;
  let total = 0;
  world.onCommit(({ resource, type, object }) => {
    if (resource !== 'pods' || object.metadata.labels?.['app'] !== 'web') return;
    if (type === 'DELETED') pods.delete(object.metadata.uid ?? '');
    else pods.set(object.metadata.uid ?? '', object as Pod);
    worst = Math.max(worst, total - [...pods.values()].filter(serves).length);
  });
  begin({}, clusterOf);
  await clock.settle();
  const user = world.cluster('user');
  const resourceOf = ({ kind }: KubeObject) => (kind === 'Ration' ? rationResource : resources.CloneSet);
  for (const object of objects) await user.create(resourceOf(object), object);
  await clock.advance(2 * MINUTE);
  const all = async (): Promise<Pod[]> =>
    (await user.list(resources.Pod, { namespace: SHOP })).items as Pod[];
  return {
    world,
    clock,
    user,
    errors,
    denied,
    worst: () => worst,
    watch() {
      total = [...pods.values()].filter(serves).length;
      worst = 0;
    },
    pods: all,
    async images() {
      const found: Record<string, number> = {};
      for (const { spec } of await all()) {
        const { image = '' } = spec.containers[0] ?? {};
        found[image] = (found[image] ?? 0) + 1;
      }
      return found;
    },
    ration: async () => statusOf(await user.get(rationResource, AT)),
    async update(image, name = 'web') {
      const { spec } = web(name, image) as { spec?: JsonObject };
      const body = { spec: { template: spec?.['template'] ?? {} } };
      await user.patch(resources.CloneSet, { namespace: SHOP, name }, { type: 'merge', body });
    },
    async held(name = 'web') {
      const { status } = (await user.get(resources.CloneSet, { namespace: SHOP, name })) as {
        status?: { conditions?: { type: string; status: string; reason: string; message: string }[] };
      };
      const found = status?.conditions?.find(({ type }) => type === 'plan.kruise.io/Held');
      return found?.status === 'True' ? `${found.reason}: ${found.message}` : undefined;
    },
    begin,
    async restart(wrap) {
      await Promise.all(running.splice(0).map((runtime) => runtime.stop()));
      begin({}, wrap);
      await clock.advance(MINUTE);
    },
    async stop() {
      for (const runtime of running) void runtime.stop();
      world.stop();
      await clock.settle();
    },
  };
}
