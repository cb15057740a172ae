import { ApiError } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { timestamp } from '../api/metadata.ts';
import type { Surroundings } from '../controllers/runtime.ts';
import { conditionOf, isFinished, type Pod } from '../kinds/pod.ts';
import type { Node } from '../kinds/node.ts';
import type { Commit } from '../store/history.ts';
import { createKubelet, type Kubelet } from './kubelet.ts';
import type { Images } from './images.ts';

const controller = 'system:serviceaccount:kube-system:node-controller';
const unreachable = { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' };

/** What a story does to nodes. Every method throws for a node that is not there. */
export interface Nodes {
  /** Adds a node; `allocatable` overrides parts of 8 CPUs, 32Gi and 110 pods. */
  add(name: string, options?: NodeOptions): void;
  /** The node falls silent: no kubelet acts; after a while it is NotReady, and so are its pods. */
  stopKubelet(name: string): void;
  startKubelet(name: string): void;
  cordon(name: string): void;
  uncordon(name: string): void;
}

export interface NodeOptions {
  labels?: Record<string, string>;
  allocatable?: Record<string, string>;
}

function readyCondition(up: boolean, now: number) {
  const at = timestamp(now);
  return up
    ? {
        type: 'Ready',
        status: 'True' as const,
        reason: 'KubeletReady',
        message: 'kubelet is posting ready status',
        lastHeartbeatTime: at,
        lastTransitionTime: at,
      }
    : {
        type: 'Ready',
        status: 'Unknown' as const,
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
        lastHeartbeatTime: at,
        lastTransitionTime: at,
      };
}

function newNode(name: string, hostIP: string, now: number, options: NodeOptions): Node {
  const allocatable = {
    cpu: '8',
    memory: '32Gi',
    pods: '110',
    'ephemeral-storage': '100Gi',
    ...options.allocatable,
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        ...options.labels,
      },
    },
    spec: {},
    status: {
      capacity: allocatable,
      allocatable,
      conditions: [readyCondition(true, now)],
      addresses: [
        { type: 'InternalIP', address: hostIP },
        { type: 'Hostname', address: name },
      ],
    },
  };
}

/** Addresses in order: 10.128.0.1, 10.128.0.2, … */
function createPodIPs(): () => string {
  let last = 0;
  return () => {
    last += 1;
    return `10.${128 + ((last >> 16) & 127)}.${(last >> 8) & 255}.${last & 255}`;
  };
}

/** Gives every Node object a kubelet, sends each pod's changes to the kubelet of its node, and watches over nodes that fell silent. */
export function startNodes(
  surroundings: Surroundings,
  images: Images,
  newUid: () => string,
): { nodes: Nodes; stop: () => void } {
  const { store, server, clock, timings } = surroundings;
  const kubelets = new Map<string, Kubelet>();
  const newPodIP = createPodIPs();
  const newContainerId = () => `containerd://${(newUid() + newUid()).replaceAll('-', '')}`;
  let count = 0;

  function nextHostIP(): string {
    count += 1;
    return `192.168.${count >> 8}.${count & 255}`;
  }

  function hostIPOf(node: Node): string {
    const addresses = node.status?.['addresses'];
    const internal = (
      Array.isArray(addresses) ? (addresses as { type: string; address: string }[]) : []
    ).find((each) => each.type === 'InternalIP');
    return internal?.address ?? nextHostIP();
  }

  function seeNode({ type, object }: Commit): void {
    const node = object as Node;
    const { name } = node.metadata;
    if (type === 'DELETED') {
      kubelets.get(name)?.stop();
      kubelets.delete(name);
    } else if (!kubelets.has(name)) {
      const hostIP = hostIPOf(node);
      kubelets.set(
        name,
        createKubelet(surroundings, { node: name, hostIP, images, newContainerId, newPodIP }),
      );
    }
  }

  function seePod({ type, object, user }: Commit): void {
    const pod = object as Pod;
    const { nodeName } = pod.spec;
    if (!nodeName) return;
    const kubelet = kubelets.get(nodeName);
    if (type === 'DELETED') kubelet?.forget(pod.metadata.uid ?? '');
    // A kubelet knows what it wrote itself.
    else if (user !== `system:node:${nodeName}`) kubelet?.see(pod);
  }

  function kubeletOf(name: string): Kubelet {
    const kubelet = kubelets.get(name);
    if (kubelet === undefined) throw new Error(`there is no node ${name}`);
    return kubelet;
  }

  /** Writes of the node controller race with deletions: being late is no failure. */
  function attempt(run: () => unknown): void {
    try {
      run();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  function writeNode(name: string, user: string, change: (node: Node) => Node, subresource?: 'status'): void {
    const node = store.read('nodes', '', name);
    if (node === undefined) return;
    const options = subresource === undefined ? {} : { subresource };
    attempt(() => server.replace(user, resources.Node, change(node), options));
  }

  function reportNode(name: string, up: boolean, user: string): void {
    const condition = readyCondition(up, clock.now());
    writeNode(
      name,
      user,
      (node) => {
        const others = (node.status?.conditions ?? []).filter((each) => each.type !== 'Ready');
        return { ...node, status: { ...node.status, conditions: [...others, condition] } };
      },
      'status',
    );
    writeNode(name, controller, (node) => {
      const others = (node.spec?.taints ?? []).filter((taint) => taint.key !== unreachable.key);
      return { ...node, spec: { ...node.spec, taints: up ? others : [...others, unreachable] } };
    });
  }

  function markPodsNotReady(nodeName: string): void {
    for (const pod of store.list('pods') as Pod[]) {
      const ready = conditionOf(pod, 'Ready');
      if (pod.spec.nodeName !== nodeName || isFinished(pod) || ready?.status !== 'True') continue;
      const notReady = { ...ready, status: 'False' as const, lastTransitionTime: timestamp(clock.now()) };
      const conditions = (pod.status?.conditions ?? []).map((each) => (each === ready ? notReady : each));
      attempt(() =>
        server.replace(
          controller,
          resources.Pod,
          { ...pod, status: { ...pod.status, conditions } },
          { subresource: 'status' },
        ),
      );
    }
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
      stopKubelet(name) {
        const kubelet = kubeletOf(name);
        if (!kubelet.isUp()) return;
        kubelet.stop();
        clock.after(timings.nodeLostMs, () => {
          if (kubelet.isUp()) return;
          reportNode(name, false, controller);
          markPodsNotReady(name);
        });
      },
      startKubelet(name) {
        kubeletOf(name).start();
        reportNode(name, true, `system:node:${name}`);
      },
      cordon: (name) => setUnschedulable(name, true),
      uncordon: (name) => setUnschedulable(name, false),
    },
    stop: () => unfollow.forEach((stop) => stop()),
  };
}
