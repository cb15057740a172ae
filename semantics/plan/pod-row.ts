import type { PodLocation } from '../pod/location.ts';

export interface PodRow extends PodLocation {
  uid: string;
  /**
   * Identifies the pod and its replacements: the ordinal or the node, where the kind has one; else the uid. The baseline of a
   * plan records broken pods by it.
   */
  unit: string;
  name: string;
  /** What a selector of units reads: the labels of the pod, or of its node. Omitted: the kind has no such selector. */
  labels?: Readonly<Record<string, string>> | undefined;
  /** Undefined: the pod is on a revision that has no object. */
  hash: string | undefined;
  available: boolean;
  /** Restarts of its containers, without those that an in-place update caused. */
  restarts: number;
  /** The last of these restarts came after the pod had been available. */
  restartedWhenAvailable?: boolean;
  createdAt: number;
  /** When it was last updated in place, by the clock of the runtime; 0: never. (`createdAt` is by that of the server.) */
  updatedAt: number;
  /** It is not ready because an update has drained it and is not complete: it does not count as broken. */
  beingUpdated?: boolean;
  /** Only what other updaters have added to it, or change, or its node keeps it from being available: it fails no step. */
  foreignCause?: boolean;
  /** Why its update can never finish, as a clause; undefined: it can. */
  stuck?: string | undefined;
  /** What it waits for at a lifecycle hook, as a clause with the command that ends the wait; undefined: it does not. */
  hook?: string | undefined;
}
