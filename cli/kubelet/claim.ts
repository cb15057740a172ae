import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Refusal } from '../command/refusal.ts';
import type { Machine } from '../host.ts';
import { pause } from '../cluster/cluster.ts';

/** On the Lease of the first node: which process plays the nodes of that prefix; empty: none any more. */
export const SIMULATED_BY = 'plan.kruise.io/played-by';
const NAMESPACE = 'kube-node-lease';
/** Kubelets renew their Lease every ten seconds. */
const WATCHED_MS = 12_000;
const LOOK_MS = 1_000;
/** A Lease that was not renewed for so long is nobody's; a clock may be wrong by as much. */
const OLD_MS = 120_000;

export interface NodeClaimOptions {
  cluster: Cluster;
  clock: Clock;
  machine: Pick<Machine, 'pid' | 'isAlive'>;
  hostname: string;
  /** The first of the nodes: whoever plays any of them plays it. */
  node: string;
  /** It is looked whether the nodes are played; a sentence. */
  onWait(text: string): void;
}

/** Nodes that are this process's alone to play. */
export interface NodeClaim {
  /** Whoever comes next need not wait. Never rejects. */
  release(): Promise<void>;
}

/**
 * Two that play the same nodes would undo each other's work: refuses where the Lease of the first one is renewed by
 * somebody else. What another process of this machine has left behind is taken over at once. Rejects as the cluster does.
 */
export async function claimNodes(claiming: NodeClaimOptions): Promise<NodeClaim | Refusal> {
  const { cluster, clock, machine, hostname, node } = claiming;
  const at = { namespace: NAMESPACE, name: node };
  const found = await leaseOf(cluster, node);
  if (found === 'hidden') return { release: async () => {} };
  if (found !== undefined && (await isPlayed(found, claiming))) {
    const by = playerOf(found);
    return {
      problem: `${node} is played already${by === undefined ? '' : `, by process ${by.pid} of ${by.hostname}`}`,
      help: 'end that one, or take nodes of another name with --node-prefix',
    };
  }
  const mark = (value: string) => ({ [SIMULATED_BY]: value });
  const own = mark(`${hostname} ${machine.pid}`);
  // Whoever comes right after this one is to see that somebody is there.
  const spec = { renewTime: `${new Date(clock.now()).toISOString().slice(0, -1)}000Z` };
  if (found !== undefined) await write({ metadata: { annotations: own }, spec });
  else await make();

  async function write(body: JsonObject): Promise<void> {
    await cluster.patch(resources.Lease, at, { type: 'merge', body });
  }

  /** As a kubelet makes it; without the namespace, which a server makes soon after its start, there is none yet. */
  async function make(): Promise<void> {
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
      const left = await leaseOf(cluster, node).catch(() => undefined);
      if (left === undefined || left === 'hidden') return;
      if (left.metadata.annotations?.[SIMULATED_BY] !== own[SIMULATED_BY]) return;
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

/** Undefined: a kubelet that is none of ours, or one that does not say. */
function playerOf({ metadata }: KubeObject): { hostname: string; pid: number } | undefined {
  const found = /^(\S+) (\d+)$/.exec(metadata.annotations?.[SIMULATED_BY] ?? '');
  return found === null ? undefined : { hostname: found[1] ?? '', pid: Number(found[2]) };
}

async function isPlayed(lease: KubeObject, claiming: NodeClaimOptions): Promise<boolean> {
  const { cluster, clock, machine, hostname, node, onWait } = claiming;
  if (lease.metadata.annotations?.[SIMULATED_BY] === '') return false;
  const by = playerOf(lease);
  if (by?.hostname === hostname && (by.pid === machine.pid || !machine.isAlive(by.pid))) return false;
  const { renewTime = '' } = (lease['spec'] ?? {}) as { renewTime?: string };
  if (!(Math.abs(clock.now() - Date.parse(renewTime)) < OLD_MS)) return false;
  onWait(`${node} was played a moment ago; it takes up to ${WATCHED_MS / 1000} s to see whether it still is`);
  const end = clock.monotonic() + WATCHED_MS;
  while (clock.monotonic() < end) {
    await pause(clock, LOOK_MS);
    const now = await leaseOf(cluster, node);
    if (now === undefined || now === 'hidden') return false;
    const { renewTime: renewed } = (now['spec'] ?? {}) as { renewTime?: string };
    if (renewed !== renewTime) return true;
  }
  return false;
}
