import type { JsonObject } from '../../schemas/wire/json.ts';
import type { PodSpec } from '../../schemas/pods/pod.ts';
import { remembered } from '../values/remembered.ts';
import { requiredNode } from './affinity.ts';
import { type Candidate, candidateOf, misfit } from './fit.ts';
import type { Node } from './node.ts';
import type { Pod } from '../pod/types.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { objectOf } from '../values/read.ts';

/** Which nodes have a pod of a target whose units are nodes, and which are to have one. Lists are sorted by name. */
export interface NodePlacement {
  /** Nodes that count: they fit, or their pod still does, or is being deleted, as OpenKruise counts them. */
  desired: string[];
  /** Of these, the nodes without a pod. */
  rest: string[];
  /** Of these, the pods of the others. */
  present: Pod[];
  /** Pods that no longer fit their nodes, and why. */
  unfit: { pod: Pod; node: string; why: string }[];
  /** Nodes without a pod that do not fit, and why. */
  excluded: { node: string; why: string }[];
  /** Pods that run on a node with a younger pod of the target. Nothing is done about them. */
  duplicates: { pod: Pod; node: string }[];
}

/**
 * Compares nodes and pods, as OpenKruise does. A node without a pod is tested with the template, a node with
 * one with that pod as it is. Pods on nodes that do not exist are in no list.
 */
export function placementOf(
  template: JsonObject,
  pods: readonly Pod[],
  nodes: readonly Node[],
): NodePlacement {
  const { byNode, duplicates } = podsByNode(pods);
  const placement: NodePlacement = {
    desired: [],
    rest: [],
    present: [],
    unfit: [],
    excluded: [],
    duplicates,
  };
  const candidate = candidateOf(podSpecOf(template));
  for (const node of sortedByName(nodes)) {
    const { name } = node.metadata;
    const pod = byNode.get(name);
    const why = misfit(pod === undefined ? candidate : candidateOfPod(pod), node);
    if (pod === undefined) {
      if (why !== undefined) {
        placement.excluded.push({ node: name, why });
        continue;
      }
      placement.rest.push(name);
    } else if (why !== undefined && pod.metadata.deletionTimestamp === undefined) {
      placement.unfit.push({ pod, node: name, why });
      continue;
    } else placement.present.push(pod);
    placement.desired.push(name);
  }
  return placement;
}

/** Cached by object: an observed pod is immutable, and every reconcile tests all pods. */
const candidateOfPod = remembered((pod: Pod): Candidate => candidateOf(pod.spec));

/** The node that a pod runs on, or is assigned to; empty: neither is known. */
export function nodeOfPod(pod: Pod): string {
  return pod.spec.nodeName || (requiredNode(pod.spec) ?? '');
}

/** Of two pods on a node the younger one counts, then the one with the greater name. */
function podsByNode(pods: readonly Pod[]): {
  byNode: Map<string, Pod>;
  duplicates: NodePlacement['duplicates'];
} {
  const byNode = new Map<string, Pod>();
  const duplicates: NodePlacement['duplicates'] = [];
  const bornAt = ({ metadata }: Pod): string => metadata.creationTimestamp ?? '';
  const byAge = [...sortedByName(pods)].sort((a, b) => compareCodePoints(bornAt(a), bornAt(b)));
  for (const pod of byAge) {
    const node = nodeOfPod(pod);
    if (node === '') continue;
    const older = byNode.get(node);
    if (older !== undefined) duplicates.push({ pod: older, node });
    byNode.set(node, pod);
  }
  return { byNode, duplicates };
}

function sortedByName<Named extends { metadata: { name: string } }>(objects: readonly Named[]): Named[] {
  return [...objects].sort((a, b) => compareCodePoints(a.metadata.name, b.metadata.name));
}

/** The spec of the pods of a template. */
export function podSpecOf(template: JsonObject): PodSpec {
  return { containers: [], ...objectOf(template['spec']) };
}
