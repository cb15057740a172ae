import { parseAllDocuments } from 'yaml';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  authorized,
  createVirtualClock,
  serviceAccount,
  type VirtualClock,
  type World,
} from 'kruise-sandbox';
import type { RuntimeOptions } from '../../runtime/options.ts';
import { createRuntime, type Runtime } from '../../runtime/runtime.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { serves } from '../conformance/serving.ts';
import { root } from '../deploy/cluster.ts';
import { grant } from '../deploy/scenario.ts';
import { injectingWorld } from '../fixtures/injecting-world.ts';
import { cloneSet, templateOf } from './stage.ts';

export const MINUTE = 60_000;
export const SHOP = 'shop';
export const at = (name: string) => ({ namespace: SHOP, name });
export const DEPLOYMENT = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};
const roles = parseAllDocuments(readFileSync(join(root, 'deploy/rbac/runtime.yaml'), 'utf8')).map(
  (document) => document.toJS() as KubeObject,
);

/** A budget of the pods with the label app=web. */
export const budget = (spec: JsonObject = {}): KubeObject => ({
  apiVersion: 'policy.kruise.io/v1beta1',
  kind: 'PodUnavailableBudget',
  metadata: at('web'),
  spec: {
    ...(!('targetRef' in spec) && { selector: { matchLabels: { app: 'web' } } }),
    ...(!('minAvailable' in spec) && { maxUnavailable: 1 }),
    ...spec,
  },
});

/** A CloneSet that would change all of its pods at once. */
export const web = (replicas: number, strategy: JsonObject = {}, image = 'web:1'): KubeObject =>
  cloneSet('web', image, { replicas }, { maxUnavailable: replicas, ...strategy });

export interface Site {
  world: World;
  clock: VirtualClock;
  user: Cluster;
  errors: unknown[];
  denied: string[];
  begin(wrap?: (cluster: Cluster) => Cluster): void;
  /** Allowed/Current/Desired/Total. */
  counts(): Promise<string>;
  entries(): Promise<unknown>;
  pods(): Promise<Pod[]>;
  images(): Promise<Record<string, number>>;
  /** The most pods out of traffic since `watch`. */
  worst(): number;
  watch(): void;
  patch(spec: JsonObject): Promise<unknown>;
  update(image: string): Promise<unknown>;
  held(): Promise<string | undefined>;
}

let stop: (() => Promise<void>) | undefined;

/** Ends the sandbox of the test. */
export async function endSite(): Promise<void> {
  await stop?.();
  stop = undefined;
}

/**
 * A sandbox in which these objects have settled, and the runtime in it under the roles that are shipped.
 *
 * @param options of the runtime
 */
export async function site(
  objects: readonly KubeObject[],
  wrapOf: (cluster: Cluster, clock: VirtualClock) => Cluster = (cluster) => cluster,
  options: Partial<RuntimeOptions> = {},
): Promise<Site> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = injectingWorld(clock, { crds: [...crds] });
  grant(world, roles);
  const [errors, denied]: [unknown[], string[]] = [[], []];
  const running: Runtime[] = [];
  const begin: Site['begin'] = (wrap = (cluster) => cluster) => {
    const account = serviceAccount('kruise-system', 'kruise-runtime');
    const cluster = authorized(world, account, ({ verb, resource, subresource }, isAllowed) => {
      if (!isAllowed) denied.push(`${verb} ${resource} ${subresource}`);
    });
    const runtime = createRuntime({
      cluster: wrap(wrapOf(cluster, clock)),
      clock,
      policy: 'Auto',
      onError: (_key, error) => errors.push(error),
      ...options,
    });
    runtime.start();
    running.push(runtime);
  };
  stop = async () => {
    for (const runtime of running) void runtime.stop();
    world.stop();
    await clock.settle();
  };
  const known = new Map<string, Pod>();
  let [worst, size] = [0, 0];
  world.onCommit(({ resource, type, object }) => {
    if (resource !== 'pods' || object.metadata.labels?.['app'] !== 'web') return;
    if (type === 'DELETED') known.delete(object.metadata.uid ?? '');
    else known.set(object.metadata.uid ?? '', object as Pod);
    worst = Math.max(worst, size - [...known.values()].filter(serves).length);
  });
  begin();
  await clock.settle();
  const user = world.cluster('user');
  const all = { ...resources, Deployment: DEPLOYMENT };
  for (const object of objects) {
    const resource = Object.values(all).find(
      ({ kind, group }) => kind === object.kind && object.apiVersion.startsWith(group),
    );
    if (resource === undefined) throw new Error(`there is no resource of ${object.kind}`);
    await user.create(resource, object);
  }
  await clock.advance(2 * MINUTE);
  const pods = async (): Promise<Pod[]> =>
    (await user.list(resources.Pod, { namespace: SHOP, labelSelector: 'app=web' })).items as Pod[];
  const status = async (): Promise<Record<string, unknown>> =>
    ((await user.get(resources.PodUnavailableBudget, at('web')))['status'] ?? {}) as Record<string, unknown>;
  const patch = (spec: JsonObject): Promise<unknown> =>
    user.patch(resources.CloneSet, at('web'), { type: 'merge', body: { spec } });
  return {
    world,
    clock,
    user,
    errors,
    denied,
    begin,
    pods,
    patch,
    async counts() {
      const { unavailableAllowed, currentAvailable, desiredAvailable, totalReplicas } = await status();
      return [unavailableAllowed, currentAvailable, desiredAvailable, totalReplicas].join('/');
    },
    async entries() {
      const { disruptedPods, unavailablePods } = await status();
      return [disruptedPods, unavailablePods];
    },
    async images() {
      const found: Record<string, number> = {};
      for (const { spec } of await pods()) {
        const { image = '' } = spec.containers[0] ?? {};
        found[image] = (found[image] ?? 0) + 1;
      }
      return found;
    },
    worst: () => worst,
    watch() {
      size = [...known.values()].filter(serves).length;
      worst = 0;
    },
    update: (image) => patch({ template: templateOf('web', image) }),
    async held() {
      const { status: shown } = (await user.get(resources.CloneSet, at('web'))) as {
        status?: { conditions?: { type: string; status: string; reason: string; message: string }[] };
      };
      const found = shown?.conditions?.find(({ type }) => type === 'plan.kruise.io/Held');
      return found?.status === 'True' ? `${found.reason}: ${found.message}` : undefined;
    },
  };
}

/** A template of pods with the label app=web, and another one for their workload. */
export const labeled = (of: string, image: string): JsonObject => ({
  ...templateOf('web', image),
  metadata: { labels: { app: 'web', of } },
});
/** A CloneSet of five pods, all of which it would change at once. */
export const cloneSetOfFive = (of: string): KubeObject =>
  cloneSet(
    of,
    'web:1',
    { replicas: 5, selector: { matchLabels: { of } }, template: labeled(of, 'web:1') },
    { maxUnavailable: 5 },
  );

/** A Deployment of pods with the label app=web. */
export const deployment = (name: string, replicas: number): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: at(name),
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web', of: name } },
    template: labeled(name, 'web:1'),
  },
});
export const scale = (user: Cluster, name: string, replicas: number): Promise<unknown> =>
  user.patch(DEPLOYMENT, at(name), { type: 'merge', body: { spec: { replicas } } });
