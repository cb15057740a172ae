import { type UnitState, type WaitingUnit, withinLimits } from '../limits/disruption.ts';
import { lowerOf } from '../limits/window.ts';
import type { Envelope } from '../plan/envelope.ts';
import type { Pod } from '../pod/types.ts';
import type { Revision } from '../revision/revision.ts';
import { partitionValue } from '../values/int-or-percent.ts';
import { inUpdateOrder, podsOfRound } from './choose.ts';
import { takingPart } from './left-out.ts';
import { sidecarSetLimits } from './limits.ts';
import { inLargest } from './namespaces.ts';
import { isWhole, mayHaveTaken, type Unit } from './unit.ts';
import type { SidecarSetView } from './view.ts';

export interface RoundContext {
  view: SidecarSetView;
  /** What limits how many pods of others may be unavailable; undefined: nothing. It is computed on demand. */
  limits(): UnitState<Pod> | undefined;
  envelope: Envelope;
  now: number;
}

interface Chosen {
  taken: Unit[];
  limited: WaitingUnit<Unit>[];
}

/**
 * The pods that are updated now, and those that are not because of the limits of others. What counts is what the steps of a plan count;
 * with its own strategy it is every pod that the set matches. On a way back those that no step counts go, too, after the others and
 * within a budget of their own: whoever has made them uses up no other.
 */
export function chosenOf(context: RoundContext, goal: Revision, waiting: readonly Unit[]): Chosen {
  const { view, envelope } = context;
  if (envelope.ownStrategy === true) return chosen(context, goal, waiting, view.units);
  const { counted, besides, isBesides } = takingPart(view);
  const found = chosen(
    context,
    goal,
    waiting.filter((unit) => !isBesides(unit)),
    counted,
  );
  if (envelope.back === undefined || found.taken.length > 0) return found;
  // What a way back leaves is counted among the pods on record.
  const further = chosen(
    { ...context, envelope: { ...envelope, allowed: 'unbounded' } },
    goal,
    waiting.filter(isBesides),
    besides,
  );
  return { taken: further.taken, limited: [...found.limited, ...further.limited] };
}

function chosen(
  { view, limits, envelope }: RoundContext,
  goal: Revision,
  waiting: readonly Unit[],
  units: readonly Unit[],
): Chosen {
  const { spec } = view;
  const { back, ownStrategy, window } = envelope;
  const broken = new Set(back?.broken);
  const byPod = new Map(waiting.map((unit) => [unit.pod, unit]));
  const precedence = (pod: Pod): number => {
    if (ownStrategy === true) return 0;
    const unit = byPod.get(pod);
    if (unit?.isServing === false) return 0;
    return unit !== undefined && view.hashOf(unit) === envelope.stable ? 2 : 1;
  };
  const inOrder = inUpdateOrder(
    waiting.map(({ pod }) => pod),
    units.map(({ pod }) => pod),
    spec,
    precedence,
  ).flatMap((pod) => byPod.get(pod) ?? []);
  const atGoal = units.filter((unit) => view.hashOf(unit) === goal.hash);
  const isSpent = usesUpBudget(view, units, goal.hash, ownStrategy);
  const unavailable = units.filter(
    (unit) => !broken.has(unit.pod.metadata.uid ?? '') && isSpent(unit),
  ).length;
  const allowed = envelope.allowed === 'unbounded' ? units.length : envelope.allowed;
  const bound = units.length - partitionValue(envelope.bound, units.length);
  const limited: WaitingUnit<Unit>[] = [];
  const taken = podsOfRound({
    matched: units.length,
    waiting: inOrder,
    isReady: (unit) => (ownStrategy === true ? isWhole(unit) || unit.isReady : unit.isServing),
    unavailable,
    partition: envelope.obeyPartition ? spec.partition : undefined,
    maxUnavailable:
      lowerOf(sidecarSetLimits, { maxUnavailable: spec.maxUnavailable }, window, units.length).maxUnavailable
        ?.count ?? 0,
    ...(ownStrategy !== true && { most: Math.min(allowed, bound) - atGoal.length }),
    isOrdered: strictOrder(view),
    free(all) {
      const found = withinPodLimits(limits(), all);
      limited.push(...found.waiting);
      return found.free;
    },
  });
  return { taken, limited };
}

/**
 * A test of pods: whether they use up the budget of the set. With OpenKruise's own strategy only updated pods do. A plan counts every pod
 * whose sidecars do not serve. One that is not ready for reasons of its own counts in the largest namespace alone: whoever creates it keeps
 * no other from its update.
 */
export function usesUpBudget(
  view: SidecarSetView,
  units: readonly Unit[],
  to: string,
  ownStrategy?: boolean,
): (unit: Unit) => boolean {
  const isInLargest = largestOf(view, units);
  return (unit) => {
    if (!(mayHaveTaken(unit) || isInLargest(unit))) return false;
    return view.hashOf(unit) === to ? !isWhole(unit) : ownStrategy !== true && !unit.isServing;
  };
}

/**
 * A test of pods that limits of others keep from being updated: whether they keep their place in an order that the manifest asks for. Those
 * of the largest namespace alone do: labels and budgets of any other are in the hands of whoever writes there.
 */
export function strictOrder(view: SidecarSetView): (unit: Unit) => boolean {
  return view.spec.priorities === undefined ? () => false : largestOf(view, view.units);
}

/** Pods in which nothing has begun cost nothing, so that they do not make a namespace larger. */
function largestOf(view: SidecarSetView, units: readonly Unit[]): (unit: Unit) => boolean {
  const { isBesides } = takingPart(view);
  return inLargest(() => units.filter((unit) => !isBesides(unit)));
}

/** The pods that no limit of others keeps from being updated now. */
export function withinPodLimits(
  limits: UnitState<Pod> | undefined,
  inOrder: readonly Unit[],
): { free: readonly Unit[]; waiting: readonly WaitingUnit<Unit>[] } {
  if (limits === undefined) return { free: inOrder, waiting: [] };
  return withinLimits(inOrder, {
    nameOf: ({ pod }) => limits.nameOf(pod),
    isReserved: ({ pod }) => limits.isReserved(pod),
    limitsOf: ({ pod }) => limits.limitsOf(pod),
  });
}
