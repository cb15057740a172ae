import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { TargetLimits } from '../limits/target-limits.ts';
import { fieldsOf, type Limits, type Window } from '../limits/window.ts';
import type { Accepted, Progress } from './memory.ts';
import type { Phase } from './phases.ts';
import { distinct } from './plan-object.ts';
import type { PlanObject } from './plan-object.ts';
import { columnOf } from './table.ts';

/** What the windows of a plan are completed and compared with. */
interface Limited {
  limits: TargetLimits;
}

/** Whether a plan in this phase holds its target to what was recorded: it was accepted, and has not ended. */
export function isHeld(phase: Phase): boolean {
  return ['active', 'Reverting', 'Halted'].includes(columnOf(phase));
}

/**
 * The limits that a plan was accepted with. The live ones stand for those of a record that an older runtime has written; they
 * are recorded in the first reconcile.
 */
export function acceptedLimits({ limits }: Limited, { recorded }: Progress): Window {
  return recorded?.limits ?? limits.written;
}

/** The limits of the last update step that has begun. What it leaves out is as it was when the plan was accepted. */
export function windowOf(view: Limited, { spec, progress }: Accepted): Window {
  const begun = spec.steps.slice(0, progress.step + 1).findLast((step) => step.update);
  return { ...acceptedLimits(view, progress), ...begun?.update?.window };
}

/** The same of a run. */
export function runParallelism(view: Limited, { spec, progress }: Accepted): Pick<Window, 'parallelism'> {
  const begun = spec.steps.slice(0, progress.step + 1).findLast((step) => step.run);
  const parallelism = begun?.run?.parallelism ?? acceptedLimits(view, progress).parallelism;
  return parallelism === undefined ? {} : { parallelism };
}

/**
 * The window of a way back, as counts: the widest of the plan's update steps, or of those of the one plan object present that
 * leads to the goal.
 */
export function widestWindow(
  view: Limited,
  { spec, progress }: Accepted,
  goal: string,
  plans: readonly PlanObject[],
): Window {
  const own = acceptedLimits(view, progress);
  const { steps } = planBack(plans, goal, spec)?.spec ?? spec;
  const windows = steps.flatMap(({ update }) => (update === undefined ? [] : [{ ...own, ...update.window }]));
  return view.limits.widest(windows.length === 0 ? [own] : windows);
}

/** The plan object that leads to the goal of a way back; undefined: there is none, or there are several. */
function planBack(
  plans: readonly PlanObject[],
  goal: string,
  { digest }: RolloutPlanSpec,
): PlanObject | undefined {
  const others = distinct(plans.filter((plan) => plan.refused === undefined && plan.spec.digest !== digest));
  const [plan, ...more] = others;
  return more.length === 0 && plan?.spec.to.hash === goal ? plan : undefined;
}

/** Whether the lower of the limits of a window and those of the target let no unit change, though those of the target alone would. */
export function letsNothingChange({ limits }: Limited, window: Window): boolean {
  const [own, lower] = [limits.lower(undefined), limits.lower(window)];
  const fields = fieldsOf(lower);
  const isZero = (of: Limits): boolean => fields.every((field) => of[field]?.count === 0);
  return fields.length > 0 && isZero(lower) && !isZero(own);
}

/**
 * The window that a target moves its units in now, by the record of its plan; undefined: its own limits apply alone.
 *
 * @param plans the plan objects present; empty where they are not known
 */
export function presentWindow(
  view: Limited,
  active: Accepted | undefined,
  plans: readonly PlanObject[],
): Window | undefined {
  if (active === undefined || !isHeld(active.progress.phase)) return undefined;
  const { phase, goal } = active.progress;
  return phase === 'Reverting' ? widestWindow(view, active, goal ?? '', plans) : windowOf(view, active);
}
