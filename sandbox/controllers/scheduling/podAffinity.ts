import type { Node } from '../../kinds/node.ts';
import type { Pod, PodAffinityTerm } from '../../../schemas/pods/pod.ts';
import type { Cycle, Filter } from './cycle.ts';
import { domainOf, selects, withLabelKeys } from '../../kinds/selectors.ts';

/** Whether a term of `owner` matches `other`: namespaces and labels. */
function isAbout(term: PodAffinityTerm, owner: Pod, other: Pod, cycle: Cycle): boolean {
  const { namespaces = [], namespaceSelector } = term;
  const namespace = other.metadata.namespace ?? '';
  const inside =
    namespaces.length === 0 && namespaceSelector === undefined
      ? namespace === owner.metadata.namespace
      : namespaces.includes(namespace) || selects(namespaceSelector, cycle.namespaceLabels(namespace));
  const selector = withLabelKeys(term.labelSelector, owner, term.matchLabelKeys, term.mismatchLabelKeys);
  return inside && selects(selector, other.metadata.labels);
}

function requiredTerms(pod: Pod, side: 'podAffinity' | 'podAntiAffinity'): readonly PodAffinityTerm[] {
  return pod.spec.affinity?.[side]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

export function hasAntiAffinity(pod: Pod): boolean {
  return requiredTerms(pod, 'podAntiAffinity').length > 0;
}

/** The number of matching pods by topology domain. */
function countByDomain(term: PodAffinityTerm, cycle: Cycle): Map<string, number> {
  const counts = new Map<string, number>();
  for (const node of cycle.nodes) {
    const domain = domainOf(node, term.topologyKey);
    if (domain === undefined) continue;
    let count = 0;
    for (const other of cycle.usageOf(node.metadata.name).pods.values())
      if (isAbout(term, cycle.pod, other, cycle)) count += 1;
    if (count > 0) counts.set(domain, (counts.get(domain) ?? 0) + count);
  }
  return counts;
}

/** Required affinity and anti-affinity, of the pod and of existing pods. */
export function podAffinityFilter(cycle: Cycle): Filter | undefined {
  const { pod, nodes } = cycle;
  const near = requiredTerms(pod, 'podAffinity').map((term) => ({
    term,
    counts: countByDomain(term, cycle),
    self: isAbout(term, pod, pod, cycle),
  }));
  const far = requiredTerms(pod, 'podAntiAffinity').map((term) => ({
    term,
    counts: countByDomain(term, cycle),
  }));
  const byName = new Map(nodes.map((node) => [node.metadata.name, node]));
  const closed = new Set<string>();
  for (const other of cycle.antiAffinityPods())
    for (const term of requiredTerms(other, 'podAntiAffinity')) {
      const domain = domainOf(byName.get(other.spec.nodeName ?? ''), term.topologyKey);
      if (domain !== undefined && isAbout(term, other, pod, cycle))
        closed.add(JSON.stringify([term.topologyKey, domain]));
    }
  if (near.length + far.length + closed.size === 0) return undefined;
  // The first pod of a group with affinity to itself can be scheduled anywhere.
  const isFirst = near.every(({ counts, self }) => counts.size === 0 && self);
  return (node) => {
    for (const { term, counts } of near) {
      const domain = domainOf(node, term.topologyKey);
      if (domain === undefined || (!counts.has(domain) && !isFirst))
        return ["node(s) didn't match pod affinity rules"];
    }
    for (const { term, counts } of far) {
      const domain = domainOf(node, term.topologyKey);
      if (domain !== undefined && counts.has(domain)) return ["node(s) didn't match pod anti-affinity rules"];
    }
    for (const entry of closed) {
      const [key = '', value] = JSON.parse(entry) as string[];
      if (domainOf(node, key) === value) return ["node(s) didn't satisfy existing pods anti-affinity rules"];
    }
    return [];
  };
}

/** The score of preferred affinity for a node; higher is better. */
export function podAffinityScore(cycle: Cycle): ((node: Node) => number) | undefined {
  const { podAffinity, podAntiAffinity } = cycle.pod.spec.affinity ?? {};
  const weighted = [
    ...(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((each) => ({
      ...each,
      sign: 1,
    })),
    ...(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((each) => ({
      ...each,
      sign: -1,
    })),
  ].map(({ weight = 0, podAffinityTerm = {}, sign }) => ({
    weight: weight * sign,
    key: podAffinityTerm.topologyKey,
    counts: countByDomain(podAffinityTerm, cycle),
  }));
  if (weighted.length === 0) return undefined;
  return (node) =>
    weighted.reduce(
      (sum, { weight, key, counts }) => sum + weight * (counts.get(domainOf(node, key) ?? '') ?? 0),
      0,
    );
}
