import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { authorized, createVirtualClock, serviceAccount, createWorld } from 'kruise-sandbox';
import { createRuntime, type Runtime } from '../../runtime/runtime.ts';
import type { RuntimeOptions } from '../../runtime/options.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { root } from '../deploy/cluster.ts';
import { grant } from '../deploy/scenario.ts';

export const MINUTE = 60_000;
/** Too short for another list, after which every target is looked at anyway. */
const SECOND = 1000;
const documents = (path: string): KubeObject[] =>
  parseAllDocuments(readFileSync(join(root, 'deploy', path), 'utf8')).map(
    (document) => document.toJS() as KubeObject,
  );

/** A ResourceDistribution `shared` of the ConfigMap `settings`. */
export const distribution = (targets: JsonObject, resource: JsonObject = {}): KubeObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'ResourceDistribution',
  metadata: { name: 'shared' },
  spec: { resource: settings(resource), targets },
});

export const settings = (more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings' },
  data: { color: 'red' },
  ...more,
});

export const included = (...names: string[]): JsonObject => ({
  includedNamespaces: { list: names.map((name) => ({ name })) },
});

const namespace = (name: string, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

type Site = Awaited<ReturnType<typeof site>>;
let running: Site | undefined;

/** Ends the sandbox of the test. */
export async function endSite(): Promise<void> {
  await running?.stop();
  running = undefined;
}

interface SiteOptions extends Partial<RuntimeOptions> {
  namespaces?: Readonly<Record<string, Record<string, string>>>;
  /** Components of deploy/ with further rights. */
  components?: readonly string[];
  wrap?: (cluster: Cluster) => Cluster;
}

/** A sandbox with the runtime in it, under the roles and policies that are shipped. */
export async function site({
  namespaces = {},
  components = [],
  wrap = (it) => it,
  ...options
}: SiteOptions = {}) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const names = ['default', 'kruise-system', 'kube-system', 'kube-public'];
  const world = createWorld({ clock, namespaces: names, crds: [...crds] });
  grant(world, [
    ...documents('rbac/runtime.yaml'),
    ...['distributions', ...components].flatMap((each) => documents(`components/${each}/rbac.yaml`)),
  ]);
  const admission = { group: 'admissionregistration.k8s.io', version: 'v1' };
  for (const object of documents('policy/runtime.yaml')) {
    const plural = object.kind.endsWith('Binding')
      ? 'validatingadmissionpolicybindings'
      : 'validatingadmissionpolicies';
    world.server.create('admin', { ...admission, plural }, object);
  }
  const user = world.cluster('user');
  for (const [name, labels] of Object.entries(namespaces))
    await user.create(resources.Namespace, namespace(name, labels));
  const [errors, denied, writes]: [unknown[], string[], string[]] = [[], [], []];
  const begin = (): Runtime => {
    const account = serviceAccount('kruise-system', 'kruise-runtime');
    const cluster = authorized(world, account, ({ verb, resource, subresource }, isAllowed) => {
      const text = [verb, resource, subresource].filter(Boolean).join(' ');
      if (!isAllowed) denied.push(text);
      else if (!['get', 'list', 'watch'].includes(verb)) writes.push(text);
    });
    const runtime = createRuntime({
      cluster: wrap(cluster),
      clock,
      policy: 'Auto',
      onError: (_key, error) => errors.push(error),
      ...options,
    });
    runtime.start();
    return runtime;
  };
  let runtime = begin();
  await clock.settle();
  const shared = { name: 'shared' };
  const made = {
    world,
    clock,
    user,
    errors,
    denied,
    writes,
    async create(object: KubeObject): Promise<void> {
      await user.create(resources.ResourceDistribution, object);
      await clock.advance(MINUTE);
    },
    async change(spec: JsonObject): Promise<void> {
      await user.patch(resources.ResourceDistribution, shared, { type: 'merge', body: { spec } });
      await clock.advance(MINUTE);
    },
    async namespace(name: string, labels: Record<string, string> = {}): Promise<void> {
      await user.create(resources.Namespace, namespace(name, labels));
      await clock.advance(SECOND);
    },
    async label(name: string, labels: JsonObject): Promise<void> {
      const body = { metadata: { labels } };
      await user.patch(resources.Namespace, { name }, { type: 'merge', body });
      await clock.advance(SECOND);
    },
    async remove(resource: Resource, at: { namespace?: string; name: string }): Promise<void> {
      await user.delete(resource, at);
      await clock.advance(2 * MINUTE);
    },
    async edit(at: string, body: JsonObject): Promise<void> {
      const key = { namespace: at, name: 'settings' };
      await user.patch(resources.ConfigMap, key, { type: 'merge', body });
      await clock.advance(MINUTE);
    },
    async copies(resource: Resource = resources.ConfigMap): Promise<KubeObject[]> {
      const { items } = await user.list(resource, {});
      return items.filter(({ metadata }) => metadata.name === 'settings');
    },
    /** The data of each copy, by namespace. */
    async data(): Promise<Record<string, unknown>> {
      return Object.fromEntries(
        (await made.copies()).map(({ metadata, data }) => [metadata.namespace ?? '', data]),
      );
    },
    async status(): Promise<{
      counts: string;
      conditions: {
        type: string;
        status: string;
        reason: string;
        message?: string;
        failedNamespaces?: string[];
      }[];
    }> {
      const found = await user.get(resources.ResourceDistribution, shared);
      const status = (found['status'] ?? {}) as Record<string, unknown>;
      return {
        counts: [status['desired'], status['succeeded'], status['failed']].join('/'),
        conditions: (status['conditions'] ?? []) as [],
      };
    },
    /** The conditions that are True, with their namespaces: `ConflictOccurred: ops`. */
    async failures(): Promise<string[]> {
      const { conditions } = await made.status();
      return conditions
        .filter(({ status }) => status === 'True')
        .map(({ type, failedNamespaces = [] }) => `${type}: ${failedNamespaces.join(' ')}`);
    },
    async restart(): Promise<void> {
      await runtime.stop();
      runtime = begin();
      await clock.advance(MINUTE);
    },
    async stop(): Promise<void> {
      void runtime.stop();
      world.stop();
      await clock.settle();
    },
  };
  running = made;
  return made;
}
