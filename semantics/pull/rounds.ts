import type { Pod } from '../pod/types.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { pullOf } from './pod.ts';

/** How many finished pods stay of nodes that report the images, while others still pull. */
const MOST_FINISHED = 50;
/** In this round no finished pod is deleted any more: the pull knows every node that it comes to. */
const LAST_ROUND = 4;

/** A node, and in which round it is its turn. */
interface NodeRound {
  node: string;
  round: number;
}

/**
 * The nodes without a pod in the order in which it is their turn: those after the node of the last pod, then the others, in the next
 * round. So a node whose finished pod was deleted, and which has removed the images again, comes once all others have had their turn.
 *
 * @param nodes sorted by name
 * @param pods the last pod of each node
 */
export function byRound(nodes: readonly string[], pods: Iterable<Pod>): NodeRound[] {
  const last = lastOf(pods);
  if (last === undefined) return nodes.map((node) => ({ node, round: 1 }));
  const { node: lastNode, round } = pullOf(last);
  const isAfter = (node: string): boolean => compareCodePoints(node, lastNode) > 0;
  return [
    ...nodes.filter(isAfter).map((node) => ({ node, round })),
    ...nodes.filter((node) => !isAfter(node)).map((node) => ({ node, round: round + 1 })),
  ];
}

/**
 * The finished pods that are deleted while other nodes still pull or wait: the oldest beyond a number, and all where the server refuses
 * a pod, because a quota of pods counts finished ones. The last pod stays, as it says whose turn is next, and none goes in the last
 * round, so that the pulls to one node have a bound. A pod that is the only one may stand in the only place that there is: it goes.
 *
 * @param reported finished pods of nodes that report the images
 * @param pods the last pod of each node
 */
export function surplus(reported: readonly Pod[], pods: ReadonlyMap<string, Pod>, isRefused: boolean): Pod[] {
  const last = pods.size === 1 ? undefined : lastOf(pods.values());
  const oldestFirst = reported
    .filter((pod) => pod !== last && pullOf(pod).round < LAST_ROUND)
    .sort((a, b) => compareRounds(pullOf(a), pullOf(b)));
  return oldestFirst.slice(0, Math.max(oldestFirst.length - (isRefused ? 0 : MOST_FINISHED), 0));
}

/**
 * The pods that make room for others where too many wait for a place, so that each node has its turn: those that have tried least, and
 * of them the oldest. The last pod stays.
 *
 * @param stuck pods that wait for a place
 * @param pods the last pod of each node
 * @param coming how many nodes without a pod would have their turn now
 */
export function crowd(
  stuck: readonly Pod[],
  pods: ReadonlyMap<string, Pod>,
  most: number,
  coming: number,
): Pod[] {
  const count = stuck.length + coming - most;
  if (coming === 0 || count <= 0) return [];
  const last = lastOf(pods.values());
  return stuck
    .filter((pod) => pod !== last)
    .sort((a, b) => pullOf(a).tries - pullOf(b).tries || compareRounds(pullOf(a), pullOf(b)))
    .slice(0, count);
}

function lastOf(pods: Iterable<Pod>): Pod | undefined {
  let last: Pod | undefined;
  for (const pod of pods) if (last === undefined || compareRounds(pullOf(pod), pullOf(last)) > 0) last = pod;
  return last;
}

function compareRounds(a: NodeRound, b: NodeRound): number {
  return a.round - b.round || compareCodePoints(a.node, b.node);
}
