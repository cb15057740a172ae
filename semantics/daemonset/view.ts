import type { PodSpec } from '../../schemas/pods/pod.ts';
import { noClaims } from '../claims/naming.ts';
import { type Eligibility, eligibilityOf, nodeTolerations } from './eligibility.ts';
import type { Node } from '../node/node.ts';
import { nodeOfPod, podSpecOf } from '../node/placement.ts';
import { factsOf } from '../pod/facts.ts';
import type { Pod } from '../pod/types.ts';
import { revisionOf } from '../revision/revision.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { type Workload, type WorkloadObjects, workloadOf } from '../workload/view.ts';
import type { NormalDaemonSet } from './spec.ts';

/** Everything that the rules of DaemonSets read, as plain data of one time. */
export interface DaemonSetView extends Workload<NormalDaemonSet> {
  /** Every node with its pods of this DaemonSet, by name. */
  readonly hosts: readonly Host[];
  /** Pods on nodes that do not exist, or on none. */
  readonly homeless: readonly Pod[];
  /** How many nodes the live template fits, or that have a pod: of so many a plan takes a part. */
  readonly units: number;
  /** What a node offers the pods of a revision; of one without object those of the live template. */
  eligibility(hash: string, node: Node): Eligibility;
}

/** A node with its pods of the DaemonSet. */
export interface Host {
  readonly name: string;
  readonly node: Node;
  /** Its pods in any state: those bound to it first, then the older, then by name (OpenKruise advanced-daemonset, rule 6.11). */
  readonly pods: readonly Pod[];
}

/**
 * Builds the view of one DaemonSet.
 *
 * @param spec that of the target
 * @param nodes every node
 */
export function daemonSetView(
  objects: WorkloadObjects,
  spec: NormalDaemonSet,
  nodes: readonly Node[],
): DaemonSetView {
  const workload = workloadOf(objects, spec, noClaims);
  const { active, ended, terminating, matches, liveHash } = workload;
  const counted = [
    ...active,
    ...[...ended, ...terminating].filter(({ metadata }) => matches(metadata.labels)),
  ];
  const byNode = new Map<string, Pod[]>();
  for (const pod of counted) {
    const name = nodeOfPod(pod);
    const there = byNode.get(name);
    if (there === undefined) byNode.set(name, [pod]);
    else there.push(pod);
  }
  const hosts = nodes
    .map((node): Host => {
      const { name } = node.metadata;
      return { name, node, pods: (byNode.get(name) ?? []).sort(byPrecedence) };
    })
    .sort((a, b) => compareCodePoints(a.name, b.name));
  const known = new Set(hosts.map(({ name }) => name));
  const eligibility = eligibilityBy(workload);
  return Object.assign(workload, {
    hosts,
    homeless: counted.filter((pod) => !known.has(nodeOfPod(pod))),
    units: hosts.filter(({ node, pods }) => pods.length > 0 || eligibility(liveHash, node).shouldRun).length,
    eligibility,
  });
}

/** Of the pods on one node the first is the one that counts. */
function byPrecedence(a: Pod, b: Pod): number {
  const [one, other] = [factsOf(a), factsOf(b)];
  return (
    Number(other.scheduled) - Number(one.scheduled) ||
    one.createdAt - other.createdAt ||
    compareCodePoints(one.name, other.name)
  );
}

/** The predicates of nodes for the pods of each revision, computed once for each pair. */
function eligibilityBy(view: Workload): DaemonSetView['eligibility'] {
  const specs = new Map<string, PodSpec>();
  const found = new Map<string, Map<Node, Eligibility>>();
  return (hash, node) => {
    const ofHash = found.get(hash) ?? new Map<Node, Eligibility>();
    found.set(hash, ofHash);
    const known = ofHash.get(node);
    if (known !== undefined) return known;
    const spec = specs.get(hash) ?? evaluatedSpec(view, hash);
    specs.set(hash, spec);
    const result = eligibilityOf(spec, node);
    ofHash.set(node, result);
    return result;
  };
}

function evaluatedSpec(view: Workload, hash: string): PodSpec {
  const spec = podSpecOf(revisionOf(view, hash)?.template ?? view.spec.template);
  return { ...spec, tolerations: nodeTolerations(spec) };
}
