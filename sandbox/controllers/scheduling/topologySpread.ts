import type { Node } from '../../kinds/node.ts';
import type { TopologySpreadConstraint } from '../../../schemas/pods/pod.ts';
import type { Cycle, Filter } from './cycle.ts';
import { domainOf, isWantedNode, selects, withLabelKeys } from '../../kinds/selectors.ts';

interface Spread {
  constraint: TopologySpreadConstraint;
  counts: Map<string, number>;
  /** 1 if the pod matches its own spread constraint. */
  self: number;
}

/** Matching pods by domain, over the eligible nodes that have every topology key. */
function spreadsOf(cycle: Cycle, when: string): Spread[] {
  const { pod, nodes } = cycle;
  const constraints = (pod.spec.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === when,
  );
  if (constraints.length === 0) return [];
  const eligible = nodes.filter(
    (node) =>
      isWantedNode(pod, node) &&
      constraints.every(({ topologyKey }) => domainOf(node, topologyKey) !== undefined),
  );
  return constraints.map((constraint) => {
    const selector = withLabelKeys(constraint.labelSelector, pod, constraint.matchLabelKeys);
    const counts = new Map<string, number>();
    for (const node of eligible) {
      const domain = domainOf(node, constraint.topologyKey) ?? '';
      let count = counts.get(domain) ?? 0;
      for (const { metadata } of cycle.usageOf(node.metadata.name).pods.values())
        if (
          metadata.namespace === pod.metadata.namespace &&
          metadata.deletionTimestamp === undefined &&
          selects(selector, metadata.labels)
        )
          count += 1;
      counts.set(domain, count);
    }
    return { constraint, counts, self: selects(selector, pod.metadata.labels) ? 1 : 0 };
  });
}

/** Hard constraints (DoNotSchedule). */
export function spreadFilter(cycle: Cycle): Filter | undefined {
  const spreads = spreadsOf(cycle, 'DoNotSchedule').map((spread) => ({
    ...spread,
    least: spread.counts.size < (spread.constraint.minDomains ?? 1) ? 0 : Math.min(...spread.counts.values()),
  }));
  if (spreads.length === 0) return undefined;
  const mismatch = "node(s) didn't match pod topology spread constraints";
  return (node) => {
    for (const { constraint, counts, self, least } of spreads) {
      const domain = domainOf(node, constraint.topologyKey);
      if (domain === undefined) return [`${mismatch} (missing required label)`];
      if ((counts.get(domain) ?? 0) + self - least > (constraint.maxSkew ?? 1)) return [mismatch];
    }
    return [];
  };
}

/** The score of soft constraints (ScheduleAnyway) for a node; lower is better. */
export function spreadScore(cycle: Cycle): ((node: Node) => number) | undefined {
  const spreads = spreadsOf(cycle, 'ScheduleAnyway');
  if (spreads.length === 0) return undefined;
  return (node) =>
    spreads.reduce((sum, { constraint, counts }) => {
      const domain = domainOf(node, constraint.topologyKey);
      return sum + (domain === undefined ? 1_000_000 : (counts.get(domain) ?? 0));
    }, 0);
}
