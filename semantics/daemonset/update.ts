import type { Action, Explanation } from '../decision.ts';
import { isBegun } from '../lifecycle/states.ts';
import { updateThroughHook } from '../lifecycle/transitions.ts';
import { IN_PLACE_READY, type Pod } from '../pod/types.ts';
import { type Revision, revisionOf } from '../revision/revision.ts';
import { countText } from '../values/text.ts';
import { inPlacePatchTo } from '../workload/update-blocker.ts';
import { updateBudget } from './budget.ts';
import type { JudgedNode } from './judged.ts';
import type { Removal } from './manage.ts';
import { inPlaceUpdateOf } from './in-place.ts';
import { burstOf } from './partition.ts';
import { isSurging } from './spec.ts';
import { nodesToUpdate, type UpdateInput } from './update-order.ts';

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
}

const NOTHING: Updated = { removals: [], actions: [], surged: [], explanations: [], waiting: new Set() };

/**
 * Updates pods to the goal (OpenKruise advanced-daemonset, rule 6.7). A pod that is not available is replaced without budget, since
 * nothing is lost by that; the others within it.
 */
export function update(input: UpdateInput): Updated {
  const { view, judged } = input;
  const { spec } = view;
  const goal = revisionOf(view, judged.envelope.goal);
  const isHalted = spec.strategy.type === 'OnDelete' || spec.paused || !judged.envelope.moving;
  if (goal === undefined || isHalted) return NOTHING;
  const nodes = nodesToUpdate(input);
  const budget = updateBudget(view, judged.envelope.window, judged.desired);
  return isSurging(spec) ? surge(input, nodes, budget) : replace(input, nodes, { goal, budget });
}

/** What a node uses up of the budget: nothing if it was broken before the plan, or if nothing can be done about it. */
function chargeIn({ judged }: UpdateInput): (node: JudgedNode) => number {
  const { back, ownStrategy } = judged.envelope;
  const broken = new Set(back?.broken);
  return ({ name, isDown }) => (broken.has(name) || (ownStrategy !== true && isDown) ? 0 : 1);
}

/**
 * Standard, and in place. One deviation: under a plan an old pod that is not available uses the budget of others. With the target's
 * own strategy it does not, as with OpenKruise, so that two changes one after the other may replace all pods at once (10.1).
 */
function replace(
  input: UpdateInput,
  nodes: readonly JudgedNode[],
  { goal, budget }: { goal: Revision; budget: number },
): Updated {
  const { judged, removed, isAvailable } = input;
  const isOwn = judged.envelope.ownStrategy === true;
  const chargeOf = chargeIn(input);
  let unavailable = 0;
  const free: Pod[] = [];
  const candidates: Pod[] = [];
  for (const node of nodes) {
    const { fresh, old, isClear } = node;
    const charge = chargeOf(node);
    const isRemoved = [fresh, old].some((pod) => pod !== undefined && removed.has(pod));
    const isBetween = (old === undefined) === (fresh === undefined);
    if (!isClear || isRemoved || isBetween) unavailable += charge;
    else if (fresh !== undefined) {
      if (!isAvailable(fresh)) unavailable += charge;
    } else if (old === undefined) continue;
    else if (isAvailable(old)) candidates.push(old);
    else {
      free.push(old);
      if (!isOwn || isBegun(old)) unavailable += charge;
    }
  }
  const left = Math.max(budget - unavailable, 0);
  const next = replaceAll(input, [...free, ...candidates.slice(0, left)], goal);
  const [waiting] = candidates.slice(left);
  if (waiting === undefined) return next;
  const reason = `is updated once fewer than ${countText(budget, 'node')} ${budget === 1 ? 'is' : 'are'} without an available pod`;
  return { ...next, explanations: [...next.explanations, { about: waiting.metadata.name, reason }] };
}

/** Replaces pods: in place where that is possible, as many at once as `burstReplicas` says; else by deletion. */
function replaceAll(input: UpdateInput, pods: readonly Pod[], goal: Revision): Updated {
  const { view, judged, now } = input;
  const { envelope, desired } = judged;
  const most = burstOf(view.spec.burstReplicas, desired);
  const removals: Removal[] = [];
  const actions: Action[] = [];
  const explanations: Explanation[] = [];
  const waiting = new Set<Pod>();
  for (const pod of pods) {
    const about = pod.metadata.name;
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

/** With surge: first an extra pod, then the deletion of the old one (rule 6.7). */
function surge(input: UpdateInput, nodes: readonly JudgedNode[], budget: number): Updated {
  const { judged, placement, removed, isAvailable } = input;
  const { mode, ownStrategy } = judged.envelope;
  const chargeOf = chargeIn(input);
  let extra = 0;
  const free: JudgedNode[] = [];
  const candidates: JudgedNode[] = [];
  const removals: Removal[] = [];
  for (const node of nodes) {
    const { name, fresh, old, isClear, fitsGoal } = node;
    const charge = chargeOf(node);
    if (!isClear) extra += charge;
    else if (old === undefined || removed.has(old)) continue;
    else if (fresh === undefined) {
      // A pod that the node does not admit would wait for ever. Under a plan the old one goes without it.
      const isStuck = !fitsGoal && ownStrategy === true;
      if (isStuck || placement.created.has(name)) continue;
      (isAvailable(old) ? candidates : free).push(node);
    } else if (isAvailable(fresh) && !removed.has(fresh))
      removals.push({ pod: old, reason: `${fresh.metadata.name} takes its place` });
    else extra += charge;
  }
  const left = Math.max(budget - extra, 0);
  const isBlocked = mode !== 'Recreate';
  const chosen = isBlocked ? [] : [...free, ...candidates.slice(0, left)];
  for (const { name, old, fitsGoal } of chosen)
    if (!fitsGoal && old !== undefined)
      removals.push({ pod: old, reason: `node ${name} admits no pod at the new revision` });
  const surged = chosen.filter(({ fitsGoal }) => fitsGoal);
  const [waiting] = isBlocked ? [...free, ...candidates] : candidates.slice(left);
  const reason = isBlocked
    ? `stays: its pod would have to be recreated, and the plan allows ${mode}`
    : `is updated once fewer than ${countText(budget, 'node')} ${budget === 1 ? 'has' : 'have'} an extra pod`;
  const explanations = waiting === undefined ? [] : [{ about: waiting.name, reason }];
  return { removals, actions: [], surged, explanations, waiting: new Set() };
}
