import type { RolloutPlanSpec, Step, UpdateStep } from '../../schemas/generated/types/rolloutplan.ts';
import { isSameSelector } from '../values/selector.ts';
import { type Blocked, stopsUpdates } from './blocked.ts';
import type { Accepted } from './memory.ts';
import type { RolloutView } from './rollout-view.ts';
import { columnOf } from './table.ts';

/**
 * Whether a plan changes no running pod: the revision at its base has no way in place, and its steps set the share of new pods
 * that get its revision. Pods of earlier revisions stay as they are, too.
 */
export function isForNewPods({ from: [base] }: Pick<RolloutPlanSpec, 'from'>): boolean {
  return base?.mode === 'NewPodsOnly';
}

/**
 * Whether a plan gives the stable revision to new pods that the selector of the plan before has left out. No running pod shows
 * whether that is done.
 */
export function opensToNewPods(
  { stable, units }: Pick<RolloutView, 'stable' | 'units'>,
  { to: { hash, bound } }: Pick<RolloutPlanSpec, 'to'>,
): boolean {
  if (units.of !== 'selected') return false;
  const { newPodsWithin } = units;
  const isOpen = newPodsWithin === undefined || isSameSelector(newPodsWithin, bound.selector);
  return hash === stable && !isOpen;
}

/** Whether the manifest has another selector than a plan: new pods get no more than before meanwhile. */
export function isHeldBySelector(
  { selector, onDelete }: Pick<RolloutView, 'selector' | 'onDelete'>,
  { to: { bound } }: Pick<RolloutPlanSpec, 'to'>,
): boolean {
  return !onDelete && !isSameSelector(selector, bound.selector);
}

/** The update step by which new pods may get the revision now; undefined: they get no more than before. */
export function openedTo(
  view: Pick<RolloutView, 'selector' | 'onDelete'>,
  { spec, progress }: Accepted,
  blocked: Blocked | undefined,
): UpdateStep | undefined {
  if (stopsUpdates(blocked) || columnOf(progress.phase) !== 'active' || isHeldBySelector(view, spec))
    return undefined;
  return updateAt(spec.steps.slice(0, progress.step + 1));
}

/** The last update step among these. */
export function updateAt(steps: readonly Step[]): UpdateStep | undefined {
  return steps.findLast(({ update }) => update !== undefined)?.update;
}

/**
 * The share of new pods, in percent, that an update step of a plan leads to. A number of pods is no share: the first of them
 * are awaited at one in a hundred.
 */
export function shareOfNewPods({ to }: UpdateStep): number {
  if (typeof to === 'number') return to === 0 ? 0 : 1;
  return Math.min(Math.max(Number(to.slice(0, -1)), 0), 100);
}

/** How many new pods must be available before a step is done. The last one is done once every new pod gets the revision. */
export function awaitedNewPods(update: UpdateStep): number {
  return update.to === '100%' ? (update.atLeast ?? 0) : Math.max(update.atLeast ?? 1, 1);
}
