import type { Node } from '../../kinds/node.ts';
import type { Pod } from '../../../schemas/pods/pod.ts';
import type { Demand } from '../../kubelet/resources.ts';

/** The resources that the pods of a node use. */
export interface Usage {
  pods: ReadonlyMap<string, Pod>;
  taken(resource: string): number;
}

/** One attempt to find a node for one pod. */
export interface Cycle {
  pod: Pod;
  demand: Demand;
  nodes: readonly Node[];
  usageOf(nodeName: string): Usage;
  /** Existing pods with required anti-affinity, on any node. */
  antiAffinityPods(): readonly Pod[];
  namespaceLabels(namespace: string): Readonly<Record<string, string>> | undefined;
}

/** Why a node is not feasible for the pod, in the scheduler's wording; empty if it is feasible. */
export type Filter = (node: Node) => readonly string[];
