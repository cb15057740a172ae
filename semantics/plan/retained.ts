import { isSameSelector, type LabelSelector } from '../values/selector.ts';
import { boundNow, isPartitionLowered } from './bound-state.ts';
import type { Accepted } from './memory.ts';
import { PLAN_FROM_BEFORE } from './remediation-command.ts';
import type { RolloutView } from './rollout-view.ts';
import { selectedByAll } from './selector-bound.ts';

interface Held {
  reason: string;
  message: string;
}

/**
 * Why pods stay on the old revision after their plan, for the condition Held: its bound retains them, or git has loosened that
 * since, and a plan is missing. Undefined: none stays.
 *
 * @param name of the target, with its kind
 * @param plan the last one that was accepted
 * @param needsPlan false: what the manifest selects is updated without one
 */
export function retainedHeld(
  view: RolloutView,
  name: string,
  plan: Accepted | undefined,
  needsPlan: boolean,
): Held | undefined {
  const { left } = boundNow(plan, view);
  const bound = left.by === 'selector' ? left.selector : plan?.spec.to.bound.selector;
  if (bound === undefined) return byPartition(view, name);
  const isWithin = selectedByAll([bound]);
  // A strategy that updates no pod selects none, and its plan still says what new pods get.
  const isSelected = view.onDelete ? isWithin : selectedByAll([view.selector]);
  const old = view.pods.filter(
    ({ hash, labels }) => hash !== view.liveHash && ((needsPlan && !view.onDelete) || !isSelected(labels)),
  );
  if (old.length === 0) return needsPlan ? newPodsHeld(view, name, bound) : undefined;
  const isUnplanned = old.some(({ labels }) => isSelected(labels) && !isWithin(labels));
  if (isUnplanned)
    return {
      reason: 'NoPlan',
      message: `${staying(old.length)}: the selector of ${name} selects other pods now and no plan covers it. Plan from the state before the commit that changed it (COMMIT): ${PLAN_FROM_BEFORE}`,
    };
  return {
    reason: 'Bound',
    message: `${staying(old.length)} because the selector of ${name} does not select them. To continue, change it in git and commit its plan`,
  };
}

/** Where every running pod is up to date, or cannot be: another selector than on record holds for new pods. */
function newPodsHeld(view: RolloutView, name: string, bound: LabelSelector): Held | undefined {
  const { units } = view;
  if (
    units.of !== 'selected' ||
    units.newPodsWithin === undefined ||
    view.onDelete ||
    isSameSelector(view.selector, bound)
  )
    return undefined;
  return {
    reason: 'NoPlan',
    message: `new pods that the selector of the last plan does not select get the old revision: that of ${name} is another now and no plan covers it. Plan from the state before the commit that changed it (COMMIT): ${PLAN_FROM_BEFORE}`,
  };
}

function byPartition(view: RolloutView, name: string): Held | undefined {
  if (view.retained === undefined) return undefined;
  const { n } = view.retained;
  if (isPartitionLowered(view))
    return {
      reason: 'NoPlan',
      message: `${staying(n)}: the partition of ${name} was lowered and no plan covers it. Plan from the state before the commit that lowered it (COMMIT): ${PLAN_FROM_BEFORE}`,
    };
  return {
    reason: 'Bound',
    message: `${staying(n)} because of the partition of the last plan. To continue, lower it in git and commit its plan`,
  };
}

function staying(n: number): string {
  return `${n === 1 ? '1 pod stays' : `${n} pods stay`} on the old revision`;
}
