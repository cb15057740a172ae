import type { Container, Pod, Quantities, ResourceRequirements } from '../kinds/pod.ts';
import { thousandths } from '../kinds/quantity.ts';
import { sameValue } from '../store/value.ts';

/** What a pod asks of its node, in thousandths by resource name. */
export type Demand = Readonly<Record<string, number>>;

/** A limit alone is a request too. */
function requestsOf({ requests, limits }: ResourceRequirements): Quantities {
  return { ...limits, ...requests };
}

function add(to: Record<string, number>, quantities: Quantities): void {
  for (const [name, quantity] of Object.entries(quantities))
    to[name] = (to[name] ?? 0) + thousandths(quantity);
}

/**
 * What a pod occupies: the sum of its containers and sidecars, or the most that an init container needs beside the
 * sidecars before it, whichever is more, and the overhead. `given` says what a container has instead of its spec.
 */
export function podDemand(
  { spec }: Pod,
  given: (container: Container) => ResourceRequirements = ({ resources }) => resources ?? {},
): Demand {
  const total: Record<string, number> = {};
  const sidecars: Record<string, number> = {};
  const peak: Record<string, number> = {};
  for (const container of spec.containers) add(total, requestsOf(given(container)));
  for (const container of spec.initContainers ?? []) {
    const requests = requestsOf(given(container));
    if (container.restartPolicy === 'Always') {
      add(sidecars, requests);
      add(total, requests);
      continue;
    }
    const beside = { ...sidecars };
    add(beside, requests);
    for (const [name, value] of Object.entries(beside)) peak[name] = Math.max(peak[name] ?? 0, value);
  }
  for (const [name, value] of Object.entries(peak)) total[name] = Math.max(total[name] ?? 0, value);
  add(total, spec.overhead ?? {});
  return total;
}

/** The node's side: what it offers, and what its other pods have taken, in thousandths. */
export interface NodeCapacity {
  offered(resource: string): number;
  used(resource: string): number;
}

/** The unit in which a node speaks of a resource: thousandths of a CPU, else whole ones. */
function inUnits(resource: string, value: number): number {
  return resource === 'cpu' ? value : Math.ceil(value / 1000);
}

export interface Shortage {
  resource: string;
  /** More than the node has, even empty. */
  forever: boolean;
  requested: number;
  used: number;
  capacity: number;
}

/** The first resource, by name, of which the node has not enough. */
export function shortage(demand: Demand, room: NodeCapacity): Shortage | undefined {
  let first: Shortage | undefined;
  for (const resource of Object.keys(demand).sort()) {
    const requested = demand[resource] ?? 0;
    const capacity = room.offered(resource);
    const used = room.used(resource);
    if (requested === 0 || requested + used <= capacity) continue;
    const forever = requested > capacity;
    if (first !== undefined && !forever) continue;
    first = {
      resource,
      forever,
      requested: inUnits(resource, requested),
      used: inUnits(resource, used),
      capacity: inUnits(resource, capacity),
    };
    if (forever) return first;
  }
  return first;
}

/** Whether a change of resources restarts a container (its `resizePolicy`), resource by resource. */
export function resizeRestarts(
  container: Container,
  from: ResourceRequirements,
  to: ResourceRequirements,
): boolean {
  return (container.resizePolicy ?? []).some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === 'RestartContainer' &&
      (!sameValue(from.requests?.[resourceName], to.requests?.[resourceName]) ||
        !sameValue(from.limits?.[resourceName], to.limits?.[resourceName])),
  );
}

/** Why a kubelet does not run a pod that was bound to its node; undefined where there is room for it. */
export function admissionRejection(
  pod: Pod,
  room: NodeCapacity,
): { reason: string; message: string } | undefined {
  const lack = shortage({ ...podDemand(pod), pods: 1000 }, room);
  if (lack === undefined) return undefined;
  const { resource, requested, used, capacity } = lack;
  return {
    reason: `OutOf${resource}`,
    message: `Pod was rejected: Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  };
}
