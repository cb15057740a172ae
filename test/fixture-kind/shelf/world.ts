import { parseAllDocuments } from 'yaml';
import { deployOutputs } from '../../../deploy/generate/outputs.ts';
import { createRuntime, type Runtime } from '../../../runtime/runtime.ts';
import type { RuntimeOptions } from '../../../runtime/options.ts';
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
import { grant } from '../../deploy/scenario.ts';
import { shelfDefinitions } from './definitions.ts';
import { shelfKind } from './kind.ts';
import { registered } from './registered.ts';
import { copyResource } from './spec.ts';

export const SHOP = 'shop';
export const AT = { namespace: SHOP, name: 'poems' };
const MINUTE = 60_000;

const outputs = deployOutputs(registered, [...crds, ...shelfDefinitions]);
/** The roles that are made for the registered kinds. */
export const roles = parseAllDocuments(outputs.get('deploy/rbac/runtime.yaml') ?? '').map(
  (document) => document.toJS() as KubeObject,
);

/** The shelf `poems`. */
export function shelf(spec: JsonObject = {}): KubeObject {
  const { group, version, kind } = shelfKind.resource;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { ...AT },
    spec: { copies: 3, text: 'one', ...spec },
  };
}

/** A sandbox with the kind, and the runtime in it under the roles that are made for it. */
export interface ShelfCluster {
  world: World;
  clock: VirtualClock;
  user: Cluster;
  errors: unknown[];
  /** What the roles have refused. */
  denied: string[];
  target(): Promise<KubeObject>;
  status(): Promise<Record<string, unknown>>;
  /** The text of each copy, by the name of the copy. */
  copies(): Promise<Record<string, string>>;
  change(spec: JsonObject): Promise<void>;
  /** Ends the process of the runtime, and begins another. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** `clusterOf`: what a runtime gets of what its account may do. */
export async function createShelfCluster(
  options: Partial<RuntimeOptions> = {},
  clusterOf: (cluster: Cluster) => Cluster = (cluster) => cluster,
): Promise<ShelfCluster> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const namespaces = ['default', SHOP, 'kruise-system'];
  const world = createWorld({ clock, namespaces, crds: [...crds, ...shelfDefinitions] });
  grant(world, roles);
  const [errors, denied]: [unknown[], string[]] = [[], []];
  const account = serviceAccount('kruise-system', 'kruise-runtime');
  const begin = (): Runtime => {
    const cluster = authorized(world, account, ({ verb, resource }, isAllowed) => {
      if (!isAllowed) denied.push(`${verb} ${resource}`);
    });
    const runtime = createRuntime({
      cluster: clusterOf(cluster),
      clock,
      policy: 'Required',
      onError: (_key, error) => errors.push(error),
      ...options,
    });
    runtime.start();
    return runtime;
  };
  let runtime = begin();
  await clock.settle();
  const user = world.cluster('user');
  const target = (): Promise<KubeObject> => user.get(shelfKind.resource, AT);
  return {
    world,
    clock,
    user,
    errors,
    denied,
    target,
    status: async () => ((await target())['status'] ?? {}) as Record<string, unknown>,
    async copies() {
      const { items } = await user.list(copyResource, { namespace: SHOP });
      return Object.fromEntries(
        items
          .filter(({ metadata }) => metadata.name.startsWith(`${AT.name}-`))
          .map(({ metadata, data }) => [metadata.name, (data as { text: string }).text] as const)
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      );
    },
    async change(spec) {
      await user.patch(shelfKind.resource, AT, { type: 'merge', body: { spec } });
      await clock.advance(MINUTE);
    },
    async restart() {
      await runtime.stop();
      runtime = begin();
      await clock.advance(MINUTE);
    },
    async stop() {
      void runtime.stop();
      world.stop();
      await clock.settle();
    },
  };
}
