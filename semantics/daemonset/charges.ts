import { fewOf } from '../plan/nodes-down.ts';
import type { Pod } from '../pod/types.ts';
import { brokenAlone } from '../workload/broken-alone.ts';
import type { JudgedNode } from './judged.ts';
import type { UpdateInput } from './update-input.ts';

/**
 * What a node uses up of the budget: nothing if it was broken before the plan, or if nothing can be done about it, or if it has joined
 * and has no room for a pod that it never had. On a way back also nothing if its pod has broken by itself.
 *
 * Of the nodes that were broken before a plan a tenth is free on its way, at least one: where most are, it is of them, and takes them one
 * after the other. Nobody gets rid of them by deleting their pods, as of pods that may go to other nodes.
 */
export function chargeIn(input: UpdateInput): (node: JudgedNode) => number {
  const { back, ownStrategy } = input.judged.envelope;
  const broken = back === undefined ? brokenBefore(input) : new Set(back.broken);
  const isFree = ({ name, isDown, hasJoined, fresh }: JudgedNode): boolean => {
    const isUnbound = hasJoined && fresh !== undefined && fresh.spec.nodeName === undefined;
    return broken.has(name) || (ownStrategy !== true && (isDown || isUnbound));
  };
  const excused = excusedNodes(input, isFree);
  return (node) => (isFree(node) || excused.has(node.name) ? 0 : 1);
}

/** The names of the nodes that were broken before the plan and are still, as many as its way forward leaves out. */
export function brokenBefore({ judged, isAvailable }: UpdateInput): Set<string> {
  const { nodes, desired, envelope } = judged;
  const before = new Set(envelope.nodes?.broken);
  if (before.size === 0) return before;
  const still = nodes.filter(({ name, present }) => before.has(name) && !present.some(isAvailable));
  return new Set(still.slice(0, fewOf(desired)).map(({ name }) => name));
}

/** The names of the nodes whose pod breaks by itself. What is free anyway, as a node that is down, takes no part of those excused. */
function excusedNodes(
  { view, judged, removed, isAvailable, now }: UpdateInput,
  isFree: (node: JudgedNode) => boolean,
): Set<string> {
  const { nodes, desired, envelope } = judged;
  const stayingPod = (node: JudgedNode): Pod | undefined => {
    const { fresh, old, isClear, isSelected, isTaken } = node;
    const isLeft = !isSelected && !isTaken;
    const [stays, goes] = isLeft ? [old, fresh] : [fresh, old];
    const isAlone = stays !== undefined && goes === undefined && isClear && !removed.has(stays);
    return isAlone && !isFree(node) ? stays : undefined;
  };
  const back = { view, back: envelope.back };
  const found = brokenAlone(back, nodes, stayingPod, { size: desired, isAvailable, now });
  return new Set(found.map(({ name }) => name));
}

/**
 * The nodes that a way back leaves on another revision, and that lack an available pod. They use budget as well: where a bound with labels
 * had left a node there, and the plan has taken it, its pod is made at that revision again.
 *
 * Example: four of six nodes were left on A, and a plan to C has taken all. On the way back one node at a time may be unavailable: the
 * next one goes once the pod on A of the last one is available.
 */
export function leftUnavailable({ judged, placement, isAvailable }: UpdateInput): JudgedNode[] {
  if (judged.envelope.back === undefined) return [];
  return judged.nodes.filter(
    ({ name, pods, present, isSelected, isTaken, shouldRun }) =>
      !isSelected &&
      !isTaken &&
      shouldRun &&
      (pods.length > 0 || placement.created.has(name)) &&
      !present.some(isAvailable),
  );
}
