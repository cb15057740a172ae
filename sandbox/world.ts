import type { Clock } from '../schemas/wire/clock.ts';
import type { Cluster } from '../schemas/wire/cluster.ts';
import type { JsonObject } from '../schemas/wire/json.ts';
import type { KubeObject } from '../schemas/wire/object.ts';
import { crds as ownDefinitions } from '../schemas/generated/crds.ts';
import { resources } from '../schemas/wire/resources.ts';
import { createAuthorizer } from './access/authorizer.ts';
import { startAggregation } from './access/aggregation.ts';
import { createPort } from './api/port.ts';
import { createRegistry, type ResourceType } from './api/registry.ts';
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
import { createImages, type ImageBehavior, type Images } from './kubelet/images.ts';
import { startNodes, type Nodes } from './kubelet/nodes.ts';
import type { Commit } from './store/history.ts';
import { internValue } from './store/value.ts';
import { createIdSource, createWorldIds, type IdSource } from './store/ids.ts';
import { createStore, type State, type StoreOptions } from './store/store.ts';
import { Answers, type WebhookClient } from './webhooks/answers.ts';
import { configurationIds } from './webhooks/webhook.ts';
import { startWorkloads } from './workloads/start.ts';

export interface WorldOptions {
  clock: Clock;
  /** The number of initial nodes, named node-1 and so on. Default 3. */
  nodes?: number;
  /** CustomResourceDefinitions to serve. Default: this project's own. */
  crds?: readonly KubeObject[];
  /** Default: ['default']. */
  namespaces?: readonly string[];
  /** Seed for uids and generated names, combined with the restored revision. Default 1. */
  seed?: number;
  ids?: IdSource;
  timings?: Partial<Timings>;
  /** The behavior of images that were not `set`. Default: success. */
  images?: (image: string) => ImageBehavior | undefined;
  /** The number of commits per resource in the history for watches and paged lists. Default 10,000. */
  historySize?: number;
  /** The approximate size limit of previous object states per resource. Default 64 Mi. */
  historyBytes?: number;
  /** The minimum number of requests in `log`. Default: all, for tests; long-running servers set a limit. */
  logSize?: number;
  /**
   * Whether kubelets, the scheduler and controllers record Events, which expire after an hour. Default false:
   * simulations do not need them.
   */
  podEvents?: boolean;
  /** Whether kubelets renew Leases every ten seconds, if the namespace kube-node-lease exists. Default false. */
  nodeLeases?: boolean;
  /**
   * Whether a Node created by a client gets a kubelet. Default true; otherwise the node stays as it is, and so does
   * the status that clients write to its pods.
   */
  kubeletsByHand?: boolean;
  /**
   * Whether the objects of a new cluster exist: kube-system and similar, default/kubernetes, a storage class, and
   * in each namespace the service account `default` and kube-root-ca.crt. Default false: simulations do not need
   * them.
   */
  bootstrapped?: boolean;
  /**
   * Whether the workload kinds of apps/v1 and batch/v1 have their controllers. Default false: they are stored, and
   * nothing creates their pods.
   */
  workloads?: boolean;
  /**
   * Whether MutatingAdmissionPolicies are served, as by a server with that feature gate and
   * `--runtime-config=admissionregistration.k8s.io/v1beta1=true`. Default false.
   */
  mutatingPolicies?: boolean;
  /** Calls admission webhooks. Default: nobody does, and their configurations have no effect. */
  webhooks?: WebhookClient;
  /** Milliseconds between bookmarks. Default one minute, as in Kubernetes. */
  bookmarkMs?: number;
  /**
   * The state of a previous world to restore. Its nodes are kept; objects of these options are added if they do not
   * exist.
   */
  restored?: State | undefined;
  /** Persists each commit before its request is answered; an exception rejects the write. */
  persist?: StoreOptions['persist'];
}

/** A cluster in memory. */
export interface World {
  /** The clock of all components. */
  readonly clock: Clock;
  /** The cluster port of a user; the name appears in the log and in commits. */
  cluster(user: string): Cluster;
  /** All requests including rejected ones, in order; limited by `logSize`. */
  readonly log: readonly ApiLogEntry[];
  /**
   * Calls the listener synchronously with each commit, before its request is answered. The listener must not throw
   * or write. Returns a function that stops it.
   */
  onCommit(listener: (commit: Commit) => void): () => void;
  readonly images: Pick<Images, 'set'>;
  readonly nodes: Nodes;
  /** The API server for an HTTP front end. */
  readonly server: ApiServer;
  /** All state, for a later world to restore. */
  state(): State;
  /** Compacts the history of a resource: earlier watches and continue tokens get 410. */
  compact(resource: { group: string; plural: string }): void;
  /** Closes all watches and cancels all timers; objects remain readable. */
  stop(): void;
}

const definitionsId = 'customresourcedefinitions.apiextensions.k8s.io';
const definitionResource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
};
const bootstrapUser = 'system:apiserver';

/** Definitions as stored values, by the given ones. Worlds with the same ones share them, together with the caches of their parts. */
const storedDefinitions = new WeakMap<KubeObject, KubeObject>();

/** A definition as a stored value: that of an earlier world, unless the given one was changed since then. */
function storedDefinition(given: KubeObject): KubeObject {
  const stored = internValue(given, storedDefinitions.get(given));
  storedDefinitions.set(given, stored);
  return stored;
}

/** How long an answer of a webhook is kept for the controller that tries its write again. */
const ANSWER_KEPT_MS = 30_000;

const configurations: ReadonlySet<string> = new Set(Object.values(configurationIds));

/** Where nobody calls webhooks, their configurations are stored with a warning. */
function inert(type: ResourceType): ResourceType {
  if (!configurations.has(type.id)) return type;
  const warnings = () => ['this is a sandbox: no webhook is ever called'];
  return { ...type, rules: { ...type.rules, warnings } };
}

/** Starts a world: an API server, a scheduler, kubelets and controllers. */
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
  const isCalled = options.webhooks !== undefined;
  for (const type of [...builtInTypes(options), ...reviewTypes()])
    registry.add(isCalled ? type : inert(type));
  const server = createApiServer(
    {
      store,
      registry,
      clock,
      ids,
      authorizer: createAuthorizer(store),
      bookmarkMs: options.bookmarkMs ?? 60_000,
      webhooks: {
        client: options.webhooks,
        answers: new Answers(() => clock.now(), ANSWER_KEPT_MS),
      },
      terminate: (pod, container) => terminate(pod, container),
    },
    options.logSize,
  );
  const images = createImages(options.images);
  const context = {
    store,
    registry,
    server,
    clock,
    timings: { ...defaultTimings, ...options.timings },
    events: createEventSource(server, clock, options.podEvents === true),
  };
  const stopDefinitions = startDefinitions(context);
  const stopScheduler = startScheduler(context);
  const {
    nodes,
    terminate,
    stop: stopNodes,
  } = startNodes(context, images, () => ids.uid(), {
    leases: options.nodeLeases === true,
    byHand: options.kubeletsByHand !== false,
  });
  const furnishing = options.bootstrapped === true ? startClusterBootstrap(context) : undefined;
  const stops = [
    stopDefinitions,
    stopScheduler,
    stopNodes,
    startGarbageCollector(context),
    startNamespaceLifecycle(context),
    startDisruption(context),
    startQuotas(context),
    startNodeLifecycle(context),
    startVolumes(context),
    startAggregation(context),
    ...(options.workloads === true ? [startWorkloads(context)] : []),
    ...(options.podEvents === true ? [startEventExpiry(context)] : []),
    ...(furnishing === undefined ? [] : [furnishing.stop]),
  ];

  store.replay();
  for (const definition of (options.crds ?? ownDefinitions).map(storedDefinition)) {
    const { name } = definition.metadata;
    if (store.read(definitionsId, '', name) === undefined)
      // A test validates our own definitions.
      server.create(bootstrapUser, definitionResource, definition, { isChecked: options.crds === undefined });
    // The state can come from an earlier version of this program. Equal objects create no commits.
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
    clock,
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
