import type { Node } from '../node/node.ts';
import type { PodOnNode } from '../node/pod-on-node.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { harmTo, nodeStates } from './harm.ts';
import { hasFinished, markOf, type RunRecord } from './run-record.ts';

/** A run, and the nodes as they are now. */
interface AfterRun {
  /** Of its target. */
  namespace: string;
  nodes: readonly Node[];
  podsOnNodes: readonly PodOnNode[];
  record: RunRecord;
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * The first node by name that is worse than before its run; undefined: none. Nodes on which it has not finished are not judged.
 *
 * @param onRecord names of nodes that exist, and that the run was started on
 * @param since nodes whose state before was recorded earlier are not judged, milliseconds since 1970
 * @param tolerated so many restarts of a pod are no harm
 */
export function harmedNode(
  { namespace, nodes, podsOnNodes, record, now }: AfterRun,
  onRecord: readonly string[],
  since: number,
  tolerated: number,
): { unit: string; message: string } | undefined {
  const judged = new Set(onRecord.filter((name) => hasFinished(record, name)));
  const states = nodeStates(nodes, podsOnNodes, judged).sort((a, b) => compareCodePoints(a.name, b.name));
  for (const state of states) {
    const before = record.before.get(markOf(state.name));
    const message =
      before && before.at >= since ? harmTo(state, before, { namespace, tolerated, now }) : undefined;
    if (message !== undefined) return { unit: state.name, message };
  }
  return undefined;
}
