import type { Envelope } from '../plan/envelope.ts';
import { oldSideRevisions } from '../plan/partition.ts';
import { selectedByAll } from '../plan/selector-bound.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { heldBackAt } from './held-back.ts';
import type { Judged, JudgedNode } from './judged.ts';
import { stepNodes, stillAllowed } from './step-nodes.ts';
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
 * - Under a plan: on the goal as long as fewer nodes have it than the envelope allows, those that its step is about and the others each
 *   by themselves. The last by name comes first, as updates go. All others get the stable revision, and nodes that have joined since
 *   the step started. A node that has a pod at the goal already, which
 *   is being deleted, uses up nothing more. Nodes that a partition has kept without a pod get none but at the goal.
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
  const { goal, stable, obeyPartition } = envelope;
  const { spec, units } = view;
  const created = new Map<string, string>();
  const isLimited = spec.partitionedScaling && obeyPartition && partitioned.partition > 0;
  const heldBack = heldBackIn(view, envelope);
  const most = units - onOld - (goal === stable ? heldBack : 0);
  const taken = nodes.filter(({ isTaken }) => isTaken);
  const isBack = envelope.back !== undefined && heldBack === 0;
  let left = isBack ? roomOnTheWayBack(view, judged, needing) : Math.max(most - taken.length, 0);
  const step = stepNodes(judged);
  const room = stillAllowed(step, taken);
  const inOrder = [...needing].sort(isLimited || heldBack > 0 ? byName : (a, b) => byName(b, a));
  const old: JudgedNode[] = [];
  for (const node of inOrder) {
    const side = step.sideOf(node);
    const mayTake = node.fitsGoal && node.isSelected && !node.isNew && left > 0 && room[side] > 0;
    if (node.isTaken && node.fitsGoal) created.set(node.name, node.goal);
    else if (mayTake) {
      created.set(node.name, goal);
      left -= 1;
      room[side] -= 1;
    } else if (node.shouldRun) old.push(node);
  }
  const waits = oldSide(view, judged, old, { created, isLimited, heldBack });
  return { created, waits };
}

/**
 * How many of the nodes without a pod a way back gives one at the goal: all but as many as a bound had left elsewhere, and have lost
 * their pods. (The nodes that have yet to go back take nothing of that.)
 */
function roomOnTheWayBack(view: DaemonSetView, judged: Judged, needing: readonly JudgedNode[]): number {
  const { nodes, onOld, envelope } = judged;
  const left = new Set(envelope.back?.taken?.left);
  const isLeft = ({ isTaken, pods }: JudgedNode): boolean =>
    !isTaken && pods.some((pod) => left.has(view.hashOf(pod) ?? ''));
  const lost = Math.max(onOld - nodes.filter(isLeft).length, 0);
  return Math.max(needing.length - lost, 0);
}

/** How many nodes stay without a pod of the stable revision. Of one in git the manifest says so, but on the way back to it. */
function heldBackIn(view: DaemonSetView, { stable, back }: Envelope): number {
  return stable !== view.liveHash || back !== undefined ? heldBackAt(view, stable) : 0;
}

/** Decides about the missing pods of nodes that do not get the goal. Returns why some get none now. */
function oldSide(
  view: DaemonSetView,
  { nodes, partitioned, envelope }: Judged,
  old: readonly JudgedNode[],
  { created, isLimited, heldBack }: { created: Map<string, string>; isLimited: boolean; heldBack: number },
): Map<string, string> {
  const { goal, stable, retained } = envelope;
  const waits = new Map<string, string>();
  const isOn = (hash: string): number =>
    nodes.filter(({ pods }) => pods.some((pod) => view.hashOf(pod) === hash)).length;
  // A bound by labels tells nodes apart, and one by number counts them.
  const isCounted = ({ meant }: JudgedNode): boolean => meant === stable || meant === goal;
  const sides = oldSideRevisions(partitioned, envelope, old.filter(isCounted).length, () => isOn(stable));
  /** How many further pods may be created at a revision, where a partition keeps nodes without one. */
  const room = new Map<string, number>();
  if (retained !== undefined && (isLimited || heldBack > 0))
    room.set(retained.hash, retained.n - isOn(retained.hash));
  if (heldBack > 0) {
    const withOld = nodes.filter(({ old: pod }) => pod !== undefined).length;
    room.set(stable, goal === stable ? 0 : view.units - heldBack - withOld);
  }
  // A partition that limits creation waits for no older revision, where there is none.
  if (isLimited) room.set(view.liveHash, 0);
  for (const node of old) {
    const hash = isCounted(node) ? (sides.shift() ?? stable) : node.meant;
    const left = room.get(hash) ?? Infinity;
    if (left > 0) created.set(node.name, hash);
    else waits.set(node.name, limitedText(heldBack > 0 ? heldBack : partitioned.partition));
    room.set(hash, left - 1);
  }
  return waits;
}

function limitedText(partition: number): string {
  return `gets no pod now: partitionedScaling is on, and the partition keeps ${partition} ${partition === 1 ? 'node' : 'nodes'} back`;
}
