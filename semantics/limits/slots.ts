import type { Pod } from '../pod/types.ts';
import type { DisruptionLimit } from './disruption.ts';

/** What a write does to a pod, that may end its availability. `Resize`: other resources for running containers. */
export type Disruption = 'Delete' | 'Update' | 'Resize';

/** Slots that an object has for pods that become unavailable. Each is taken in its status before the pod is touched. */
export interface Slots {
  /** How many are left. */
  readonly limit: DisruptionLimit;
  /** Whether such a write of a pod takes a slot. It takes none of a pod that has one, or that is unavailable anyway. */
  takesSlot(pod: Pod, how: Disruption): boolean;
}

/** An object that limits how many pods may be unavailable, with its errors dealt with. */
export interface SlotLimits {
  /** The limit of which such a write of a pod takes a slot; undefined: it takes none. Never ends in an error. */
  limitOf(pod: Pod, how: Disruption): DisruptionLimit | undefined;
}
