import { nodeOfPod } from '../../../semantics/node/placement.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import type { Rest } from '../rest.ts';
import type { Case } from './case.ts';

/** Nodes that no kubelet runs: the case says whether they are Ready, and plays their kubelets. */
export interface OwnNodes {
  /** Writes the condition Ready of a node. The pods of one that is not Ready stay as they are, those being deleted, too. */
  report(name: string, isReady: boolean): Promise<void>;
}

/** The label of the nodes; nothing but what tolerates the taint of that name runs there. */
const OWN = 'example.com/own';
const NODES = '/api/v1/nodes';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const EVERY_MS = 250;
/** A node controller takes a node for lost that does not renew its Lease for forty seconds. */
const RENEWED_MS = 5_000;

/** Adds these nodes, all Ready, for as long as `play` takes. */
export async function withOwnNodes(
  { world: { server }, namespace }: Case,
  names: readonly string[],
  play: (nodes: OwnNodes) => Promise<void>,
): Promise<void> {
  const { rest } = server;
  const ready = new Set<string>();
  async function report(name: string, isReady: boolean): Promise<void> {
    if (!isReady) ready.delete(name);
    await rest('PATCH', `${NODES}/${name}/status`, { status: nodeStatus(isReady) }, STRATEGIC);
    if (isReady) ready.add(name);
  }

  const over = new AbortController();
  async function run(): Promise<void> {
    for (let renewed = 0; !over.signal.aborted; await pause(EVERY_MS)) {
      if (Date.now() - renewed > RENEWED_MS) {
        renewed = Date.now();
        for (const name of names) await renew(rest, name);
      }
      const { items } = (await rest('GET', `/api/v1/namespaces/${namespace}/pods`)) as { items: Pod[] };
      for (const pod of items) if (ready.has(nodeOfPod(pod))) await serve(rest, pod);
    }
  }

  try {
    for (const name of names) {
      await rest('POST', NODES, nodeNamed(name));
      await rest('POST', LEASES, leaseOf(name));
      await report(name, true);
    }
    const running = run();
    await Promise.race([play({ report }), running]);
    over.abort();
    await running;
  } finally {
    over.abort();
    for (const name of names) {
      await rest('DELETE', `${NODES}/${name}`).catch(() => undefined);
      await rest('DELETE', `${LEASES}/${name}`).catch(() => undefined);
    }
  }
}

/** What scheduler and kubelet do about a pod at once: it is bound, runs and is ready, or is gone once it is deleted. */
async function serve(rest: Rest, pod: Pod): Promise<void> {
  const { metadata, spec, status } = pod;
  const { namespace = '', name, uid } = metadata;
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  const isBound = (spec.nodeName ?? '') !== '';
  const done = isBound
    ? metadata.deletionTimestamp !== undefined
      ? rest('DELETE', `${path}?gracePeriodSeconds=0`)
      : status?.phase === 'Running'
        ? undefined
        : rest('PATCH', `${path}/status`, { metadata: { uid }, status: podStatus(pod) }, STRATEGIC)
    : rest('POST', `${path}/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { namespace, name },
        target: { kind: 'Node', name: nodeOfPod(pod) },
      });
  // A scheduler may have bound it, or the runtime deleted it.
  await done?.catch((error: unknown) => {
    if (!/: (?:404|409) /.test(String(error))) throw error;
  });
}

function podStatus({ spec: { containers } }: Pod): object {
  const startedAt = new Date().toISOString().replace(/\.\d+/, '');
  const types = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
  return {
    phase: 'Running',
    startTime: startedAt,
    conditions: types.map((type) => ({ type, status: 'True', lastTransitionTime: startedAt })),
    containerStatuses: containers.map(({ name, image }) => ({
      name,
      image,
      imageID: `${image}@sha256:own`,
      containerID: 'containerd://own',
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt } },
    })),
  };
}

const nodeNamed = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { [OWN]: 'outage' } },
  spec: { taints: [{ key: OWN, value: 'outage', effect: 'NoSchedule' }] },
});

function nodeStatus(isReady: boolean): object {
  const now = new Date().toISOString().replace(/\.\d+/, '');
  const resources = { cpu: '8', memory: '32Gi', pods: '110' };
  const condition = {
    type: 'Ready',
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'KubeletReady' : 'KubeletNotReady',
    message: isReady ? 'kubelet is posting ready status' : 'container runtime is down',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
  return { capacity: resources, allocatable: resources, conditions: [condition] };
}

const leaseOf = (name: string): object => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'kube-node-lease', name },
  spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTime() },
});

async function renew(rest: Rest, name: string): Promise<void> {
  await rest('PATCH', `${LEASES}/${name}`, { spec: { renewTime: microTime() } }, MERGE);
}

/** Six digits, as MicroTime has. */
const microTime = (): string => new Date().toISOString().replace('Z', '000Z');

async function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
