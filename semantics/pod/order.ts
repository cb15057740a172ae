import { readySince, isReady } from './readiness.ts';
import { DELETION_COST_ANNOTATION, type Pod } from './types.ts';

type Compare = (a: Pod, b: Pod) => number;

const PHASE_RANK: Record<string, number> = { Pending: 0, Unknown: 1, Running: 2 };

const unscheduledFirst: Compare = (a, b) =>
  Number(Boolean(a.spec.nodeName)) - Number(Boolean(b.spec.nodeName));
const earlyPhaseFirst: Compare = (a, b) => phaseRank(a) - phaseRank(b);
const notReadyFirst: Compare = (a, b) => Number(isReady(a)) - Number(isReady(b));
const cheapestFirst: Compare = (a, b) => deletionCost(a) - deletionCost(b);
const lateReadyFirst: Compare = (a, b) => {
  if (!isReady(a) || !isReady(b)) return 0;
  const [left, right] = [readySince(a), readySince(b)];
  if (left === right) return 0;
  if (left === 0 || right === 0) return left === 0 ? -1 : 1;
  return right - left;
};
const manyRestartsFirst: Compare = (a, b) => maxRestarts(b) - maxRestarts(a);
const youngestFirst: Compare = (a, b) => createdAt(b) - createdAt(a);
/** OpenKruise leaves what remains to chance; a name makes two runs take the same pod. */
const byName: Compare = (a, b) => (a.metadata.name < b.metadata.name ? -1 : 1);

/** The default update order, first = updated first (OpenKruise inplace-update, rule 6.7). */
export const updateOrder: Compare = chain(
  unscheduledFirst,
  earlyPhaseFirst,
  notReadyFirst,
  lateReadyFirst,
  manyRestartsFirst,
  youngestFirst,
  byName,
);

/**
 * The scale-in order, first = deleted first (OpenKruise cloneset, rule 6.4 step 7), over one group of candidates:
 * the rank spreads what remains over nodes and is computed inside the group.
 */
export function scaleInOrder(candidates: readonly Pod[], available: (pod: Pod) => boolean): Pod[] {
  const rank = nodeRank(candidates);
  const notAvailableFirst: Compare = (a, b) => Number(available(a)) - Number(available(b));
  const highRankFirst: Compare = (a, b) =>
    (rank.get(b.metadata.name) ?? 0) - (rank.get(a.metadata.name) ?? 0);
  return [...candidates].sort(
    chain(
      unscheduledFirst,
      earlyPhaseFirst,
      notAvailableFirst,
      notReadyFirst,
      cheapestFirst,
      highRankFirst,
      lateReadyFirst,
      manyRestartsFirst,
      youngestFirst,
      byName,
    ),
  );
}

/** Pods alone on a node rank 0; of k on one node the first in line gets k − 1, so crowded nodes give way first. */
function nodeRank(pods: readonly Pod[]): Map<string, number> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = pod.spec.nodeName;
    if (node) byNode.set(node, [...(byNode.get(node) ?? []), pod]);
  }
  const ranks = new Map<string, number>();
  const order = chain(
    earlyPhaseFirst,
    notReadyFirst,
    cheapestFirst,
    lateReadyFirst,
    manyRestartsFirst,
    youngestFirst,
    byName,
  );
  for (const group of byNode.values()) {
    group.sort(order).forEach((pod, index) => ranks.set(pod.metadata.name, group.length - 1 - index));
  }
  return ranks;
}

function phaseRank(pod: Pod): number {
  return PHASE_RANK[pod.status?.phase ?? ''] ?? 1;
}

/** An int32 in Kubernetes' strict spelling; anything else ("+10", "008") counts as 0, as in a ReplicaSet. */
function deletionCost(pod: Pod): number {
  const text = pod.metadata.annotations?.[DELETION_COST_ANNOTATION] ?? '';
  const cost = /^(0|-?[1-9][0-9]{0,9})$/.test(text) ? Number(text) : 0;
  return Math.abs(cost) <= 2147483647 ? cost : 0;
}

function maxRestarts(pod: Pod): number {
  return Math.max(0, ...(pod.status?.containerStatuses ?? []).map((status) => status.restartCount ?? 0));
}

function createdAt(pod: Pod): number {
  return pod.metadata.creationTimestamp
    ? Date.parse(pod.metadata.creationTimestamp)
    : Number.MAX_SAFE_INTEGER;
}

function chain(...steps: Compare[]): Compare {
  return (a, b) => {
    if (a === b) return 0;
    for (const step of steps) {
      const result = step(a, b);
      if (result !== 0) return result;
    }
    return 0;
  };
}
