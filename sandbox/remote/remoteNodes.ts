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
import { createImages, type ImageBehaviour } from '../kubelet/images.ts';
import { newNode } from '../kubelet/newNode.ts';
import { startNodes, type Nodes } from '../kubelet/nodes.ts';
import { createStore, type Store } from '../store/store.ts';
import { createEventSender } from './eventSender.ts';
import { createNodeMirror, type NodeMirror } from './nodeMirror.ts';
import { createOutbox, isRetriable } from './outbox.ts';
import { createPodMirror } from './podMirror.ts';
import { createRemoteWrites } from './writes.ts';

/** Hears of a resource from its list on, for good: every object at first, then each that came, changed or went. */
export interface Follower {
  onChange(object: KubeObject, gone: boolean): void;
  /** All that there is has been shown. May be called again. */
  onSync(): void;
}

export interface RemoteNodesOptions {
  cluster: Cluster;
  /** Never set back, and as fast as the server's. */
  clock: Clock;
  /** A number in [0, 1), anew at each call. */
  random: () => number;
  newUid: () => string;
  /** Lists and watches a resource until the function it returns is called. */
  follow(resource: Resource, follower: Follower): () => void;
  /** What the nodes are called. Those that are there already are taken over, with the pods that run on them. */
  names: readonly string[];
  timings?: Partial<Timings>;
  images?: (image: string) => ImageBehaviour | undefined;
  /** Whether pods without a node get one of these. */
  schedules: boolean;
  /** Whether kubelets and scheduler write Events. */
  events: boolean;
  /** Something failed that is tried again, or was refused for good. `about`: what was to be written. */
  onError(about: string, error: unknown): void;
}

/** Nodes on another server, with their kubelets. */
export interface RemoteNodes {
  /** The local store that they go by. */
  readonly store: Store;
  /** Rejects where the nodes cannot be made; resolves once they are there and every pod was looked at. */
  start(): Promise<void>;
  /** Ends the kubelets once what they said was sent, at the latest after four seconds; `cleanup` takes the nodes away, too. */
  stop(options: { cleanup: boolean }): Promise<void>;
}

/** By this label they are told from machines. */
export const SIMULATED_NODE = 'plan.kruise.io/stand-in';
const REST_MS = 4_000;
const WIDTH = { pods: 40, nodes: 10, leases: 10, events: 8 };
/** How often a node is looked at, and how often it says at least that it is well. */
const NODE_MS = { look: 10_000, heartbeat: 300_000 };

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
 * The sandbox's nodes, kubelets and scheduler as clients of any API server: they work on a mirror of it, and what they
 * write there is carried over. `start` begins.
 */
export function createRemoteNodes(options: RemoteNodesOptions): RemoteNodes {
  const { cluster, random, names, onError } = options;
  // What they remember of timers ends with them; what is on its way does not.
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
  const surroundings: ComponentContext = {
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
    if (options.schedules) stops.push(startScheduler(surroundings));
    const started = startNodes(surroundings, createImages(options.images), options.newUid, {
      leases: true,
      byHand: false,
    });
    stops.push(started.stop);
    await follow(resources.Namespace, (object, gone) => copy(store, resources.Namespace, object, gone));
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
        storageKinds.map(async (kind) => follow(kind, (object, gone) => copy(store, kind, object, gone))),
      );
    await follow(resources.Pod, pods.observe);
    clock.after(NODE_MS.look, () => lookAfter(started.nodes));
  }

  /** A server that has not heard of a node for a while may have given it up. */
  function lookAfter(all: Nodes): void {
    clock.after(NODE_MS.look, () => lookAfter(all));
    for (const name of names) {
      const node: Node | undefined = store.read('nodes', '', name);
      if (node === undefined) continue;
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

/** Writes what was seen of a kind that is only read. */
function copy(store: Store, { group, plural }: Resource, object: KubeObject, gone: boolean): void {
  const resource = group === '' ? plural : `${plural}.${group}`;
  const { managedFields: _bookkeeping, ...metadata } = object.metadata;
  const before = store.read(resource, metadata.namespace ?? '', metadata.name);
  const user = 'system:apiserver';
  if (!gone) store.write({ user, resource, object: { ...object, metadata } });
  else if (before !== undefined) store.remove({ user, resource, object: before });
}

/** What is told of nodes is told by a controller, which the other server has itself. */
function ownEvents(source: EventSource): EventSource {
  return {
    ...source,
    recorder: (user, component, host) =>
      component === 'node-controller' ? () => {} : source.recorder(user, component, host),
  };
}
