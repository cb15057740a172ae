import { resources } from '../../schemas/wire/resources.ts';
import { attempt } from '../api/attempt.ts';
import type { ComponentContext } from '../controllers/context.ts';
import type { Pod } from '../../schemas/pods/pod.ts';
import type { Node } from '../kinds/node.ts';
import type { Commit } from '../store/history.ts';
import { createKubelet, type Kubelet } from './kubelet.ts';
import type { Images } from './images.ts';
import { keepLease } from './lease.ts';
import { newNode, nodeConditions, nodeStatus, type NodeOptions } from './newNode.ts';

const nodeController = 'system:serviceaccount:kube-system:node-controller';

/** Operations on nodes, for tests and demos. Every method throws if the node does not exist. */
export interface Nodes {
  /** Adds a node with its kubelet. */
  add(name: string, options?: NodeOptions): void;
  /** The node stops reporting: later it becomes NotReady, and so do its pods. */
  stopKubelet(name: string): void;
  startKubelet(name: string): void;
  /** Graceful shutdown: terminates the pods, then stops reporting until `startKubelet`. */
  shutDown(name: string): void;
  /** Deletes the Node object and its kubelet. */
  remove(name: string): void;
  cordon(name: string): void;
  uncordon(name: string): void;
}

/** Addresses in order: 10.128.0.1, 10.128.0.2, … */
function createPodIPs() {
  let last = 0;
  return {
    next(): string {
      last += 1;
      return `10.${128 + ((last >> 16) & 127)}.${(last >> 8) & 255}.${last & 255}`;
    },
    /** Skips addresses that pods already have. */
    taken(ip: string): void {
      const [first, second = 0, third = 0, fourth = 0] = ip.split('.').map(Number);
      if (first === 10) last = Math.max(last, ((second - 128) << 16) | (third << 8) | fourth);
    },
  };
}

/**
 * Runs a kubelet for every Node object (or only for those of `add` and of the restored state, without `byHand`),
 * and forwards pod changes to the kubelet of their node.
 */
export function startNodes(
  context: ComponentContext,
  images: Images,
  newUid: () => string,
  { leases: keepsLeases, byHand }: { leases: boolean; byHand: boolean },
): { nodes: Nodes; terminate(pod: Pod, container: string): void; stop: () => void } {
  const { store, server, clock, timings, events } = context;
  const kubelets = new Map<string, Kubelet>();
  const leases = new Map<string, () => void>();
  const podIPs = createPodIPs();
  const newContainerId = () => ['containerd://', ...newUid().split('-'), ...newUid().split('-')].join('');
  const recordNode = events.recorder(nodeController, 'node-controller');
  let count = 0;

  function nextHostIP(): string {
    count += 1;
    return `192.168.${count >> 8}.${count & 255}`;
  }

  function hostIPOf(node: Node): string {
    const internal = node.status?.addresses?.find((each) => each.type === 'InternalIP')?.address;
    const [first, second, third = 0, fourth = 0] = (internal ?? '').split('.').map(Number);
    if (first === 192 && second === 168) count = Math.max(count, (third << 8) | fourth);
    return internal ?? nextHostIP();
  }

  function seeNode({ type, object, user }: Commit): void {
    const node = object as Node;
    const { name } = node.metadata;
    if (type === 'DELETED') {
      kubelets.get(name)?.stop();
      kubelets.delete(name);
      leases.get(name)?.();
      leases.delete(name);
      return;
    }
    if (kubelets.has(name)) return;
    if (!byHand && user !== `system:node:${name}`) return;
    const hostIP = hostIPOf(node);
    kubelets.set(
      name,
      createKubelet(context, {
        node: name,
        hostIP,
        images,
        newContainerId,
        newPodIP: podIPs.next,
        record: events.recorder(`system:node:${name}`, 'kubelet', name),
        reportImages: (list) =>
          writeStatus(name, `system:node:${name}`, ({ status }) => ({ ...status, images: list })),
      }),
    );
    if (keepsLeases)
      leases.set(
        name,
        keepLease(context, name, () => kubelets.get(name)?.isUp() === true),
      );
    recordNode(node, 'Normal', 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`);
    const ready = node.status?.conditions?.find((condition) => condition.type === 'Ready');
    // A client created the Node, or the previous world ended while the node was unreachable.
    if (ready?.status !== 'True') clock.after(0, () => register(name, hostIP));
  }

  function seePod({ type, object, user }: Commit): void {
    const pod = object as Pod;
    const { nodeName } = pod.spec;
    if (!nodeName) return;
    const kubelet = kubelets.get(nodeName);
    if (type === 'ADDED' && pod.status?.podIP !== undefined) podIPs.taken(pod.status.podIP);
    if (type === 'DELETED') kubelet?.forget(pod.metadata.uid ?? '');
    // The kubelet's own writes are not forwarded to it.
    else if (user !== `system:node:${nodeName}`) kubelet?.observe(pod);
  }

  function kubeletOf(name: string): Kubelet {
    const kubelet = kubelets.get(name);
    if (kubelet === undefined) throw new Error(`there is no node ${name}`);
    return kubelet;
  }

  function writeStatus(
    name: string,
    user: string,
    change: (node: Node) => NonNullable<Node['status']>,
  ): void {
    const node = store.read('nodes', '', name);
    if (node === undefined) return;
    const status = change(node);
    attempt(() => server.replace(user, resources.Node, { ...node, status }, { subresource: 'status' }));
  }

  function report(name: string, health: 'up' | 'silent' | 'shutting down', user: string): void {
    writeStatus(name, user, ({ status }) => ({
      ...status,
      conditions: nodeConditions(health, clock.now(), status?.conditions),
    }));
  }

  function register(name: string, hostIP: string): void {
    if (kubelets.get(name)?.isUp() !== true) return;
    const user = `system:node:${name}`;
    writeStatus(name, user, ({ status }) => {
      const own = nodeStatus(name, hostIP, clock.now());
      const { nodeInfo, daemonEndpoints } = own;
      return { ...own, ...status, nodeInfo, daemonEndpoints };
    });
    report(name, 'up', user);
  }

  function record(name: string, reason: string, message: string): void {
    const node = store.read('nodes', '', name);
    if (node !== undefined) recordNode(node, 'Normal', reason, message);
  }

  /** After `nodeLostMs` without a heartbeat, the node controller sets the conditions to Unknown. */
  function fallSilent(name: string, kubelet: Kubelet): void {
    if (!kubelet.isUp()) return;
    kubelet.stop();
    clock.after(timings.nodeLostMs, () => {
      if (kubelet.isUp()) return;
      report(name, 'silent', nodeController);
      record(name, 'NodeNotReady', `Node ${name} status is now: NodeNotReady`);
    });
  }

  function setUnschedulable(name: string, unschedulable: boolean): void {
    kubeletOf(name);
    server.patch(
      'kubernetes-admin',
      resources.Node,
      { name },
      {
        type: 'merge',
        body: { spec: { unschedulable: unschedulable ? true : null } },
      },
    );
  }

  const unfollow = [store.follow('nodes', seeNode), store.follow('pods', seePod)];
  return {
    nodes: {
      add(name, options = {}) {
        server.create(
          `system:node:${name}`,
          resources.Node,
          newNode(name, nextHostIP(), clock.now(), options),
        );
      },
      stopKubelet: (name) => fallSilent(name, kubeletOf(name)),
      startKubelet(name) {
        kubeletOf(name).start();
        report(name, 'up', `system:node:${name}`);
        record(name, 'NodeReady', `Node ${name} status is now: NodeReady`);
      },
      shutDown(name) {
        const kubelet = kubeletOf(name);
        report(name, 'shutting down', `system:node:${name}`);
        const message = 'Pod was terminated in response to imminent node shutdown.';
        const { longestMs } = kubelet.endPods({ reason: 'Terminated', message });
        clock.after(longestMs, () => fallSilent(name, kubelet));
      },
      remove(name) {
        kubeletOf(name);
        server.delete('kubernetes-admin', resources.Node, { name });
      },
      cordon: (name) => setUnschedulable(name, true),
      uncordon: (name) => setUnschedulable(name, false),
    },
    terminate: ({ metadata, spec }, container) =>
      kubelets.get(spec.nodeName ?? '')?.terminate(metadata.uid ?? '', container),
    stop: () => unfollow.forEach((stop) => stop()),
  };
}
