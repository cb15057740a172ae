import type { JsonObject } from '../../schemas/wire/json.ts';
import { candidateOf, misfit } from '../node/fit.ts';
import type { Node } from '../node/node.ts';
import type { Pod } from '../pod/types.ts';
import { hasFinished, hasStarted, type RunRecord } from '../run/run-record.ts';
import { nodeOfPod, podSpecOf } from '../node/placement.ts';

/** The nodes of a run by name. */
export interface RunNodes {
  /** Nodes that fit, or that the run was started on. */
  desired: string[];
  /** Of these, the nodes that it may be started on now: they have no pod of it, and none that runs. */
  free: string[];
  /** How many fitting nodes it was never started on, whether they are free or not. */
  unstarted: number;
  /** Nodes with an unfinished pod, of this run or of an earlier one. */
  active: string[];
  /** Nodes on record that exist. */
  onRecord: string[];
}

/**
 * Sorts the nodes of a run.
 *
 * @param pods all pods of the target
 * @param own those of this run
 * @param template of its pods
 */
export function runNodesOf(
  { pods, nodes }: { pods: readonly Pod[]; nodes: readonly Node[] },
  own: readonly Pod[],
  template: JsonObject,
  record: RunRecord,
): RunNodes {
  const withOwn = new Set(own.map(nodeOfPod));
  const active = pods.filter(isUnfinished).map(nodeOfPod);
  const busy = new Set(active);
  const candidate = candidateOf(podSpecOf(template));
  const found: RunNodes = { desired: [], free: [], unstarted: 0, active, onRecord: [] };
  for (const node of nodes) {
    const { name } = node.metadata;
    const isStarted = hasStarted(record, name);
    const fits = misfit(candidate, node) === undefined;
    if (isStarted) found.onRecord.push(name);
    if (isStarted || fits) found.desired.push(name);
    if (!fits || withOwn.has(name)) continue;
    if (!isStarted) found.unstarted += 1;
    if (!busy.has(name) && !hasFinished(record, name)) found.free.push(name);
  }
  return found;
}

/** A pod that is being deleted runs until it has ended. */
export function isUnfinished({ status }: Pod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}
