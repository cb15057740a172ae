import { isBegun, isPreparingDelete } from '../lifecycle/states.ts';
import { compareDomains } from '../node/domains.ts';
import { revisionOf } from '../revision/revision.ts';
import { brokenBefore } from './charges.ts';
import { inPlaceUpdateOf } from './in-place.ts';
import type { JudgedNode } from './judged.ts';
import { isToMend } from './mending.ts';
import { stillAllowed, stepDomains, stepNodes } from './step-nodes.ts';
import type { UpdateInput } from './update-input.ts';

/**
 * The nodes that may be on the goal now, in order: updated ones, those whose update is under way, then as many others as are left
 * (OpenKruise advanced-daemonset, rule 6.6). Only they are seen by the update: what is unavailable elsewhere is neither repaired nor
 * charged.
 *
 * - The others go by name, the last one first; begun updates come before them, so that no pod stays out of traffic.
 * - Under a plan: those alone that the step is about. With `spread` they go by the domains of their nodes, those without one last, and
 *   by name within each.
 * - Under a plan: before them those on neither the goal nor the stable revision. A way back takes broken nodes first.
 * - Under a plan: after those on the stable revision the few that were broken before it, as they say nothing about the change.
 * - Under a plan: after all others those that are down, with pods that an unfinished change has brought and that may be why. They begin
 *   once all others have the goal, so that a fix that fails elsewhere ends no pod that may serve still (`mendingOf`). One whose pod is
 *   being deleted is before those of its kind, and takes the place of one: nobody may be there to end it.
 */
export function nodesToUpdate(input: UpdateInput): JudgedNode[] {
  const { view, judged, placement } = input;
  const { envelope, onOld } = judged;
  const isOwn = envelope.ownStrategy === true;
  const updated: JudgedNode[] = [];
  const underWay: JudgedNode[] = [];
  const rest: JudgedNode[] = [];
  const mayGo = isOwn ? ({ isSelected }: JudgedNode) => isSelected : mayBeTaken(input);
  const leaving: JudgedNode[] = [];
  const step = stepNodes(judged);
  const isOfStep = (node: JudgedNode): boolean =>
    node.isSelected && !node.isNew && step.sideOf(node) === 'within';
  for (const node of judged.nodes) {
    const { name, pods, shouldRun, isClear, isTaken, isDown, fresh, old } = node;
    if (!isClear || fresh !== undefined) updated.push(node);
    else if (!isOwn && isTaken) {
      // Its pod at the goal is being deleted: it uses up its part, whatever becomes of it.
      if (old === undefined || mayGo(node)) underWay.push(node);
      else leaving.push(node);
    } else if (!isOwn && placement.created.get(name) === envelope.goal) underWay.push(node);
    else if (old === undefined && pods.length === 0) {
      if (isOwn && shouldRun) underWay.push(node);
    } else if (old === undefined || isPreparingDelete(old)) {
      // What goes on a node that is down may go for ever, and what goes elsewhere is none of the step's.
      if (isOwn || (!isDown && isOfStep(node))) underWay.push(node);
      else if (isToMend(input, node) && isOfStep(node)) rest.push(node);
    } else if (step.sideOf(node) === 'within' && mayGo(node)) rest.push(node);
  }
  const rank = rankIn(input);
  const domains = stepDomains(judged);
  // The nodes are in the order of their names.
  const inOrder = rest
    .reverse()
    .map((node) => ({ node, rank: rank(node), domain: domains?.of(node) }))
    .sort((a, b) => a.rank - b.rank || compareDomains(a.domain, b.domain))
    .map(({ node }) => node);
  const there = [...updated.reverse(), ...underWay.reverse()];
  const room = Math.max(stillAllowed(step, [...there, ...leaving]).within, 0);
  const quota = Math.max(view.units - onOld, 0) - leaving.length;
  return [...there, ...inOrder.slice(0, room)].slice(0, Math.max(quota, 0));
}

/**
 * Which nodes a plan takes: those that its bound selects and on which it can take effect. One that admits no new pod, as after a
 * taint, is updated in place at once, and loses its pod in the step of all, as with OpenKruise, or on the way back. That step takes nodes
 * that have joined, too.
 */
function mayBeTaken(input: UpdateInput): (node: JudgedNode) => boolean {
  const { view, judged } = input;
  const { back } = judged.envelope;
  return (node) => {
    const { isSelected, isNew, fitsGoal, keepsGoal, isDown, old, goal: hash } = node;
    const goal = revisionOf(view, hash);
    if (!isSelected || isNew || old === undefined || goal === undefined) return false;
    // What is taken back may be why the node is down, and so may what is mended.
    if (isDown && back === undefined && !isToMend(input, node)) return false;
    if (fitsGoal) return true;
    // What a bound has left elsewhere is none of those that go back.
    const isForAll = judged.onOld === 0 || back !== undefined;
    return keepsGoal && (isForAll || inPlaceUpdateOf(view, old, goal) !== undefined);
  };
}

function rankIn(input: UpdateInput): (node: JudgedNode) => number {
  const { view, judged, isAvailable } = input;
  const { goal, stable, retained, back, ownStrategy } = judged.envelope;
  const wasBroken = back === undefined ? brokenBefore(input) : new Set();
  return (node) => {
    const { old } = node;
    if (isToMend(input, node)) return old === undefined || isPreparingDelete(old) ? 5 : 6;
    if (old === undefined || isBegun(old)) return 0;
    if (ownStrategy === true) return 1;
    if (back !== undefined && !isAvailable(old)) return 1;
    const hash = view.hashOf(old);
    if (hash === retained?.hash && goal === stable) return 4;
    if (hash !== stable) return 2;
    return wasBroken.has(node.name) ? 4 : 3;
  };
}
