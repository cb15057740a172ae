import type { Clock } from '../schemas/wire/clock.ts';
import type { Cluster } from '../schemas/wire/cluster.ts';
import type { JsonObject } from '../schemas/wire/json.ts';
import type { KubeObject } from '../schemas/wire/object.ts';
import { crds as ownDefinitions } from '../schemas/generated/crds.ts';
import { resources } from '../schemas/wire/resources.ts';
import { startAggregation } from './access/aggregation.ts';
import { createPort } from './api/port.ts';
import { createRegistry } from './api/registry.ts';
import { createApiServer, type ApiLogEntry, type ApiServer } from './api/server.ts';
import { createClockScope } from './clock/scope.ts';
import { startDisruption } from './controllers/disruption.ts';
import { startEventExpiry } from './controllers/eventExpiry.ts';
import { createEventSource } from './controllers/eventRecorder.ts';
import { startDefinitions } from './controllers/definitions.ts';
import { startClusterBootstrap } from './controllers/clusterBootstrap.ts';
import { startGarbageCollector } from './controllers/garbageCollector.ts';
import { startNamespaceLifecycle } from './controllers/namespaceLifecycle.ts';
import { startNodeLifecycle } from './controllers/nodeLifecycle.ts';
import { startQuotas } from './controllers/quota.ts';
import { defaultTimings, type Timings } from './controllers/context.ts';
import { startScheduler } from './controllers/scheduler.ts';
import { startVolumes } from './controllers/volumes.ts';
import { builtInTypes } from './kinds/builtIn.ts';
import { reviewTypes } from './kinds/reviews.ts';
import { createImages, type ImageBehaviour, type Images } from './kubelet/images.ts';
import { startNodes, type Nodes } from './kubelet/nodes.ts';
import type { Commit } from './store/history.ts';
import { internValue } from './store/value.ts';
import { createIdSource, createWorldIds, type IdSource } from './store/ids.ts';
import { createStore, type State, type StoreOptions } from './store/store.ts';

export interface WorldOptions {
  clock: Clock;
  /** How many nodes there are from the start, node-1 and so on. Default 3. */
  nodes?: number;
  /** CustomResourceDefinitions to serve. Default: this project's own. */
  crds?: readonly KubeObject[];
  /** Default: ['default']. */
  namespaces?: readonly string[];
  /** Of uids and generated names, together with the revision of what is restored. Default 1. */
  seed?: number;
  ids?: IdSource;
  timings?: Partial<Timings>;
  /** How images behave that are not `set`. Default: well. */
  images?: (image: string) => ImageBehaviour | undefined;
  /** Commits of each resource that a watch or a paged list can go back. Default 10,000. */
  historySize?: number;
  /** About how many bytes of former states of each resource there may be. Default 64 Mi. */
  historyBytes?: number;
  /** How many of the latest requests `log` has at least. Default: all of them, for tests; a server that stays up bounds it. */
  logSize?: number;
  /**
   * Whether kubelets, the scheduler and controllers write Events about what they do, and Events go after an hour.
   * Default false: simulations have no use for them.
   */
  podEvents?: boolean;
  /** Whether kubelets renew a Lease each ten seconds, once there is a namespace kube-node-lease. Default false. */
  nodeLeases?: boolean;
  /**
   * Whether a Node that a client makes gets a kubelet at once. Default true; without one it is as on a server that no
   * machine has joined: what clients write into the status of its pods stays.
   */
  kubeletsByHand?: boolean;
  /**
   * Whether there is what a new cluster has: kube-system and the like, default/kubernetes, a storage class, and in each
   * namespace the service account `default` and kube-root-ca.crt. Default false: simulations have no use for them.
   */
  bootstrapped?: boolean;
  /** Milliseconds between bookmarks. Default one minute, as in Kubernetes. */
  bookmarkMs?: number;
  /** Where another world has ended. It has its nodes; what else this one begins with is added where it is not there. */
  restored?: State | undefined;
  /** Keeps each commit before it counts and its request is answered; what it throws refuses the write. */
  persist?: StoreOptions['persist'];
}

/** A cluster in memory. */
export interface World {
  /** The API as this user calls it; the name appears in the log and on commits. */
  cluster(user: string): Cluster;
  /** Every request there was, refused ones included, in order; of a world with `logSize` the latest ones. */
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
  /** Everything there is, for another world to go on with. */
  state(): State;
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

/** Our own definitions as the store keeps values: worlds share them, and what is known of them. */
let sharedDefinitions: KubeObject[] | undefined;

/** Starts a world: an API server, a scheduler, kubelets, and the controllers every cluster has. */
export function createWorld(options: WorldOptions): World {
  const clock = createClockScope(options.clock);
  const { restored, persist } = options;
  const own = createWorldIds(options.seed, restored?.revision);
  const ids =
    options.ids ?? (options.crds === undefined ? own.ids : createIdSource(options.seed, restored?.revision));
  const store = createStore({
    now: () => clock.now(),
    history: { commits: options.historySize ?? 10_000, bytes: options.historyBytes ?? 64 * 2 ** 20 },
    restored,
    persist,
  });
  const registry = createRegistry();
  for (const type of [...builtInTypes(), ...reviewTypes()]) registry.add(type);
  const server = createApiServer(
    { store, registry, clock, ids, bookmarkMs: options.bookmarkMs ?? 60_000 },
    options.logSize,
  );
  const images = createImages(options.images);
  const surroundings = {
    store,
    registry,
    server,
    clock,
    timings: { ...defaultTimings, ...options.timings },
    events: createEventSource(server, clock, options.podEvents === true),
  };
  const stopDefinitions = startDefinitions(surroundings);
  const stopScheduler = startScheduler(surroundings);
  const { nodes, stop: stopNodes } = startNodes(surroundings, images, () => ids.uid(), {
    leases: options.nodeLeases === true,
    byHand: options.kubeletsByHand !== false,
  });
  const furnishing = options.bootstrapped === true ? startClusterBootstrap(surroundings) : undefined;
  const stops = [
    stopDefinitions,
    stopScheduler,
    stopNodes,
    startGarbageCollector(surroundings),
    startNamespaceLifecycle(surroundings),
    startDisruption(surroundings),
    startQuotas(surroundings),
    startNodeLifecycle(surroundings),
    startVolumes(surroundings),
    startAggregation(surroundings),
    ...(options.podEvents === true ? [startEventExpiry(surroundings)] : []),
    ...(furnishing === undefined ? [] : [furnishing.stop]),
  ];

  store.replay();
  for (const definition of options.crds ??
    (sharedDefinitions ??= ownDefinitions.map((each) => internValue(each)))) {
    const { name } = definition.metadata;
    if (store.read(definitionsId, '', name) === undefined)
      server.create(bootstrapUser, definitionResource, definition);
    // A state may be of an earlier version of this program. What is the same commits nothing.
    else {
      const body = { spec: definition['spec'] } as JsonObject;
      server.patch(bootstrapUser, definitionResource, { name }, { type: 'merge', body });
    }
  }
  own.definitionsMade();
  for (const name of options.namespaces ?? ['default']) {
    if (store.read('namespaces', '', name) !== undefined) continue;
    server.create(bootstrapUser, resources.Namespace, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    });
  }
  furnishing?.begin();
  if (restored === undefined)
    for (let index = 1; index <= (options.nodes ?? 3); index += 1) nodes.add(`node-${index}`);

  return {
    cluster: (user) => createPort(server, user),
    log: server.log,
    onCommit: (listener) => store.followAll(listener),
    images,
    nodes,
    server,
    state: () => store.state(),
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
