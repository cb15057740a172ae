import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { RetainedUnits } from '../revision/revision.ts';
import type { PodSelection } from '../values/pod-selection.ts';
import { retainedInSubset } from '../values/partition.ts';
import { isSameSelector, type LabelSelector, selectorPredicate } from '../values/selector.ts';
import type { Envelope, TakenBack } from './envelope.ts';
import type { Accepted } from './memory.ts';
import { retainedBy } from './partition.ts';
import type { PodRow } from './pod-row.ts';
import { frozenAt } from './pods-at.ts';
import type { RecordedBound } from './recorded-bound.ts';
import { retainedByBound } from './retained-units.ts';
import type { RolloutView } from './rollout-view.ts';
import { isNodeLost } from './units.ts';

/**
 * What holds for units beyond a plan. A new unit gets the stable revision. One that replaces a unit that was left gets the revision of
 * that one, and so does a new one outside of a selector.
 *
 * Example: ten pods on A, and a plan to B with `partition: 4`. It succeeds with six pods on B: B is stable, and four pods are left on
 * A, by partition. A plan to C has the selector `track: blue` in its bound, and two of the pods on B have that label. It succeeds: C is
 * stable, and four pods on A and four on B are left, by selector. A blue pod that is created gets C, any other one B. Git goes back to
 * B: the two pods on C do so, the four on A stay, and what held before the plan to C holds again.
 * Those of a subset stay only where the plan to C has taken no pod of it: the status of a child does not tell pods on A from those on B
 * once its template is C (children/share-rows.ts).
 *
 * On record of it are, at a revision that was stable, how many units were left then, and where (`markComplete`), and in the plan that came
 * next the selector (`RecordedBound`).
 */
export interface BoundState {
  /** Hash of the revision that is stable. */
  stable: string;
  left: LeftUnits;
  /**
   * Of pods of others: which of them may get the stable revision, as the last plan to end stated, else those on record. Omitted: nothing
   * is on record.
   */
  selection?: PodSelection;
}

/** The units that bounds have left on other revisions, by what tells them apart. */
export type LeftUnits =
  | { by: 'nothing' }
  /** Any of the units. */
  | ({ by: 'partition' } & RetainedUnits)
  /** All that this does not select. */
  | { by: 'selector'; selector: LabelSelector };

type Bounded = Pick<
  RolloutView,
  'liveHash' | 'partition' | 'replicas' | 'retained' | 'selector' | 'stable' | 'units'
>;

function boundOf(
  stable: string,
  selector: LabelSelector | undefined,
  retained: RetainedUnits | undefined,
): BoundState {
  if (selector !== undefined) return { stable, left: { by: 'selector', selector } };
  return { stable, left: retained === undefined ? { by: 'nothing' } : { by: 'partition', ...retained } };
}

/**
 * What holds beyond plans: the bound of the last one to end, or what held before a plan that ended early or goes back.
 *
 * Example: a plan from A to B with the selector `track: blue` succeeds, so that blue holds as long as B is stable. The next plan, to C
 * and without a selector, is aborted after three pods. B is still stable, so blue still holds.
 */
export function boundNow(accepted: Accepted | undefined, view: Bounded): BoundState {
  const bound = boundOf(view.stable, selectorNow(accepted, view), view.retained);
  const { phase } = accepted?.progress ?? {};
  const { hash, bound: stated } = accepted?.spec.to ?? {};
  const hasEnded = phase === 'Succeeded' && hash === view.stable;
  const recorded = view.units.of === 'selected' ? view.units.recorded : undefined;
  const selection = (hasEnded ? stated?.selection : undefined) ?? recorded;
  return selection === undefined ? bound : { ...bound, selection };
}

function selectorNow(accepted: Accepted | undefined, view: Bounded): LabelSelector | undefined {
  if (accepted === undefined) return undefined;
  const { to } = accepted.spec;
  const { phase, goal, before } = accepted.progress;
  if (phase === 'Succeeded') return to.hash === view.stable ? to.bound.selector : undefined;
  if (phase === 'Reverted') return goal === view.stable ? selectorAt(accepted, view, goal) : undefined;
  return before?.stable === view.stable ? before.selector : undefined;
}

/** What of a bound the plan that is accepted next records. */
export function recordOf({ stable, left, selection }: BoundState): RecordedBound {
  return {
    stable,
    ...(left.by === 'selector' && { selector: left.selector }),
    ...(selection !== undefined && { selection }),
  };
}

/**
 * What is to hold once a plan has gone back to a revision. A number of units is left only on a revision whose units stay.
 *
 * Example: of ten pods, plans with selectors have taken two to C and left six on B and two on A, which is on record as `8 at B`. Git goes
 * back to A: the pods on B go, too, so that none is left.
 */
export function boundAt(accepted: Accepted, view: RolloutView, goal: string): BoundState {
  const { left } = takenBack(view, accepted, goal);
  const stays = view.retained !== undefined && left.includes(view.retained.hash);
  return boundOf(goal, selectorAt(accepted, view, goal), stays ? stillLeft(view, left, goal) : undefined);
}

/**
 * The selector that holds where a plan goes back to a revision: the one that held there before, or that git has come back with. Where git
 * has gone back, it may keep that of the plan instead; any other needs a plan of its own.
 *
 * Example: plans to B, with the selector `track: blue`, and then to C have succeeded. Git goes back to B: that was stable when the plan to
 * C was accepted, so blue holds again. Git goes back to A, with `track: red`: what held at A is on record nowhere, so the red that
 * git has come back with holds.
 */
function selectorAt(
  { spec, progress: { before, atGoal } }: Accepted,
  { liveHash, selector }: Bounded,
  goal: string,
): LabelSelector | undefined {
  const keepsThat =
    goal === liveHash && selector !== undefined && isSameSelector(selector, spec.to.bound.selector);
  if (keepsThat) return selector;
  return [before, atGoal].find((each) => each?.stable === goal)?.selector;
}

/** Whether the manifest lets units go that bounds have left where they are: a plan for them may be on its way. */
export function isLoosened({ left }: BoundState, view: Bounded): boolean {
  return left.by === 'selector' ? !isSameSelector(view.selector, left.selector) : isPartitionLowered(view);
}

/** Whether the partition of the manifest retains fewer units than are recorded as retained. */
export function isPartitionLowered(view: Bounded): boolean {
  const { partition, retained, units } = view;
  if (units.of === 'children')
    return units.children.some(
      ({ subset, size, left }) =>
        left !== undefined && retainedInSubset(partition, subset, size) < Math.min(left.n, size),
    );
  return retained !== undefined && retainedBy(view, partition) < retained.n;
}

/**
 * The units that have stayed where they are when a plan has gone back. Before its end they are those that were retained before it;
 * after it those on a revision whose units stay, and with a selector all others that it has never moved.
 *
 * Example: of ten pods of others, a plan to B has left four on A, and one to C, with `partition: 8`, three on A and five on B: `8 at
 * B`. Git goes back to B: three pods are left on A, as the plan to B had left them.
 */
export function retainedOnTheWayBack(
  view: RolloutView,
  accepted: Accepted,
  goal: string,
): RetainedUnits | undefined {
  const { left } = takenBack(view, accepted, goal);
  if (goal === view.stable) return stillLeft(view, left, goal);
  if (accepted.spec.to.bound.selector !== undefined)
    return retainedByBound({ ...view, pods: withoutUnreverted(view, accepted, goal) }, goal);
  return onRevisionsLeft(view, left, goal);
}

/** The units without those that a way back has ended without: they have yet to go. */
function withoutUnreverted(view: RolloutView, accepted: Accepted, goal: string): PodRow[] {
  const isTaken = isTakenBack(takenBack(view, accepted, goal));
  return view.pods.filter((pod) => !isNodeLost(view, pod) || !isTaken(pod));
}

/**
 * The units that a way back leaves where they are, before it has ended: what replaces one of them is made at their revision. Where none
 * of them has a pod, those on record.
 */
export function leftOnTheWayBack(
  view: RolloutView,
  accepted: Accepted,
  goal: string,
): RetainedUnits | undefined {
  const taken = takenBack(view, accepted, goal);
  const isTaken = isTakenBack(taken);
  const pods = view.pods.filter((pod) => !isTaken(pod));
  const { retained } = view;
  const isRecorded = retained !== undefined && taken.left.includes(retained.hash);
  return retainedByBound({ ...view, pods }, goal) ?? (isRecorded ? retained : undefined);
}

/**
 * The units on record as left that are still there. Those of others, and nodes, may be on several revisions. A node that has lost its pod
 * is still left: of those without a pod so many are as the record says.
 *
 * Example: C is stable with `partition: 8`, three pods are on A, five on B and two on C: `8 at B`. A plan to D fails, and the target goes
 * back to C: eight pods are still left, as A is a revision whose pods stay, too.
 */
function stillLeft(view: RolloutView, left: readonly string[], goal: string): RetainedUnits | undefined {
  switch (view.units.of) {
    case 'selected':
    case 'children':
      return onRevisionsLeft(view, left, goal);
    case 'nodes': {
      const there = onRevisionsLeft(view, left, goal);
      const { retained, stable, units } = view;
      if (retained === undefined || goal !== stable || !left.includes(retained.hash)) return there;
      const { hash, n } = there ?? { hash: retained.hash, n: 0 };
      const still = Math.min(retained.n, n + units.lackingAt(hash));
      return still > 0 ? { hash, n: still } : undefined;
    }
    case 'owned':
    case 'run':
    case 'ticks':
      return stillRetained(view);
  }
}

/**
 * The units that are left when a way back to the stable revision begins, where they are fewer than on record as the plan has taken
 * some. That is recorded at once: later no node without a pod tells whether it was taken. Undefined: the record stays.
 *
 * Example: three of ten nodes are left on A, and a plan to C has taken two of them. It goes back to B: one is left on A from now on, also
 * where it has just lost its pod. The plan has taken two nodes, so that it cannot have taken all three.
 */
export function leftWhenItBegins(
  view: RolloutView,
  accepted: Accepted,
  goal: string,
): { retained: RetainedUnits | undefined } | undefined {
  if (view.units.of !== 'nodes' || goal !== view.stable || view.retained === undefined) return undefined;
  // Labels tell which nodes are left.
  if (selectorAt(accepted, view, goal) !== undefined) return undefined;
  const { retained, units } = view;
  const { left } = takenBack(view, accepted, goal);
  const there = onRevisionsLeft(view, left, goal);
  const count = there?.n ?? 0;
  const notTaken = left.includes(retained.hash) ? retained.n - frozenAt(view, accepted) : 0;
  // Of deleted nodes none comes back.
  const n = Math.max(count, Math.min(notTaken, count + units.lackingAt(retained.hash)));
  if (n >= retained.n) return undefined;
  return { retained: n > 0 ? { hash: there?.hash ?? retained.hash, n } : undefined };
}

function onRevisionsLeft(
  view: RolloutView,
  left: readonly string[],
  goal: string,
): RetainedUnits | undefined {
  return retainedByBound({ ...view, pods: view.pods.filter(({ hash = '' }) => left.includes(hash)) }, goal);
}

/** The retained units that are still on their revision; undefined: none. Those that a rollout has updated are not retained any more. */
function stillRetained({
  retained,
  pods,
}: Pick<RolloutView, 'retained' | 'pods'>): RetainedUnits | undefined {
  const n = pods.filter((pod) => pod.hash === retained?.hash).length;
  return retained === undefined || n === 0 ? undefined : { hash: retained.hash, n: Math.min(retained.n, n) };
}

/** What the way back from an accepted plan goes by. It has begun after the present step, or the last one, had. */
export function wayBack(view: RolloutView, accepted: Accepted, goal: string): NonNullable<Envelope['back']> {
  const { baseline, stepSince, updatedSince = 0 } = accepted.progress;
  return {
    broken: baseline.unavailable,
    taken: takenBack(view, accepted, goal),
    since: { stepSince, updatedSince },
  };
}

/** What the way back from an accepted plan takes. */
export function takenBack(view: RolloutView, { spec, progress }: Accepted, goal: string): TakenBack {
  const { to, from } = spec;
  const { selector } = to.bound;
  const listed = [to, ...from, ...(progress.inherited ?? [])];
  return {
    left: revisionsLeft(view, spec, goal).filter((hash) => hash !== goal),
    planned: listed.map(({ hash }) => hash),
    ...(selector !== undefined && { selector }),
  };
}

/**
 * The revisions whose units stay. What git had after the goal is none of them: the target may have been complete on it before it went
 * back, and the change landed again.
 */
function revisionsLeft(view: RolloutView, { to, from }: RolloutPlanSpec, goal: string): string[] {
  const { retained, units } = view;
  switch (units.of) {
    case 'owned':
    case 'run':
    case 'ticks':
      return retained === undefined ? [] : [retained.hash];
    case 'children':
      return units.children.flatMap(({ left }) => left?.hash ?? []);
    case 'selected':
    case 'nodes': {
      const at = from.findIndex(({ hash }) => hash === goal);
      const later = [to, ...from.slice(0, Math.max(at, 0))];
      return units.leftAt(goal).filter((left) => !later.some(({ hash }) => hash === left));
    }
  }
}

/** A test of units that are not at the goal yet. */
export function isTakenBack({
  left,
  planned,
  selector,
}: TakenBack): (unit: Pick<PodRow, 'hash' | 'labels'>) => boolean {
  const isSelected = selector === undefined ? () => true : selectorPredicate(selector);
  return ({ hash, labels }) => {
    if (hash !== undefined && left.includes(hash)) return false;
    return (hash !== undefined && planned.includes(hash)) || isSelected(labels);
  };
}

/** The units that have yet to go back to the goal. The live revision may be a third, to which some of them have no way. */
export function awayFrom(view: RolloutView, accepted: Accepted, goal: string): readonly PodRow[] {
  const isTaken = isTakenBack(takenBack(view, accepted, goal));
  const { pods, units } = view;
  const all = units.of === 'selected' ? [...pods, ...units.outdated.wayTo(goal)] : pods;
  const away = all.filter((pod) => pod.hash !== goal && isTaken(pod));
  if (units.of !== 'selected' || away.length === 0) return away;
  const unwritable = units.unwritableTo(goal);
  return away.filter(({ uid }) => !unwritable.has(uid));
}
