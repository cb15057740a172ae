import type { Clock } from '../schemas/wire/clock.ts';
import type { Cluster } from '../schemas/wire/cluster.ts';
import type { KubeObject } from '../schemas/wire/object.ts';
import { crds as ownDefinitions } from '../schemas/generated/crds.ts';
import { resources } from '../schemas/wire/resources.ts';
import { createPort } from './api/port.ts';
import { createRegistry } from './api/registry.ts';
import { createApiServer, type ApiLogEntry, type ApiServer } from './api/server.ts';
import { createClockScope } from './clock/scope.ts';
import { startGarbageCollector } from './controllers/garbageCollector.ts';
import { startNamespaceLifecycle } from './controllers/namespaceLifecycle.ts';
import { defaultTimings, type Timings } from './controllers/runtime.ts';
import { startScheduler } from './controllers/scheduler.ts';
import { builtInTypes } from './kinds/builtIn.ts';
import { createImages, type Images } from './kubelet/images.ts';
import { startNodes, type Nodes } from './kubelet/nodes.ts';
import { typeOfDefinition } from './schema/definition.ts';
import type { Commit } from './store/history.ts';
import { createIdSource, type IdSource } from './store/ids.ts';
import { createStore } from './store/store.ts';

export interface WorldOptions {
  clock: Clock;
  /** How many nodes there are from the start, node-1 and so on. Default 3. */
  nodes?: number;
  /** CustomResourceDefinitions to serve. Default: this project's own. */
  crds?: readonly KubeObject[];
  /** Default: ['default']. */
  namespaces?: readonly string[];
  /** Of uids and generated names. Default 1. */
  seed?: number;
  ids?: IdSource;
  timings?: Partial<Timings>;
  /** Commits of each resource that a watch or a paged list can go back. Default 10,000. */
  historySize?: number;
  /** Milliseconds between bookmarks. Default one minute, as in Kubernetes. */
  bookmarkMs?: number;
}

/** A cluster in memory. */
export interface World {
  /** The API as this user calls it; the name appears in the log and on commits. */
  cluster(user: string): Cluster;
  /** Every request there was, refused ones included, in order. */
  readonly log: readonly ApiLogEntry[];
  /**
   * Calls the listener with each commit of the store, synchronously, before the request that made it is answered.
   * It must not throw and must not write. Returns the way to stop.
   */
  onCommit(listener: (commit: Commit) => void): () => void;
  readonly images: Pick<Images, 'set'>;
  readonly nodes: Nodes;
  /** What an HTTP front would call. */
  readonly server: ApiServer;
  /** Forgets the history of a resource: watches and pages from before now get 410. */
  compact(resource: { group: string; plural: string }): void;
  /** Ends every watch in order and every timer; the objects stay readable. */
  stop(): void;
}

const definitionsId = 'customresourcedefinitions.apiextensions.k8s.io';
const definitionResource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
};
const bootstrapUser = 'system:apiserver';

/** Starts a world: an API server, a scheduler, kubelets, and the controllers every cluster has. */
export function createWorld(options: WorldOptions): World {
  const clock = createClockScope(options.clock);
  const ids = options.ids ?? createIdSource(options.seed);
  const store = createStore({ now: () => clock.now(), historySize: options.historySize ?? 10_000 });
  const registry = createRegistry();
  for (const type of builtInTypes()) registry.add(type);
  store.follow(definitionsId, ({ type, object }) => {
    const defined = typeOfDefinition(object);
    if (type === 'DELETED') registry.remove(defined.id);
    else registry.add(defined);
  });
  const server = createApiServer({ store, registry, clock, ids, bookmarkMs: options.bookmarkMs ?? 60_000 });
  const images = createImages();
  const surroundings = { store, registry, server, clock, timings: { ...defaultTimings, ...options.timings } };
  const stopScheduler = startScheduler(surroundings);
  const { nodes, stop: stopNodes } = startNodes(surroundings, images, () => ids.uid());
  const stops = [
    stopScheduler,
    stopNodes,
    startGarbageCollector(surroundings),
    startNamespaceLifecycle(surroundings),
  ];

  for (const definition of options.crds ?? ownDefinitions)
    server.create(bootstrapUser, definitionResource, definition);
  for (const name of options.namespaces ?? ['default'])
    server.create(bootstrapUser, resources.Namespace, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    });
  for (let index = 1; index <= (options.nodes ?? 3); index += 1) nodes.add(`node-${index}`);

  return {
    cluster: (user) => createPort(server, user),
    log: server.log,
    onCommit: (listener) => store.followAll(listener),
    images,
    nodes,
    server,
    compact({ group, plural }) {
      store.history(group === '' ? plural : `${plural}.${group}`).compact(store.revision());
    },
    stop() {
      server.endWatches();
      for (const stop of stops) stop();
      clock.close();
    },
  };
}
