import type { Action, Explanation } from '../decision.ts';
import { factsOf } from '../pod/facts.ts';
import { deleteThroughHook, updateThroughHook } from '../lifecycle/transitions.ts';
import type { Pod } from '../pod/types.ts';
import { deletePod } from '../pod/writes.ts';
import { type Revision, revisionOf } from '../revision/revision.ts';
import { inPlacePatchTo, type UpdateBlocker, updateBlockerOf } from '../workload/update-blocker.ts';
import { updateBudget } from './budgets.ts';
import { growClaims, growSlot } from './claim-growth.ts';
import { podEvent } from './pods.ts';
import { isWhole, type DecisionInput } from './decision-input.ts';
import type { Filled } from './fill.ts';
import type { Slot } from './slots.ts';
import { isUnderWay, updateTargets } from './update-order.ts';

/** What an update does. */
export interface Updated {
  actions: Action[];
  explanations: Explanation[];
  /** Pods that were drained or prepared, and whose update is still to come. */
  waitsForUpdate(pod: Pod): boolean;
  /** Pods that are recreated. */
  isLeaving(pod: Pod): boolean;
}

/**
 * Deletes pods that a user has marked, and updates pods to the goal (OpenKruise advanced-statefulset, rules 6.6 to 6.9). The
 * order decides: at the first pod that the budget does not allow, the phase ends. Marked pods are skipped, not waited for.
 *
 * @param busy the slots whose pods are created or deleted already
 * @param blocked what the order of OrderedReady waits for: only broken pods are updated
 * @param unwhole what a marked pod waits for
 */
export function update(
  input: DecisionInput,
  busy: ReadonlySet<Slot>,
  { blocked, unwhole }: Pick<Filled, 'blocked' | 'unwhole'>,
): Updated {
  const { view, envelope, layout } = input;
  const { spec } = view;
  const notWhole = new Set(layout.slots.filter((slot) => busy.has(slot) || !isWhole(input, slot)));
  const budget = updateBudget(spec, envelope);
  // A plan limits updates alone: what a user deletes has the budget of the target.
  const own = updateBudget(spec, {});
  const marked = markedPods(input, { unavailable: notWhole, budget: own, busy, blocked: unwhole });
  const unavailable = new Set([...notWhole].filter((slot) => !input.breaksAlone(slot)));
  const limits = { unavailable, budget, blocked };
  const grown = growClaims(input, limits);
  const actions: Action[] = [...marked.actions, ...grown.actions];
  const explanations = [...marked.explanations, ...grown.explanations];
  const idle: Updated = { actions, explanations, waitsForUpdate: () => false, isLeaving: () => false };
  const goal = revisionOf(view, envelope.goal);
  if (goal === undefined || !envelope.moving || spec.onDelete || spec.paused) return idle;
  // OpenKruise's order: a slot that is not whole stops everything but updates that have begun, its own fix as well.
  const isStopped = blocked !== undefined && envelope.ownStrategy === true;
  const waiting = new Set<Pod>();
  const leaving = new Set<Pod>();
  for (const { slot, pod, isFree } of updateTargets(input)) {
    if (factsOf(pod).specified || busy.has(slot)) continue;
    const hasBegun = isUnderWay(pod);
    if (isStopped && !hasBegun) {
      explanations.push({ about: pod.metadata.name, reason: stopText(unavailable, budget, blocked) });
      break;
    }
    const blocker = updateBlockerOf(view, envelope, pod, goal);
    if (blocker !== undefined) {
      explanations.push({ about: pod.metadata.name, ...blocker });
      break;
    }
    if (hasBegun) waiting.add(pod);
    else if (!isFree && (unavailable.size >= budget || blocked !== undefined)) {
      explanations.push({ about: pod.metadata.name, reason: stopText(unavailable, budget, blocked) });
      break;
    }
    const growth = hasBegun ? undefined : growSlot(input, slot, limits);
    if (growth !== undefined && !growth.isDone) {
      actions.push(...growth.actions);
      explanations.push(...growth.explanations);
      continue;
    }
    if (inPlacePatchTo(view, pod, goal) === undefined) leaving.add(pod);
    const change = updateOne(input, pod, goal);
    if ('do' in change) actions.push(change);
    else explanations.push({ about: pod.metadata.name, ...change });
    unavailable.add(slot);
  }
  return {
    actions,
    explanations,
    waitsForUpdate: (pod) => waiting.has(pod),
    isLeaving: (pod) => leaving.has(pod),
  };
}

function stopText(unavailable: ReadonlySet<Slot>, budget: number, blocked: string | undefined): string {
  if (blocked !== undefined) return `is updated once the slots below are whole: ${blocked}`;
  const names = [...unavailable].map(({ name }) => name).slice(0, 3);
  return `is updated once fewer than ${budget} pods are unavailable: ${names.join(', ')}`;
}

/** Deletes marked pods, highest ordinal first. Adds their slots to `unavailable`. */
function markedPods(
  { view, layout, now }: DecisionInput,
  limits: {
    unavailable: Set<Slot>;
    budget: number;
    busy: ReadonlySet<Slot>;
    blocked: string | undefined;
  },
): { actions: Action[]; explanations: Explanation[] } {
  const { unavailable, budget, busy, blocked } = limits;
  const actions: Action[] = [];
  const explanations: Explanation[] = [];
  const { spec } = view;
  const { onDelete, paused } = spec;
  for (const slot of layout.slots.toReversed()) {
    const { pod } = slot;
    if (pod === undefined || !factsOf(pod).specified || busy.has(slot)) continue;
    const { name } = pod.metadata;
    const waits =
      onDelete || paused
        ? `the StatefulSet ${onDelete ? 'has the strategy OnDelete' : 'is paused'}`
        : (blocked ??
          (unavailable.size < budget || unavailable.has(slot)
            ? undefined
            : `${unavailable.size} of at most ${budget} pods are unavailable`));
    if (waits !== undefined) {
      explanations.push({ about: name, reason: `is marked for deletion, and stays: ${waits}` });
      continue;
    }
    const deletion = deletePod(pod, 'marked for deletion', podEvent(view, 'delete', name));
    const change = deleteThroughHook(spec.lifecycle, pod, deletion, now);
    if ('do' in change) actions.push(change);
    else explanations.push({ about: name, ...change });
    unavailable.add(slot);
  }
  return { actions, explanations };
}

function updateOne({ view, envelope, now }: DecisionInput, pod: Pod, goal: Revision): Action | UpdateBlocker {
  const from = revisionOf(view, view.hashOf(pod))?.name ?? 'an unknown revision';
  const change = inPlacePatchTo(view, pod, goal);
  const { name } = pod.metadata;
  if (change === undefined) {
    const why = `is recreated: ${from} → ${goal.name}; ${envelope.reason}`;
    const deletion = deletePod(pod, why, podEvent(view, 'delete', name));
    return deleteThroughHook(view.spec.lifecycle, pod, deletion, now);
  }
  const { gracePeriodSeconds } = view.spec;
  const reason = `${from} → ${goal.name}; ${envelope.reason}`;
  return updateThroughHook(view.spec.lifecycle, pod, { change, goal, gracePeriodSeconds, reason }, now);
}
