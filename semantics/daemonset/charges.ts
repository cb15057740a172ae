import { wasReady } from '../pod/readiness.ts';
import type { JudgedNode } from './judged.ts';
import type { UpdateInput } from './update-order.ts';

/**
 * What a node uses up of the budget: nothing if it was broken before the plan, or if nothing can be done about it, or if it has joined
 * and has no room for a pod that it never had. On a way back also nothing if its pod has broken by itself.
 */
export function chargeIn(input: UpdateInput): (node: JudgedNode) => number {
  const { back, ownStrategy } = input.judged.envelope;
  const free = new Set([...(back?.broken ?? []), ...brokenAlone(input)]);
  return ({ name, isDown, hasJoined, fresh }) => {
    const isUnbound = hasJoined && fresh !== undefined && fresh.spec.nodeName === undefined;
    return free.has(name) || (ownStrategy !== true && (isDown || isUnbound)) ? 0 : 1;
  };
}

/**
 * The nodes whose pod stays on a way back, was ready there, and is not any more, by name. What stops these is not that they are taken
 * back, and a bad change must not stay on all others for it. At most a tenth of all nodes is excused so, at least one: if more are
 * broken, the revision that the others go to may be why.
 *
 * Example: of 100 nodes 40 have the change, one at a time may be unavailable, and the plan fails. The disk of a node fails that never had
 * the change, or that is back already: the other nodes go on, and at the end the way back waits for that one.
 */
function brokenAlone({ judged, removed, isAvailable }: UpdateInput): string[] {
  const { nodes, desired, envelope } = judged;
  if (envelope.back === undefined) return [];
  const found = nodes.flatMap(({ name, fresh, old, isClear, isSelected, isTaken }) => {
    const isLeft = !isSelected && !isTaken;
    const [stays, goes] = isLeft ? [old, fresh] : [fresh, old];
    if (stays === undefined || goes !== undefined || !isClear || removed.has(stays)) return [];
    return !isAvailable(stays) && wasReady(stays) ? [name] : [];
  });
  return found.slice(0, Math.max(Math.floor(desired / 10), 1));
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
