import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { guarded } from '../clock/guarded.ts';
import { createClockScope } from '../clock/scope.ts';
import { createEventSource } from '../controllers/eventRecorder.ts';
import {
  defaultTimings,
  type ComponentContext,
  type EventSource,
  type Timings,
} from '../controllers/context.ts';
import { startScheduler } from '../controllers/scheduler.ts';
import type { Node } from '../kinds/node.ts';
import { createImages, type ImageBehavior } from '../kubelet/images.ts';
import { newNode } from '../kubelet/newNode.ts';
import { startNodes, type Nodes } from '../kubelet/nodes.ts';
import { createStore, type Store } from '../store/store.ts';
import { createEventSender } from './eventSender.ts';
import { createNodeMirror, type NodeMirror } from './nodeMirror.ts';
import { createOutbox, isRetriable } from './outbox.ts';
import { createPodMirror } from './podMirror.ts';
import { createRemoteWrites } from './writes.ts';

/** Receives all objects of a resource first, then every change. */
export interface Follower {
  onChange(object: KubeObject, removed: boolean): void;
  /** All existing objects were delivered. Can be called again. */
  onSync(): void;
}

export interface RemoteNodesOptions {
  cluster: Cluster;
  /** A monotonic clock at the speed of the server. */
  clock: Clock;
  /** A number in [0, 1), anew at each call. */
  random: () => number;
  newUid: () => string;
  /** Lists and watches a resource until the returned function is called. */
  follow(resource: Resource, follower: Follower): () => void;
  /** The node names. Existing nodes are taken over with their pods. */
  names: readonly string[];
  timings?: Partial<Timings>;
  images?: (image: string) => ImageBehavior | undefined;
  /** Whether unscheduled pods are bound to these nodes. */
  schedules: boolean;
  /** Whether kubelets and the scheduler record Events. */
  events: boolean;
  /** A write failed and is retried, or failed permanently. `about`: the object. */
  onError(about: string, error: unknown): void;
}

/** Simulated nodes on a remote server, with their kubelets. */
export interface RemoteNodes {
  /** The local mirror. */
  readonly store: Store;
  /** Rejects if the nodes cannot be created; resolves when all nodes exist and every pod was synced. */
  start(): Promise<void>;
  /** Stops the kubelets after pending status writes, at most four seconds; `cleanup` also deletes the nodes. */
  stop(options: { cleanup: boolean }): Promise<void>;
}

/** The label that distinguishes simulated nodes from real ones. */
export const SIMULATED_NODE = 'plan.kruise.io/stand-in';
const REST_MS = 4_000;
const WIDTH = { pods: 40, nodes: 10, leases: 10, events: 8 };
/** The interval in which nodes are synced, and the longest one between reports of their status. */
const NODE_MS = { look: 10_000, heartbeat: 300_000 };
/** The time for a node lifecycle controller to remove the taint of a new node. */
const TAINT_MS = 3_000;

const storageKinds: readonly Resource[] = [
  resources.PersistentVolumeClaim,
  { group: '', version: 'v1', plural: 'persistentvolumes', kind: 'PersistentVolume', namespaced: false },
  {
    group: 'storage.k8s.io',
    version: 'v1',
    plural: 'storageclasses',
    kind: 'StorageClass',
    namespaced: false,
  },
];

/**
 * Runs the sandbox's nodes, kubelets and scheduler as clients of any API server: they work on a local mirror, and
 * their writes are forwarded. `start` begins.
 */
export function createRemoteNodes(options: RemoteNodesOptions): RemoteNodes {
  const { cluster, random, names, onError } = options;
  // Stopping cancels their timers, but not writes in progress.
  const scope = createClockScope(options.clock);
  const clock = guarded(scope, (error) => onError('the nodes', error));
  const ours = new Set(names);
  const isOurs = (node: string): boolean => ours.has(node);
  const store = createStore({ now: () => clock.now(), history: { commits: 0, bytes: 0 } });
  const outboxes = new Map(
    Object.entries(WIDTH).map(([name, width]) => [
      name,
      createOutbox({ clock: options.clock, random, width, onError }),
    ]),
  );
  const outboxOf = (name: keyof typeof WIDTH) => {
    const found = outboxes.get(name);
    if (found === undefined) throw new Error(`there is no outbox for ${name}`);
    return found;
  };
  const common = { cluster, store, isOurs, onRefused: onError };
  const pods = createPodMirror({ ...common, clock, outbox: outboxOf('pods') });
  const nodes = createNodeMirror({ ...common, outbox: outboxOf('nodes'), leases: outboxOf('leases') });
  const post = createEventSender(cluster, outboxOf('events'), pods.versionOf);
  const server = createRemoteWrites({ cluster, store, outbox: outboxOf('nodes'), pods, nodes, events: post });
  const context: ComponentContext = {
    store,
    server,
    clock,
    timings: { ...defaultTimings, ...options.timings },
    events: ownEvents(createEventSource(server, clock, options.events, Math.floor(random() * 1_000_000))),
  };
  const stops: (() => void)[] = [];

  async function follow(resource: Resource, onChange: Follower['onChange']): Promise<void> {
    return new Promise((resolve) => {
      stops.push(options.follow(resource, { onChange, onSync: resolve }));
    });
  }

  async function start(): Promise<void> {
    if (options.schedules) stops.push(startScheduler(context));
    const started = startNodes(context, createImages(options.images), options.newUid, {
      leases: true,
      byHand: false,
    });
    stops.push(started.stop);
    await follow(resources.Namespace, (object, removed) => copy(store, resources.Namespace, object, removed));
    await follow(resources.Node, nodes.observe);
    const missing = names.filter((name) => store.read('nodes', '', name) === undefined);
    await Promise.all(
      missing.map(async (name) => {
        const labels = { [SIMULATED_NODE]: 'true' };
        const node = newNode(name, hostIP(names.indexOf(name) + 1), clock.now(), { labels });
        await register(nodes, node, options.clock);
      }),
    );
    if (options.schedules)
      await Promise.all(
        storageKinds.map(async (kind) =>
          follow(kind, (object, removed) => copy(store, kind, object, removed)),
        ),
      );
    // Without the right to list them, only containers that need one wait.
    void follow(resources.ConfigMap, (object, removed) => copy(store, resources.ConfigMap, object, removed));
    await follow(resources.Pod, pods.observe);
    clock.after(TAINT_MS, () => names.forEach(nodes.clearTaint));
    clock.after(NODE_MS.look, () => syncNode(started.nodes));
  }

  /** A server without heartbeats for a while may have marked the node as lost. */
  function syncNode(all: Nodes): void {
    clock.after(NODE_MS.look, () => syncNode(all));
    for (const name of names) {
      const node: Node | undefined = store.read('nodes', '', name);
      if (node === undefined) continue;
      nodes.clearTaint(name);
      const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
      const age = clock.now() - Date.parse(ready?.lastHeartbeatTime ?? '');
      if (ready?.status !== 'True' || !(age < NODE_MS.heartbeat)) all.startKubelet(name);
    }
  }

  return {
    store,
    start,
    async stop({ cleanup }) {
      for (const stop of stops) stop();
      scope.close();
      const all = [...outboxes.values()];
      await Promise.all(all.map(async (outbox) => outbox.drained(REST_MS)));
      for (const outbox of all) outbox.close();
      if (cleanup) await Promise.all(names.map(async (name) => nodes.remove(name)));
    },
  };
}

function hostIP(count: number): string {
  return `192.168.${count >> 8}.${count & 255}`;
}

async function register(nodes: NodeMirror, node: Node, clock: Clock): Promise<void> {
  const PATIENCE = 5;
  for (let trial = 1; ; trial += 1) {
    try {
      return await nodes.register(node);
    } catch (error) {
      if (!isRetriable(error) || trial === PATIENCE) throw error;
      await new Promise<void>((resolve) => clock.after(trial * 500, resolve));
    }
  }
}

/** Mirrors objects of a read-only kind. */
function copy(store: Store, { group, plural }: Resource, object: KubeObject, removed: boolean): void {
  const resource = group === '' ? plural : `${plural}.${group}`;
  const { managedFields: _bookkeeping, ...metadata } = object.metadata;
  const before = store.read(resource, metadata.namespace ?? '', metadata.name);
  const user = 'system:apiserver';
  if (!removed) store.write({ user, resource, object: { ...object, metadata } });
  else if (before !== undefined) store.remove({ user, resource, object: before });
}

/** Node Events come from the node controller, which the remote server has itself. */
function ownEvents(source: EventSource): EventSource {
  return {
    ...source,
    recorder: (user, component, host) =>
      component === 'node-controller' ? () => {} : source.recorder(user, component, host),
  };
}
