import { readySince, isReady } from './readiness.ts';
import { DELETION_COST_ANNOTATION, type Pod } from './types.ts';

/** What the orders look at, read once a pod: a comparison is made far more often than a pod is looked at. */
interface Key {
  pod: Pod;
  scheduled: boolean;
  phase: number;
  ready: boolean;
  readySince: number;
  restarts: number;
  createdAt: number;
  cost: number;
  available: boolean;
  rank: number;
}

type Compare = (a: Key, b: Key) => number;

const PHASE_RANK: Record<string, number> = { Pending: 0, Unknown: 1, Running: 2 };

const unscheduledFirst: Compare = (a, b) => Number(a.scheduled) - Number(b.scheduled);
const earlyPhaseFirst: Compare = (a, b) => a.phase - b.phase;
const notAvailableFirst: Compare = (a, b) => Number(a.available) - Number(b.available);
const notReadyFirst: Compare = (a, b) => Number(a.ready) - Number(b.ready);
const cheapestFirst: Compare = (a, b) => a.cost - b.cost;
const highRankFirst: Compare = (a, b) => b.rank - a.rank;
const lateReadyFirst: Compare = (a, b) => {
  if (!a.ready || !b.ready || a.readySince === b.readySince) return 0;
  if (a.readySince === 0 || b.readySince === 0) return a.readySince === 0 ? -1 : 1;
  return b.readySince - a.readySince;
};
const manyRestartsFirst: Compare = (a, b) => b.restarts - a.restarts;
const youngestFirst: Compare = (a, b) => b.createdAt - a.createdAt;
/** OpenKruise leaves what remains to chance; a name makes two runs take the same pod. */
const byName: Compare = (a, b) => (a.pod.metadata.name < b.pod.metadata.name ? -1 : 1);

const updateSteps: readonly Compare[] = [
  unscheduledFirst,
  earlyPhaseFirst,
  notReadyFirst,
  lateReadyFirst,
  manyRestartsFirst,
  youngestFirst,
  byName,
];

const scaleInSteps: readonly Compare[] = [
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
];

/** Within a node the rank is not known yet, and availability does not count (rule 6.4). */
const sameNodeSteps = scaleInSteps.filter((step) => step !== notAvailableFirst && step !== highRankFirst);

/**
 * The update order, first = updated first: by `precedence` (lower first); among equals what `preferred` makes of
 * OpenKruise's default order (OpenKruise inplace-update, rule 6.7).
 */
export function updateOrder(
  pods: readonly Pod[],
  precedence: (pod: Pod) => number,
  preferred: (inOrder: readonly Pod[]) => readonly Pod[] = (inOrder) => inOrder,
): Pod[] {
  return preferred(sorted(pods.map(keyOf), updateSteps))
    .map((pod) => ({ pod, rank: precedence(pod) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ pod }) => pod);
}

/**
 * The scale-in order, first = deleted first (OpenKruise cloneset, rule 6.4 step 7), over one group of candidates:
 * the rank spreads what remains over nodes and is computed inside the group.
 */
export function scaleInOrder(candidates: readonly Pod[], available: (pod: Pod) => boolean): Pod[] {
  const keys = candidates.map((pod) => ({ ...keyOf(pod), available: available(pod) }));
  rankByNode(keys);
  return sorted(keys, scaleInSteps);
}

/** Pods alone on a node rank 0; of k on one node the first in line gets k − 1, so crowded nodes give way first. */
function rankByNode(keys: readonly Key[]): void {
  const byNode = new Map<string, Key[]>();
  for (const key of keys) {
    const node = key.pod.spec.nodeName;
    if (!node) continue;
    const group = byNode.get(node);
    if (group === undefined) byNode.set(node, [key]);
    else group.push(key);
  }
  for (const group of byNode.values()) {
    group.sort(chain(sameNodeSteps)).forEach((key, index) => {
      key.rank = group.length - 1 - index;
    });
  }
}

function keyOf(pod: Pod): Key {
  return {
    pod,
    scheduled: Boolean(pod.spec.nodeName),
    phase: PHASE_RANK[pod.status?.phase ?? ''] ?? 1,
    ready: isReady(pod),
    readySince: readySince(pod),
    restarts: Math.max(0, ...(pod.status?.containerStatuses ?? []).map((status) => status.restartCount ?? 0)),
    createdAt: pod.metadata.creationTimestamp
      ? Date.parse(pod.metadata.creationTimestamp)
      : Number.MAX_SAFE_INTEGER,
    cost: deletionCost(pod),
    available: true,
    rank: 0,
  };
}

/** An int32 in Kubernetes' strict spelling; anything else ("+10", "008") counts as 0, as in a ReplicaSet. */
function deletionCost(pod: Pod): number {
  const text = pod.metadata.annotations?.[DELETION_COST_ANNOTATION] ?? '';
  const cost = /^(0|-?[1-9][0-9]{0,9})$/.test(text) ? Number(text) : 0;
  return Math.abs(cost) <= 2147483647 ? cost : 0;
}

function sorted(keys: Key[], steps: readonly Compare[]): Pod[] {
  return keys.sort(chain(steps)).map((key) => key.pod);
}

function chain(steps: readonly Compare[]): Compare {
  return (a, b) => {
    for (const step of steps) {
      const result = step(a, b);
      if (result !== 0) return result;
    }
    return 0;
  };
}
