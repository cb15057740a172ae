import type { Node } from '../../kinds/node.ts';
import type { Pod } from '../../kinds/pod.ts';
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
  /** Pods that keep others away, wherever they are. */
  antiAffinityPods(): readonly Pod[];
  namespaceLabels(namespace: string): Readonly<Record<string, string>> | undefined;
}

/** Why a node does not take the pod, in the scheduler's words; none when it does. */
export type Filter = (node: Node) => readonly string[];
