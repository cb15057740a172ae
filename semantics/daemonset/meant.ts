import { joinedAt } from './joined.ts';
import type { Node } from '../node/node.ts';
import { isTakenBack } from '../plan/bound-state.ts';
import type { Envelope } from '../plan/envelope.ts';
import { selectedByAll } from '../plan/selector-bound.ts';
import type { Pod } from '../pod/types.ts';
import type { DaemonSetView, Host } from './view.ts';

/** What a node is meant to have. */
interface Meant {
  /** Of its revision. */
  readonly hash: string;
  readonly isSelected: boolean;
  readonly hasJoined: boolean;
  readonly isNew: boolean;
}

/** The pods of a node, by whether they are at the goal. */
interface Sides {
  readonly old: Pod | undefined;
  readonly isTaken: boolean;
}

/**
 * Which revision a node is meant to have. Its template says whether it is to have a pod at all.
 *
 * - The goal, once it is taken, or once every node may be on it that bounds do not leave where it is; and on the way back, if it goes.
 * - Until then, and where bounds leave it, the revision of the pod that it has.
 * - Without a pod the stable one. Where that does not fit, or the bound does not select the node, it lacks a pod that an earlier bound
 *   had left there, at another revision.
 *
 * @param onOld how many nodes are wanted on other revisions than the goal
 * @returns a function of a node, the revision that it goes to (`goalsIn`), and its pods
 */
export function meantIn(
  view: DaemonSetView,
  envelope: Envelope,
  onOld: number,
): (node: Node, goal: string, sides: Sides) => Meant {
  const { stable, retained, back, moving, ownStrategy, joinedUntil, newPods } = envelope;
  const isSelected = selectionIn(view, envelope);
  const until = joinedUntil ?? Infinity;
  // While a way back is paused, every node keeps what it has.
  const isGoing = back === undefined || moving;
  let lost = lostOnRetained(view, envelope);

  function withoutPod(node: Node, selected: boolean): string {
    if (retained === undefined) return stable;
    if (!selected) return retained.hash;
    const isLost =
      lost > 0 &&
      !view.eligibility(stable, node).shouldRun &&
      view.eligibility(retained.hash, node).shouldRun;
    if (!isLost) return stable;
    lost -= 1;
    return retained.hash;
  }

  return (node, goal, { old, isTaken }) => {
    const selected = isSelected(node, old);
    const hasJoined = joinedAt(node) > until;
    const isNew = hasJoined && newPods !== 100;
    const isFree = isGoing && (onOld === 0 || (back !== undefined && old !== undefined));
    const isForGoal = ownStrategy === true || isTaken || (isFree && selected && !isNew);
    const kept = old === undefined ? withoutPod(node, selected) : (view.hashOf(old) ?? stable);
    return { hash: isForGoal ? goal : kept, isSelected: selected, hasJoined, isNew };
  };
}

/**
 * The revision that each node goes to. On the way back to a bound with labels that is, for a node without them, the one that the bound
 * has left there. One that has a pod at the goal stays there.
 *
 * Example: a plan to B has left all nodes but those of `pool: canary` on A, and one to C has taken all. Git goes back to B: the nodes of
 * that pool go to B, and all others to A.
 */
export function goalsIn(view: DaemonSetView, envelope: Envelope): (host: Host) => string {
  const { goal, back, retained, selector } = envelope;
  if (back === undefined || retained === undefined || selector === undefined) return () => goal;
  const isWithin = withinBounds(view, envelope);
  return ({ node, pods }) => {
    const isAtGoal = pods.some((pod) => view.hashOf(pod) === goal);
    return isAtGoal || isWithin(node.metadata.labels ?? {}) ? goal : retained.hash;
  };
}

function withinBounds(
  { spec }: DaemonSetView,
  { selector, obeyPartition }: Envelope,
): (labels: Readonly<Record<string, string>>) => boolean {
  return selectedByAll([selector, obeyPartition ? spec.nodeSelector : undefined]);
}

/** A test of nodes that the goal is for, now or later. On the way back these are those that go. */
function selectionIn(view: DaemonSetView, envelope: Envelope): (node: Node, old: Pod | undefined) => boolean {
  const { back, nodes } = envelope;
  const isWithin = withinBounds(view, envelope);
  const labelsOf = ({ metadata }: Node): Readonly<Record<string, string>> => metadata.labels ?? {};
  const also = new Set(nodes?.also);
  if (back === undefined) return (node) => isWithin(labelsOf(node)) || also.has(node.metadata.name);
  const isBack = back.taken === undefined ? () => true : isTakenBack(back.taken);
  const only = nodes?.only && new Set(nodes.only);
  return (node, old) => {
    if (old === undefined) return isWithin(labelsOf(node));
    const isMeant = only?.has(node.metadata.name) !== false;
    return isMeant && isBack({ hash: view.hashOf(old), labels: labelsOf(node) });
  };
}

/** How many of the pods that an earlier bound had left are not there any more. */
function lostOnRetained(view: DaemonSetView, { retained }: Envelope): number {
  if (retained === undefined) return 0;
  const { hash, n } = retained;
  const there = view.hosts.filter(({ pods }) => pods.some((pod) => view.hashOf(pod) === hash)).length;
  return Math.max(n - there, 0);
}
