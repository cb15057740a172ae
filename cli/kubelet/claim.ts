import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Refusal } from '../command/refusal.ts';
import type { Machine } from '../host.ts';
import { pause } from '../cluster/cluster.ts';

/** Annotation of the Lease of the first node: the process that simulates the nodes of that prefix; empty when it has stopped. */
export const SIMULATED_BY = 'plan.kruise.io/played-by';
const NAMESPACE = 'kube-node-lease';
/** Kubelets renew their Lease every ten seconds. */
const OBSERVED_MS = 12_000;
const POLL_MS = 1_000;
/** After this time without renewal a Lease is free. It allows for wrong clocks. */
const OLD_MS = 120_000;

export interface NodeClaimOptions {
  cluster: Cluster;
  clock: Clock;
  machine: Pick<Machine, 'pid' | 'isAlive'>;
  hostname: string;
  /** The first of the nodes: a process that simulates any of them simulates this one. */
  node: string;
  /** Reports that the claim waits to see whether another process simulates the nodes. */
  onWait(text: string): void;
}

/** The claim of this process to simulate a set of nodes. */
export interface NodeClaim {
  /** Frees the claim, so that the next process need not wait. Never rejects. */
  release(): Promise<void>;
}

/**
 * Claims nodes for this process, because two processes that simulate the same nodes would undo each other's writes. Refuses
 * if another process renews the Lease of the first node; takes over at once if that process ran on this machine and has
 * ended. Rejects as the cluster does.
 */
export async function claimNodes(claiming: NodeClaimOptions): Promise<NodeClaim | Refusal> {
  const { cluster, clock, machine, hostname, node } = claiming;
  const at = { namespace: NAMESPACE, name: node };
  const found = await leaseOf(cluster, node);
  if (found === 'hidden') return { release: async () => {} };
  if (found !== undefined && (await isSimulated(found, claiming))) {
    const by = simulatorOf(found);
    return {
      problem: `${node} is simulated already${by === undefined ? '' : `, by process ${by.pid} of ${by.hostname}`}`,
      help: 'stop that process, or use other nodes with --node-prefix',
    };
  }
  const mark = (value: string) => ({ [SIMULATED_BY]: value });
  const own = mark(`${hostname} ${machine.pid}`);
  // A process that starts right after this one must find a fresh renewal.
  const spec = { renewTime: `${new Date(clock.now()).toISOString().slice(0, -1)}000Z` };
  if (found !== undefined) await write({ metadata: { annotations: own }, spec });
  else await create();

  async function write(body: JsonObject): Promise<void> {
    await cluster.patch(resources.Lease, at, { type: 'merge', body });
  }

  /**
   * Creates the Lease as a kubelet does. If the namespace of Leases does not exist yet, skips it: a server creates it soon
   * after its start.
   */
  async function create(): Promise<void> {
    const metadata = { ...at, annotations: own };
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata };
    try {
      await cluster.create(resources.Lease, { ...lease, spec: { ...spec, holderIdentity: node } });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status.code !== 404) throw error;
    }
  }

  return {
    async release() {
      const current = await leaseOf(cluster, node).catch(() => undefined);
      if (current === undefined || current === 'hidden') return;
      if (current.metadata.annotations?.[SIMULATED_BY] !== own[SIMULATED_BY]) return;
      await write({ metadata: { annotations: mark('') } }).catch(() => {});
    },
  };
}

async function leaseOf(cluster: Cluster, name: string): Promise<KubeObject | 'hidden' | undefined> {
  try {
    return await cluster.get(resources.Lease, { namespace: NAMESPACE, name });
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 404) return undefined;
    if (error instanceof ApiError && error.status.code === 403) return 'hidden';
    throw error;
  }
}

/** Undefined: the kubelet is not simulated, or does not name its process. */
function simulatorOf({ metadata }: KubeObject): { hostname: string; pid: number } | undefined {
  const found = /^(\S+) (\d+)$/.exec(metadata.annotations?.[SIMULATED_BY] ?? '');
  return found === null ? undefined : { hostname: found[1] ?? '', pid: Number(found[2]) };
}

async function isSimulated(lease: KubeObject, claiming: NodeClaimOptions): Promise<boolean> {
  const { cluster, clock, machine, hostname, node, onWait } = claiming;
  if (lease.metadata.annotations?.[SIMULATED_BY] === '') return false;
  const by = simulatorOf(lease);
  if (by?.hostname === hostname && (by.pid === machine.pid || !machine.isAlive(by.pid))) return false;
  const { renewTime = '' } = (lease['spec'] ?? {}) as { renewTime?: string };
  if (!(Math.abs(clock.now() - Date.parse(renewTime)) < OLD_MS)) return false;
  onWait(
    `${node} was simulated a moment ago; it takes up to ${OBSERVED_MS / 1000} s to see whether it still is`,
  );
  const end = clock.monotonic() + OBSERVED_MS;
  while (clock.monotonic() < end) {
    await pause(clock, POLL_MS);
    const now = await leaseOf(cluster, node);
    if (now === undefined || now === 'hidden') return false;
    const { renewTime: renewed } = (now['spec'] ?? {}) as { renewTime?: string };
    if (renewed !== renewTime) return true;
  }
  return false;
}
