import type { Action, Explanation } from '../decision.ts';
import { isBegun } from '../lifecycle/states.ts';
import { updateThroughHook } from '../lifecycle/transitions.ts';
import { IN_PLACE_READY, type Pod } from '../pod/types.ts';
import { revisionOf } from '../revision/revision.ts';
import { countText } from '../values/text.ts';
import { inPlacePatchTo } from '../workload/update-blocker.ts';
import { updateBudget } from './budget.ts';
import type { JudgedNode } from './judged.ts';
import { chargeIn, leftUnavailable } from './charges.ts';
import type { Removal } from './manage.ts';
import { inPlaceUpdateOf } from './in-place.ts';
import { burstOf } from './partition.ts';
import { isSurging } from './spec.ts';
import { nextNodes, type WaitsFor } from './next-nodes.ts';
import { isToMend, mendingOf } from './mending.ts';
import type { UpdateInput } from './update-input.ts';
import { nodesToUpdate } from './update-order.ts';

/** What an update does. */
export interface Updated {
  readonly removals: readonly Removal[];
  /** Writes of updates in place. */
  readonly actions: readonly Action[];
  /** Nodes that get an extra pod at the goal. */
  readonly surged: readonly JudgedNode[];
  readonly explanations: readonly Explanation[];
  /** Pods that were drained, and whose update is still to come. */
  readonly waiting: ReadonlySet<Pod>;
  /** When time alone lets the update go on, milliseconds since 1970; undefined: it does not. */
  readonly requeueAt: number | undefined;
}

const NOTHING: Updated = {
  removals: [],
  actions: [],
  surged: [],
  explanations: [],
  waiting: new Set(),
  requeueAt: undefined,
};

/**
 * Updates pods to the goal (OpenKruise advanced-daemonset, rule 6.7). A pod that is not available is replaced without budget, since
 * nothing is lost by that; the others within it.
 */
export function update(input: UpdateInput): Updated {
  const { view, judged } = input;
  const { spec } = view;
  const isHalted = spec.strategy.type === 'OnDelete' || spec.paused || !judged.envelope.moving;
  if (isHalted || revisionOf(view, judged.envelope.goal) === undefined) return NOTHING;
  const nodes = nodesToUpdate(input);
  const budget = updateBudget(view, judged.envelope.window, judged.desired);
  return isSurging(spec) ? surge(input, nodes, budget) : replace(input, nodes, budget);
}

/**
 * Standard, and in place. One deviation: under a plan an old pod that is not available uses the budget of others. With the target's
 * own strategy it does not, as with OpenKruise, so that two changes one after the other may replace all pods at once (10.1).
 */
function replace(input: UpdateInput, nodes: readonly JudgedNode[], budget: number): Updated {
  const { judged, removed, isAvailable } = input;
  const isOwn = judged.envelope.ownStrategy === true;
  const chargeOf = chargeIn(input);
  let unavailable = 0;
  const busy: JudgedNode[] = [];
  const free: OldPod[] = [];
  const last: OldPod[] = [];
  const candidates: OldPod[] = [];
  const charged = (node: JudgedNode): void => {
    const charge = chargeOf(node);
    unavailable += charge;
    if (charge > 0) busy.push(node);
  };
  for (const node of leftUnavailable(input)) charged(node);
  for (const node of nodes) {
    const { fresh, old, isClear } = node;
    const isRemoved = [fresh, old].some((pod) => pod !== undefined && removed.has(pod));
    const isBetween = (old === undefined) === (fresh === undefined);
    if (!isClear || isRemoved || isBetween) charged(node);
    else if (fresh !== undefined) {
      if (!isAvailable(fresh)) charged(node);
    } else if (old === undefined) continue;
    else if (isAvailable(old) && !isToMend(input, node)) candidates.push({ node, old });
    else {
      (isToMend(input, node) && !isBegun(old) ? last : free).push({ node, old });
      if (isBegun(old)) charged(node);
      else if (!isOwn) unavailable += chargeOf(node);
    }
  }
  const left = Math.max(budget - unavailable, 0);
  const mending = mendingOf(input, nodes, left - candidates.length);
  const { now, later } = nextNodes(judged, busy, { free, candidates, last, left, mending });
  const next = { ...replaceAll(input, now), requeueAt: mending.requeueAt };
  if (later === undefined) return next;
  const few = `fewer than ${countText(budget, 'node')} ${budget === 1 ? 'is' : 'are'} without an available pod`;
  const reason = waitReason(later.waitsFor, { few, budget, node: 'its node' });
  return {
    ...next,
    explanations: [...next.explanations, { about: later.of.old.metadata.name, reason }],
  };
}

/** A node and its pod at another revision than the goal. */
interface OldPod {
  node: JudgedNode;
  old: Pod;
}

/** Why a node is not updated yet, for use after its name or that of its pod. */
function waitReason(
  waitsFor: WaitsFor | undefined,
  { few, budget, node }: { few: string; budget: number; node: string },
): string {
  switch (waitsFor) {
    case 'others':
      return `is updated later: ${node} is not Ready, and such nodes begin once all others have an available pod at the new revision`;
    case 'time':
      return `is updated later: ${node} is not Ready, and no more than ${countText(budget, 'such node')} may begin within ten minutes`;
    case 'domain':
      return 'is updated once no node of another failure domain is being updated';
    case 'budget':
    case undefined:
      return `is updated once ${few}`;
  }
}

/** Replaces pods: in place where that is possible, as many at once as `burstReplicas` says; else by deletion. */
function replaceAll(input: UpdateInput, pods: readonly OldPod[]): Omit<Updated, 'requeueAt'> {
  const { view, judged, now } = input;
  const { envelope, desired } = judged;
  const most = burstOf(view.spec.burstReplicas, desired);
  const removals: Removal[] = [];
  const actions: Action[] = [];
  const explanations: Explanation[] = [];
  const waiting = new Set<Pod>();
  for (const { node, old: pod } of pods) {
    const about = pod.metadata.name;
    const goal = revisionOf(view, node.goal);
    if (goal === undefined) continue;
    const from = revisionOf(view, view.hashOf(pod))?.name ?? 'an unknown revision';
    const change = inPlaceUpdateOf(view, pod, goal);
    const reason = `${from} → ${goal.name}; ${envelope.reason}`;
    if (change === undefined) {
      const isLacking = inPlacePatchTo(view, pod, goal) !== undefined;
      const lacks = isLacking ? `, as it lacks the readiness gate ${IN_PLACE_READY}` : '';
      if (envelope.mode === 'Recreate') removals.push({ pod, reason: `is recreated: ${reason}` });
      else
        explanations.push({
          about,
          reason: `stays: it would have to be recreated${lacks}, and the plan allows ${envelope.mode}`,
        });
      continue;
    }
    if (isBegun(pod)) waiting.add(pod);
    if (actions.length >= most) {
      explanations.push({ about, reason: `is updated later: burstReplicas allows ${most} at once` });
      continue;
    }
    // The label of these pods is the hash alone.
    const named = { name: goal.shortHash, shortHash: goal.shortHash };
    const next = updateThroughHook(
      view.spec.lifecycle,
      pod,
      { change, goal: named, gracePeriodSeconds: 0, reason },
      now,
    );
    if ('do' in next) actions.push(next);
    else explanations.push({ about, ...next });
  }
  return { removals, actions, surged: [], explanations, waiting };
}

/**
 * With surge: first an extra pod, then the deletion of the old one (rule 6.7). One deviation: under a plan a node has its extra pod until
 * one of the two is being deleted, as a deletion may be refused, or wait for its hook.
 *
 * Example: one node at a time, and git goes back. A node has its old pod still and loses the new one: once that is being deleted, the
 * next node gets its extra pod.
 */
function surge(input: UpdateInput, nodes: readonly JudgedNode[], budget: number): Updated {
  const { judged, placement, removed, isAvailable } = input;
  const { mode } = judged.envelope;
  const isOwn = judged.envelope.ownStrategy === true;
  const chargeOf = chargeIn(input);
  let extra = 0;
  let lacking = 0;
  const busy: JudgedNode[] = [];
  const free: { node: JudgedNode }[] = [];
  const last: { node: JudgedNode }[] = [];
  const candidates: { node: JudgedNode }[] = [];
  const removals: Removal[] = [];
  for (const node of nodes) {
    const { name, fresh, old, isClear, fitsGoal } = node;
    const charge = chargeOf(node);
    const charged = (): void => {
      extra += charge;
      if (charge > 0) busy.push(node);
    };
    if (!isClear) charged();
    else if (old === undefined) lacking += fresh !== undefined && isAvailable(fresh) ? 0 : charge;
    else if (fresh === undefined) {
      // A pod that the node does not admit would wait for ever. Under a plan the old one goes without it.
      const isStuck = !fitsGoal && isOwn;
      if (removed.has(old) || isStuck || placement.created.has(name)) continue;
      const which = isAvailable(old) ? candidates : free;
      (isToMend(input, node) ? last : which).push({ node });
    } else {
      const isLeaving = removed.has(old);
      const isNext = !isLeaving && isAvailable(fresh) && !removed.has(fresh);
      if (isNext) removals.push({ pod: old, reason: `${fresh.metadata.name} takes its place` });
      if (!isOwn || !(isLeaving || isNext)) charged();
    }
  }
  const left = Math.max(budget - extra, 0);
  const isBlocked = mode !== 'Recreate';
  const mending = mendingOf(input, nodes, left - candidates.length - lacking);
  const { now, later } = nextNodes(judged, busy, { free, candidates, last, left, mending });
  const chosen = isBlocked ? [] : now.map(({ node }) => node);
  for (const { name, old, fitsGoal } of chosen)
    if (!fitsGoal && old !== undefined)
      removals.push({ pod: old, reason: `node ${name} admits no pod at the new revision` });
  const surged = chosen.filter(({ fitsGoal }) => fitsGoal);
  const waiting = isBlocked ? [...free, ...candidates, ...last][0]?.node : later?.of.node;
  const few = `fewer than ${countText(budget, 'node')} ${budget === 1 ? 'has' : 'have'} an extra pod`;
  const reason = isBlocked
    ? `stays: its pod would have to be recreated, and the plan allows ${mode}`
    : waitReason(later?.waitsFor, { few, budget, node: 'it' });
  const explanations = waiting === undefined ? [] : [{ about: waiting.name, reason }];
  const { requeueAt } = mending;
  return { removals, actions: [], surged, explanations, waiting: new Set(), requeueAt };
}
