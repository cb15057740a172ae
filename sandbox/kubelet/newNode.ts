import { timestamp } from '../api/metadata.ts';
import type { Node } from '../kinds/node.ts';

export interface NodeOptions {
  labels?: Record<string, string>;
  /** Overrides parts of 8 CPUs, 32Gi, 100Gi of ephemeral storage and 110 pods. */
  allocatable?: Record<string, string>;
}

type Health = 'up' | 'silent' | 'shutting down';

const pressures = [
  ['MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
] as const;

/** The conditions of a node; Unknown if the kubelet does not report. */
export function nodeConditions(
  health: Health,
  now: number,
  old: readonly {
    type: string;
    status: string;
    lastTransitionTime?: string;
    lastHeartbeatTime?: string;
  }[] = [],
) {
  const at = timestamp(now);
  function condition(type: string, status: 'True' | 'False' | 'Unknown', reason: string, message: string) {
    const before = old.find((each) => each.type === type);
    return {
      type,
      status,
      reason,
      message,
      lastHeartbeatTime: health === 'silent' ? (before?.lastHeartbeatTime ?? at) : at,
      lastTransitionTime: before?.status === status ? (before.lastTransitionTime ?? at) : at,
    };
  }
  if (health === 'silent')
    return [...pressures.map(([type]) => type), 'Ready'].map((type) =>
      condition(type, 'Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.'),
    );
  return [
    ...pressures.map(([type, reason, message]) => condition(type, 'False', reason, message)),
    health === 'up'
      ? condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status')
      : condition('Ready', 'False', 'KubeletNotReady', 'node is shutting down'),
  ];
}

/** The status that a kubelet registers its node with. */
export function nodeStatus(
  name: string,
  hostIP: string,
  now: number,
  allocatable: Record<string, string> = {},
): NonNullable<Node['status']> {
  const resources = {
    cpu: '8',
    'ephemeral-storage': '100Gi',
    'hugepages-1Gi': '0',
    'hugepages-2Mi': '0',
    memory: '32Gi',
    pods: '110',
    ...allocatable,
  };
  return {
    capacity: resources,
    allocatable: resources,
    conditions: nodeConditions('up', now),
    addresses: [
      { type: 'InternalIP', address: hostIP },
      { type: 'Hostname', address: name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      architecture: 'amd64',
      bootID: `${name}-boot`,
      containerRuntimeVersion: 'containerd://2.1.5',
      kernelVersion: '6.12.0',
      kubeProxyVersion: '',
      kubeletVersion: 'v1.35.0',
      machineID: name,
      operatingSystem: 'linux',
      osImage: 'kruise sandbox',
      systemUUID: name,
    },
  };
}

export function newNode(name: string, hostIP: string, now: number, options: NodeOptions): Node {
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
    status: nodeStatus(name, hostIP, now, options.allocatable),
  };
}
