import { firstSorted } from '../values/first-sorted.ts';
import { factsOf, type PodFacts } from './facts.ts';
import { HOSTNAME, type NodeLabels, noNodes } from './nodes.ts';
import type { Pod } from './types.ts';
import { memberOf } from '../values/read.ts';

/** A pod to be sorted, with its facts and what depends on the list that it is in. */
interface Candidate {
  pod: Pod;
  facts: PodFacts;
  available: boolean;
  /** Lower first; used by scale-in alone. */
  cost: number;
  /** For updates the precedence, lower first; for scale-in how crowded its node or domain is, higher first. */
  rank: number;
}

/** Reorders pods that are in the default order. */
export type Preference = (inOrder: readonly Pod[]) => readonly Pod[];

type Compare = (a: Candidate, b: Candidate) => number;

const leastStartedFirst: Compare = (a, b) => a.facts.started - b.facts.started;
const notAvailableFirst: Compare = (a, b) => Number(a.available) - Number(b.available);
const cheapestFirst: Compare = (a, b) => a.cost - b.cost;
const highRankFirst: Compare = (a, b) => b.rank - a.rank;
const newestReadyFirst: Compare = ({ facts: a }, { facts: b }) => {
  if (!a.ready || !b.ready || a.readySince === b.readySince) return 0;
  if (a.readySince === 0 || b.readySince === 0) return a.readySince === 0 ? -1 : 1;
  return b.readySince - a.readySince;
};
const manyRestartsFirst: Compare = (a, b) => b.facts.restarts - a.facts.restarts;
const manySidecarRestartsFirst: Compare = (a, b) => b.facts.sidecarRestarts - a.facts.sidecarRestarts;
const youngestFirst: Compare = (a, b) => b.facts.createdAt - a.facts.createdAt;
/** In OpenKruise the rest of the order is random; the name makes it deterministic. */
const byName: Compare = (a, b) => (a.facts.name < b.facts.name ? -1 : 1);

/** The end of all orders of a scale-in: what is youngest is deleted first. */
const endOfScaleIn: Compare = (a, b) =>
  newestReadyFirst(a, b) || manyRestartsFirst(a, b) || youngestFirst(a, b) || byName(a, b);

const forUpdate: Compare = (a, b) =>
  a.rank - b.rank ||
  leastStartedFirst(a, b) ||
  newestReadyFirst(a, b) ||
  manyRestartsFirst(a, b) ||
  manySidecarRestartsFirst(a, b) ||
  youngestFirst(a, b) ||
  byName(a, b);

/** Which pod is deleted first. An available pod is ready. The two orders below it only compute the rank. */
const forScaleIn: Compare = (a, b) =>
  leastStartedFirst(a, b) ||
  notAvailableFirst(a, b) ||
  cheapestFirst(a, b) ||
  highRankFirst(a, b) ||
  endOfScaleIn(a, b);

/** Within a node the rank is not known yet, and availability does not count (OpenKruise workloads, rule 6.4). */
const onOneNode: Compare = (a, b) => leastStartedFirst(a, b) || cheapestFirst(a, b) || endOfScaleIn(a, b);

/** Within a domain, pods on crowded nodes come first. */
const inOneDomain: Compare = (a, b) =>
  leastStartedFirst(a, b) || cheapestFirst(a, b) || highRankFirst(a, b) || endOfScaleIn(a, b);

/**
 * The update order (OpenKruise inplace-update, rule 6.7): by `precedence`, lower first; of equal precedence in OpenKruise's
 * default order, which `preferred` may change.
 *
 * @param count how many pods are needed: selecting the first ones is faster than sorting all
 */
export function updateOrder(
  pods: readonly Pod[],
  precedence: (pod: Pod) => number,
  { preferred, count = pods.length }: { preferred?: Preference | undefined; count?: number } = {},
): Pod[] {
  if (preferred === undefined) {
    const line = pods.map((pod) => candidate(pod, true, precedence(pod)));
    return firstSorted(line, count, forUpdate).map(({ pod }) => pod);
  }
  const line = pods.map((pod) => candidate(pod, true, 0)).sort(forUpdate);
  return preferred(line.map(({ pod }) => pod))
    .map((pod) => ({ pod, rank: precedence(pod) }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ pod }) => pod);
}

/**
 * The scale-in order, first = deleted first (OpenKruise workloads, rule 6.4 step 7), within one group of
 * candidates: a kind may order old and new pods separately. The rank keeps the remaining pods of the group spread over nodes,
 * or over the domains of the template's spread constraints.
 *
 * @param over topology keys of the constraints; if nodes may not be listed, pods are spread over nodes only
 * @param deletionCost the cost of a pod in place of its annotation; undefined, or of no value: the annotation counts
 */
export function scaleInOrder(
  candidates: readonly Pod[],
  available: (pod: Pod) => boolean,
  over: readonly string[] = [],
  nodes: NodeLabels = noNodes,
  deletionCost?: (pod: Pod) => number | undefined,
): Pod[] {
  const line = candidates.map((pod) => candidate(pod, available(pod), 0, deletionCost?.(pod)));
  rankByNode(line);
  if (over.length > 0 && nodes.state === 'known') rankByDomain(line, over, nodes);
  return line.sort(forScaleIn).map(({ pod }) => pod);
}

/**
 * Ranks pods by domain (OpenKruise workloads, rule 6.4). For each constraint the m pods of a domain are sorted and get m,
 * m − 1 … units; a unit grows with the number of domains. A pod whose node does not have the label gets nothing.
 */
function rankByDomain(line: readonly Candidate[], over: readonly string[], nodes: NodeLabels): void {
  const ranks = new Map<Candidate, number>();
  for (const topologyKey of over) {
    const domains = new Map<string, Candidate[]>();
    for (const each of line) {
      const { nodeName } = each.pod.spec;
      const domain = nodeName ? memberOf(nodes.of(nodeName), topologyKey) : undefined;
      if (domain === undefined) continue;
      const group = domains.get(domain);
      if (group === undefined) domains.set(domain, [each]);
      else group.push(each);
    }
    const unit = Math.log(domains.size + 2);
    const compare = topologyKey === HOSTNAME ? onOneNode : inOneDomain;
    for (const group of domains.values()) {
      group.sort(compare).forEach((each, index) => {
        ranks.set(each, (ranks.get(each) ?? 0) + (group.length - index) * unit);
      });
    }
  }
  for (const each of line) each.rank = ranks.get(each) ?? 0;
}

/** Ranks pods by node: of k pods on one node the first gets k − 1, so that pods on crowded nodes are deleted first. */
function rankByNode(line: readonly Candidate[]): void {
  const byNode = new Map<string, Candidate[]>();
  for (const each of line) {
    const node = each.pod.spec.nodeName;
    if (!node) continue;
    const group = byNode.get(node);
    if (group === undefined) byNode.set(node, [each]);
    else group.push(each);
  }
  for (const group of byNode.values()) {
    group.sort(onOneNode).forEach((each, index) => {
      each.rank = group.length - 1 - index;
    });
  }
}

function candidate(pod: Pod, available: boolean, rank: number, cost?: number): Candidate {
  const facts = factsOf(pod);
  return { pod, facts, available, cost: cost ?? facts.deletionCost, rank };
}
