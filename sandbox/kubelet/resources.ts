import type { Container, Pod, Quantities, ResourceRequirements } from '../../schemas/pods/pod.ts';
import { thousandths } from '../kinds/quantity.ts';
import { sameValue } from '../../schemas/pods/fields.ts';

/** Resource requests of a pod, in thousandths by resource name. */
export type Demand = Readonly<Record<string, number>>;

/** Requests default to limits. */
function requestsOf({ requests, limits }: ResourceRequirements): Quantities {
  return { ...limits, ...requests };
}

function add(to: Record<string, number>, quantities: Quantities): void {
  for (const [name, quantity] of Object.entries(quantities))
    to[name] = (to[name] ?? 0) + thousandths(quantity);
}

/**
 * The resource requests of a pod: the sum of its containers and sidecars, or the largest requirement of an init
 * container together with the sidecars before it, whichever is larger, plus overhead. `given`: allocated resources
 * that replace those of the spec.
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
    const withSidecars = { ...sidecars };
    add(withSidecars, requests);
    for (const [name, value] of Object.entries(withSidecars)) peak[name] = Math.max(peak[name] ?? 0, value);
  }
  for (const [name, value] of Object.entries(peak)) total[name] = Math.max(total[name] ?? 0, value);
  add(total, spec.overhead ?? {});
  return total;
}

/** The allocatable resources of a node and the use by its other pods, in thousandths. */
export interface NodeCapacity {
  offered(resource: string): number;
  used(resource: string): number;
}

/** The unit in messages: thousandths for cpu, integers for other resources. */
function inUnits(resource: string, value: number): number {
  return resource === 'cpu' ? value : Math.ceil(value / 1000);
}

export interface Shortage {
  resource: string;
  /** Whether the request exceeds even an empty node. */
  forever: boolean;
  requested: number;
  used: number;
  capacity: number;
}

/** The first insufficient resource by name. */
export function shortage(demand: Demand, nodeCapacity: NodeCapacity): Shortage | undefined {
  let first: Shortage | undefined;
  for (const resource of Object.keys(demand).sort()) {
    const requested = demand[resource] ?? 0;
    const capacity = nodeCapacity.offered(resource);
    const used = nodeCapacity.used(resource);
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

/** Whether a resize restarts a container, by the `resizePolicy` of each changed resource. */
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

/** Why a kubelet rejects a pod that was bound to its node; undefined if it fits. */
export function admissionRejection(
  pod: Pod,
  nodeCapacity: NodeCapacity,
): { reason: string; message: string } | undefined {
  const lack = shortage({ ...podDemand(pod), pods: 1000 }, nodeCapacity);
  if (lack === undefined) return undefined;
  const { resource, requested, used, capacity } = lack;
  return {
    reason: `OutOf${resource}`,
    message: `Pod was rejected: Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  };
}
