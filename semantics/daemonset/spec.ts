import type { IntOrPercent } from '../values/int-or-percent.ts';
import type { LabelSelector } from '../values/selector.ts';
import type { WorkloadSpec } from '../workload/view.ts';

/** How the pods of a DaemonSet are updated, with the one limit that each way has (OpenKruise advanced-daemonset, rule 6.7). */
export type UpdateStrategy =
  /** No pod is updated; one that somebody deletes comes back at the new revision. */
  | { readonly type: 'OnDelete' }
  /** The pod is deleted, and the node gets a new one. */
  | { readonly type: 'Standard'; readonly maxUnavailable: IntOrPercent }
  /** The node gets a new pod beside the old one, which is deleted once the new one is available. */
  | { readonly type: 'Surging'; readonly maxSurge: IntOrPercent }
  /** As Standard, but a pod whose change is possible in place stays. */
  | { readonly type: 'InPlaceIfPossible'; readonly maxUnavailable: IntOrPercent };

/**
 * A DaemonSet as the rules read it, of either served version, with defaults.
 *
 * Of `WorkloadSpec`: `policy` is `InPlaceIfPossible` with the strategy of that name, else `ReCreate`; `lifecycle` has the hook
 * preDelete alone, the others do not count; `volumeClaimTemplates` is empty.
 */
export interface NormalDaemonSet extends WorkloadSpec {
  readonly strategy: UpdateStrategy;
  /** How many nodes stay at the old revision; 0 with OnDelete. A percentage is of the nodes that are to run, rounded down. */
  readonly partition: IntOrPercent;
  /** The labels of the nodes that are updated; undefined: of every node. The empty selector selects every node. */
  readonly nodeSelector: LabelSelector | undefined;
  readonly paused: boolean;
  /** The partition limits creation, too. */
  readonly partitionedScaling: boolean;
  /** How many pods are created, deleted and updated in place at once, each by itself; a percentage rounds down. */
  readonly burstReplicas: IntOrPercent;
  readonly revisionHistoryLimit: number;
}

/** Whether a node has an old and a new pod at a time while it is updated. */
export function isSurging({ strategy }: Pick<NormalDaemonSet, 'strategy'>): boolean {
  return strategy.type === 'Surging';
}
