import type { ContainerStatus, Pod, ResourceRequirements } from '../../schemas/pods/pod.ts';
import type { Demand } from './resources.ts';

/** The allocation of one container. */
export interface ContainerAllocation {
  readonly container: string;
  allocated: ResourceRequirements;
  actual: ResourceRequirements;
  /** The resize needs a restart: the restart count at the time of the request. */
  awaited: number | undefined;
}

/** The allocations of a pod's containers, and the pending resize. */
export interface PodAllocation {
  containers: readonly ContainerAllocation[];
  /** Why the resize is deferred or infeasible. */
  pending: { reason: 'Infeasible' | 'Deferred'; message: string } | undefined;
  /** A resize without restart is in progress. */
  applying: boolean;
  /** The last resize request, until something changes. */
  counted: { spec: Pod['spec']; demand: Demand } | undefined;
}

/** `known`: the container statuses of a pod that another kubelet ran before. */
export function newPodAllocation(known: readonly ContainerStatus[]): PodAllocation {
  const shares: ContainerAllocation[] = [];
  for (const { name, resources } of known)
    if (resources !== undefined) shares.push(newContainerAllocation(name, resources));
  return { containers: shares, pending: undefined, applying: false, counted: undefined };
}

export function newContainerAllocation(
  container: string,
  resources: ResourceRequirements,
): ContainerAllocation {
  return { container, allocated: resources, actual: resources, awaited: undefined };
}

export function allocationOf(
  { containers }: PodAllocation,
  container: string,
): ContainerAllocation | undefined {
  return containers.find((share) => share.container === container);
}
