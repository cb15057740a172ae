import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { selectorPredicate, type LabelSelector } from '../values/selector.ts';
import type { Accepted } from './memory.ts';
import type { PodRow } from './pod-row.ts';
import type { RolloutView } from './rollout-view.ts';

/** Which units a way back takes to its goal, as data: its plan, or one that it has replaced, has moved them, or may have. */
export interface TakenBack {
  /** Units on these revisions stay: a bound had left them there when the target was complete on the goal. */
  left: readonly string[];
  /** The revisions that the plan knows. Units on them go, whatever labels they have. */
  planned: readonly string[];
  /** The selector of the plan's bound: units on other revisions go where it selects them. Undefined: all go. */
  selector?: LabelSelector;
}

/** What the way back from an accepted plan takes. */
export function takenBack(view: RolloutView, { spec, progress }: Accepted, goal: string): TakenBack {
  const { to, from } = spec;
  const { selector } = to.bound;
  const listed = [to, ...from, ...(progress.inherited ?? [])];
  return {
    left: leftAtGoal(view, spec, goal).filter((hash) => hash !== goal),
    planned: listed.map(({ hash }) => hash),
    ...(selector !== undefined && { selector }),
  };
}

/**
 * The revisions that stay. What git had after the goal is none of them: the target may have been complete on it before it went back,
 * and the change landed again.
 */
function leftAtGoal(view: RolloutView, { to, from }: RolloutPlanSpec, goal: string): string[] {
  const { units } = view;
  if (units.of !== 'selected') return view.retained === undefined ? [] : [view.retained.hash];
  const at = from.findIndex(({ hash }) => hash === goal);
  const later = [to, ...from.slice(0, Math.max(at, 0))];
  return units.leftAt(goal).filter((left) => !later.some(({ hash }) => hash === left));
}

type OnRevision = Pick<PodRow, 'hash' | 'labels'>;

/** A test of units that are not at the goal yet. */
export function isTakenBack({ left, planned, selector }: TakenBack): (unit: OnRevision) => boolean {
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
  return all.filter((pod) => pod.hash !== goal && isTaken(pod));
}
