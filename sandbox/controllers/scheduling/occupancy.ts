import type { Pod } from '../../../schemas/pods/pod.ts';
import { podDemand, type Demand } from '../../kubelet/resources.ts';
import type { Usage } from './cycle.ts';
import { hasAntiAffinity } from './podAffinity.ts';

interface NodeUsage extends Usage {
  pods: Map<string, Pod>;
  sums: Record<string, number>;
}

/** The pods of each node and the resources they use. */
export interface Occupancy {
  of(nodeName: string): Usage;
  /** Adds or updates a pod on a node. */
  put(pod: Pod, nodeName: string): void;
  /** Reserves a node for a pod whose binding is in progress. */
  assume(pod: Pod, nodeName: string): void;
  forget(uid: string): void;
  /** Pods with a required anti-affinity. */
  antiAffinityPods(): readonly Pod[];
}

export function createOccupancy(): Occupancy {
  const nodes = new Map<string, NodeUsage>();
  const locations = new Map<string, { node: string; spec: Pod['spec']; demand: Demand }>();
  const repelling = new Map<string, Pod>();

  function of(nodeName: string): NodeUsage {
    let usage = nodes.get(nodeName);
    if (usage === undefined) {
      const sums: Record<string, number> = {};
      usage = { pods: new Map(), sums, taken: (resource) => sums[resource] ?? 0 };
      nodes.set(nodeName, usage);
    }
    return usage;
  }

  function count(demand: Demand, sums: Record<string, number>, sign: 1 | -1): void {
    for (const [resource, amount] of Object.entries(demand))
      sums[resource] = (sums[resource] ?? 0) + sign * amount;
  }

  function forget(uid: string): void {
    const location = locations.get(uid);
    if (location === undefined) return;
    const usage = of(location.node);
    count(location.demand, usage.sums, -1);
    usage.pods.delete(uid);
    locations.delete(uid);
    repelling.delete(uid);
  }

  function put(pod: Pod, nodeName: string): void {
    const { uid = '' } = pod.metadata;
    const known = locations.get(uid);
    if (known?.node === nodeName && known.spec === pod.spec) {
      // The resources are unchanged; the labels may differ.
      of(nodeName).pods.set(uid, pod);
      if (repelling.has(uid)) repelling.set(uid, pod);
      return;
    }
    forget(uid);
    const demand = podDemand(pod);
    locations.set(uid, { node: nodeName, spec: pod.spec, demand });
    const usage = of(nodeName);
    usage.pods.set(uid, pod);
    count(demand, usage.sums, 1);
    if (hasAntiAffinity(pod)) repelling.set(uid, pod);
  }

  return {
    of,
    put,
    assume: (pod, nodeName) => put({ ...pod, spec: { ...pod.spec, nodeName } }, nodeName),
    forget,
    antiAffinityPods: () => [...repelling.values()],
  };
}
