import type { ContainerStatus, Pod, ResourceRequirements } from '../kinds/pod.ts';
import type { Demand } from './resources.ts';

/** What one container was given. */
export interface ContainerAllocation {
  readonly container: string;
  allocated: ResourceRequirements;
  actual: ResourceRequirements;
  /** It gets what is allocated with a restart: how often it had been restarted when that was asked. */
  awaited: number | undefined;
}

/** What the containers of one pod were given, and the change of it that is asked for. */
export interface PodAllocation {
  containers: readonly ContainerAllocation[];
  /** Why the change has to wait, or cannot be. */
  pending: { reason: 'Infeasible' | 'Deferred'; message: string } | undefined;
  /** A change that restarts nothing is under way. */
  applying: boolean;
  /** What was asked for last, until something changes. */
  counted: { spec: Pod['spec']; demand: Demand } | undefined;
}

/** `known`: what a status says of the containers of a pod that is taken over. */
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
