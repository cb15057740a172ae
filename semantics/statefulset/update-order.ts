import { factsOf } from '../pod/facts.ts';
import { isBegun, isPreparingDelete } from '../lifecycle/states.ts';
import { isInGrace } from '../pod/in-place-state.ts';
import { byPriority } from '../pod/priority.ts';
import type { Pod } from '../pod/types.ts';
import { isOutOfTheWay, isWhole, type DecisionInput } from './decision-input.ts';
import type { Slot } from './slots.ts';

/** A slot whose pod is to be updated. */
export interface Target {
  slot: Slot;
  pod: Pod;
  /** It uses up none of the budget, and is not stopped by it. */
  isFree: boolean;
}

/**
 * The pods to update, in order.
 *
 * - With the target's own strategy alone, as with OpenKruise (advanced-statefulset, rules 6.6 and 6.7): the highest slots that
 *   the partition does not retain; with unorderedUpdate by priority, and updated pods anywhere count.
 * - Under a plan: first broken pods, so that none blocks its own fix; then pods on neither stable nor goal; then that order.
 *   As many as the envelope allows.
 *
 * Pods that are drained or prepared for an update come before all others, so that none stays out of traffic.
 */
export function updateTargets(input: DecisionInput): Target[] {
  const { view, envelope, placement } = input;
  const outdated = inOrder(input).filter(({ pod }) => view.hashOf(pod) !== envelope.goal);
  const waiting = outdated.filter(({ pod }) => !(factsOf(pod).mayHaveDeferred && isInGrace(pod)));
  const begun = waiting.filter(({ pod }) => isUnderWay(pod));
  const others = waiting.filter(({ pod }) => !isUnderWay(pod));
  if (envelope.ownStrategy === true) return [...begun, ...others];
  const broken = brokenFirst(input, others);
  const rest = others.filter((each) => !isBroken(input, each)).map((each) => ({ ...each, isFree: false }));
  const rank = ({ pod }: Target): number => {
    const hash = view.hashOf(pod);
    if (hash === envelope.retained?.hash && envelope.goal === envelope.stable) return 2;
    return hash === envelope.stable ? 1 : 0;
  };
  rest.sort((a, b) => rank(a) - rank(b));
  return [...begun, ...broken, ...rest].slice(0, placement.left);
}

/** Whether the update of a pod has begun, in place or by recreation. */
export function isUnderWay(pod: Pod): boolean {
  return isBegun(pod) || isPreparingDelete(pod);
}

/** The pods in the order of the strategy, those on the goal included. */
function inOrder(input: DecisionInput): Target[] {
  const { view, layout, envelope, placement } = input;
  const { isUnordered, priorities } = view.spec;
  const eligible = layout.slots.filter((slot) => placement.isEligible(slot)).reverse();
  const targets = eligible.flatMap((slot): Target[] =>
    slot.pod === undefined ? [] : [{ slot, pod: slot.pod, isFree: !isWhole(input, slot) }],
  );
  if (!isUnordered) return targets;
  const isNew = ({ pod }: Target): boolean => view.hashOf(pod) === envelope.goal;
  const [updated, rest] = [targets.filter(isNew), targets.filter((each) => !isNew(each))];
  const bySlot = new Map(rest.map((each) => [each.pod, each]));
  const pods = rest.map(({ pod }) => pod);
  const byRank = priorities === undefined ? pods : byPriority(pods, priorities);
  const sorted = [...byRank.filter(isUnderWay), ...byRank.filter((pod) => !isUnderWay(pod))];
  const ordered = [...updated, ...sorted.flatMap((pod) => bySlot.get(pod) ?? [])];
  if (envelope.ownStrategy !== true) return ordered;
  const gone = layout.slots.filter(({ terminating }) => terminating !== undefined).length;
  return ordered.slice(0, Math.max(placement.left - gone, 0));
}

function isBroken({ isAvailable }: DecisionInput, { pod }: Target): boolean {
  return !isAvailable(pod);
}

/**
 * The broken pods that are replaced now. OrderedReady: the lowest, once all slots below it are whole. Parallel: the highest,
 * once none is missing; during a revert all of them.
 */
function brokenFirst(input: DecisionInput, outdated: readonly Target[]): Target[] {
  const { view, layout, envelope } = input;
  const broken = outdated.filter((each) => isBroken(input, each)).map((each) => ({ ...each, isFree: true }));
  if (view.spec.isOrdered) {
    const lowest = broken.toSorted((a, b) => a.slot.index - b.slot.index)[0];
    const below = layout.slots.slice(0, lowest?.slot.index ?? 0);
    return lowest !== undefined && below.every((slot) => isOutOfTheWay(input, slot)) ? [lowest] : [];
  }
  if (envelope.back !== undefined) return broken;
  return layout.slots.every(({ pod }) => pod !== undefined) ? broken.slice(0, 1) : [];
}
