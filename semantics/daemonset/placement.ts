import { oldSideRevisions } from '../plan/partition.ts';
import { selectedByAll } from '../plan/selector-bound.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import type { Judged, JudgedNode } from './judged.ts';
import type { DaemonSetView } from './view.ts';

/** Which revision the missing pod of each node gets. */
export interface Placement {
  /** Hashes of revisions, by the names of nodes. */
  readonly created: ReadonlyMap<string, string>;
  /** Why a node that is to have a pod gets none now, by its name. */
  readonly waits: ReadonlyMap<string, string>;
}

const byName = (a: JudgedNode, b: JudgedNode): number => compareCodePoints(a.name, b.name);

/**
 * Decides on which revision missing pods are created (OpenKruise advanced-daemonset, rule 6.4).
 *
 * - With the target's own strategy alone: on the live one, as with OpenKruise. With partitionedScaling the partition limits how many
 *   there are, the first by name.
 * - Under a plan: on the goal as long as fewer nodes have it than the envelope allows, the last by name first, as updates go; all
 *   others on the stable revision. A node that has a pod at the goal already, which is being deleted, uses up nothing more.
 *
 * @param needing the nodes that have no pod, or none that stays
 */
export function placementOf(view: DaemonSetView, judged: Judged, needing: readonly JudgedNode[]): Placement {
  return judged.envelope.ownStrategy === true
    ? ownPlacement(view, judged, needing)
    : boundedPlacement(view, judged, needing);
}

function ownPlacement(view: DaemonSetView, judged: Judged, needing: readonly JudgedNode[]): Placement {
  const { nodes, desired, partitioned, envelope } = judged;
  const { goal, selector, retained } = envelope;
  const isSelected = selectedByAll([selector]);
  const isLimited = view.spec.partitionedScaling && partitioned.partition > 0;
  const updated = nodes.filter(({ isClear, fresh }) => isClear && fresh !== undefined).length;
  const most = isLimited ? Math.max(desired - updated - partitioned.partition, 0) : Infinity;
  const created = new Map<string, string>();
  const waits = new Map<string, string>();
  for (const { name, node } of [...needing].sort(byName)) {
    // After a plan with a selector, what it did not select stays where it was.
    const hash = isSelected(node.metadata.labels) ? goal : (retained?.hash ?? goal);
    if (created.size < most) created.set(name, hash);
    else waits.set(name, limitedText(partitioned.partition));
  }
  return { created, waits };
}

function boundedPlacement(view: DaemonSetView, judged: Judged, needing: readonly JudgedNode[]): Placement {
  const { nodes, onOld, partitioned, envelope } = judged;
  const { goal, stable, retained, obeyPartition } = envelope;
  const { spec, liveHash, units } = view;
  const created = new Map<string, string>();
  const waits = new Map<string, string>();
  let left = Math.max(units - onOld - nodes.filter(({ isTaken }) => isTaken).length, 0);
  const isLimited = spec.partitionedScaling && obeyPartition && partitioned.partition > 0;
  const inOrder = [...needing].sort(isLimited ? byName : (a, b) => byName(b, a));
  const old: JudgedNode[] = [];
  for (const node of inOrder) {
    const mayTake = node.fitsGoal && node.isSelected && left > 0;
    if (node.isTaken && node.fitsGoal) created.set(node.name, goal);
    else if (mayTake) {
      created.set(node.name, goal);
      left -= 1;
    } else old.push(node);
  }
  const isOn = (hash: string): number =>
    nodes.filter(({ pods }) => pods.some((pod) => view.hashOf(pod) === hash)).length;
  const wanted = old.filter(({ shouldRun }) => shouldRun);
  const selected = wanted.filter(({ isSelected }) => isSelected);
  const sides = oldSideRevisions(partitioned, envelope, selected.length, () => isOn(stable));
  for (const { name, isSelected } of wanted) {
    // A bound by labels tells nodes apart, and one by number counts them.
    const hash = isSelected ? (sides.shift() ?? stable) : (retained?.hash ?? stable);
    // A partition that limits creation waits for no older revision, where there is none.
    if (isLimited && hash === liveHash) waits.set(name, limitedText(partitioned.partition));
    else created.set(name, hash);
  }
  return { created, waits };
}

function limitedText(partition: number): string {
  return `gets no pod now: partitionedScaling is on, and the partition keeps ${partition} ${partition === 1 ? 'node' : 'nodes'} back`;
}
