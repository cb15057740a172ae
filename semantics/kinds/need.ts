import type { Resource } from '../../schemas/wire/cluster.ts';
import type { LabelSelector } from '../values/selector.ts';

/**
 * What must be watched so that a target can be reconciled; the target itself and its ControllerRevisions always are.
 * A kind names what its rules read, the runtime decides how it is watched.
 */
export type Need =
  | { of: 'OwnedPods' }
  /** Pods of whatever controller. Namespaces: by name; undefined = that of the target. */
  | { of: 'SelectedPods'; selector: LabelSelector; namespaces: readonly string[] | undefined }
  /** PersistentVolumeClaims that the target controls. */
  | { of: 'Claims' }
  /** `Spread`: without nodes it works, but scales in the wrong pods; `Placement`: its units are nodes. */
  | { of: 'Nodes'; why: 'Spread' | 'Placement' }
  /** Objects of another kind that the target controls: of a built-in kind, or of one that has a definition. */
  | { of: 'Children'; resource: Resource }
  /** One object that the target names, of whatever owner; an empty namespace: it is in none. */
  | { of: 'Config'; resource: Resource; namespace: string; name: string };

/** A sort of need, with what no target changes of it. */
export type Use =
  | { of: 'OwnedPods' | 'SelectedPods' }
  /** `label`: the key of a label that all of them have; undefined: they have none in common. */
  | { of: 'Claims'; label: string | undefined }
  | { of: 'Nodes'; why: 'Spread' | 'Placement' }
  | { of: 'Children'; resource: Resource }
  /** `object`: the one that every target names, so that no other has to be seen. An empty namespace: it is in none. */
  | { of: 'Config'; resource: Resource; object?: { namespace: string; name: string } };

/** All needs of this sort. */
export function needsOf<Of extends Need['of']>(needs: readonly Need[], of: Of): Extract<Need, { of: Of }>[] {
  return needs.filter((need): need is Extract<Need, { of: Of }> => need.of === of);
}

/** The first need of this sort, or undefined when there is none. */
export function needOf<Of extends Need['of']>(
  needs: readonly Need[],
  of: Of,
): Extract<Need, { of: Of }> | undefined {
  return needs.find((need): need is Extract<Need, { of: Of }> => need.of === of);
}
