import {
  allowedInChildren,
  areChildrenMoving,
  childBreach,
  childElsewhere,
  judgeChildren,
  missingInChildren,
  partsAtStart,
  unobservedChild,
  wantedOfChildren,
  withinChildren,
  withoutRetained,
  withoutLeft,
} from './child-step.ts';
import { planOnward } from './envelope-input.ts';
import { followReplicas } from './follow-size.ts';
import { isCompleteOn, onRevisions } from './on-revisions.ts';
import { allowedWith } from './owned-units.ts';
import { takesNone } from './sizes.ts';
import { statedPartition } from './stated-partition.ts';
import type { UnitRules } from './rollout-view.ts';
import type { ChildUnits } from './units.ts';

/**
 * Pods that other workloads make for the target: steps count these pods, and the children are given their parts
 * (child-parts.ts). All that is known of a pod is what the status of its child says.
 */
export const childRules: UnitRules<ChildUnits> = {
  ...onRevisions,
  allowed: allowedInChildren,
  isEmpty: (view, accepted, step) => takesNone(view, accepted, allowedInChildren(view, accepted, step)),
  wanted: wantedOfChildren,
  judge: (view, accepted, step, _context, now) => judgeChildren(view, accepted, step, now),
  breach: childBreach,
  missing: missingInChildren,
  withClocks: (_view, _accepted, judged) => judged,
  isComplete: (view, spec) =>
    isCompleteOn(view, spec) &&
    unobservedChild(view) === undefined &&
    childElsewhere(view, spec.to.hash) === undefined,
  backWaitsFor(view, accepted) {
    const unobserved = unobservedChild(view);
    if (unobserved !== undefined) return `${unobserved} to report its present spec`;
    const elsewhere = childElsewhere(view, accepted.progress.goal ?? view.stable);
    // Of those whose pods are away, the number says more.
    return (
      onRevisions.backWaitsFor(view, accepted) ||
      (elsewhere === undefined ? '' : `${elsewhere} to get its earlier template`)
    );
  },
  atStart: (view, before, at) => ({
    frozenN: view.replicas,
    ...(at !== undefined && partsAtStart(view, at, view.replicas, before)),
  }),
  follow: (view, accepted) => followReplicas(view, accepted, allowedWith(view, accepted)),
  isMoving: areChildrenMoving,
  envelope(input, { goal, ownStrategy }) {
    const { view } = input;
    const { children } = view.units;
    const onward = planOnward(input);
    // A way back, and what stays as it is, are about all children, but for what bounds have left.
    const within =
      onward !== undefined
        ? withinChildren(view, onward, onward.progress.step, [
            statedPartition(onward.spec.to.bound),
            view.partition,
          ])
        : ownStrategy === true
          ? withoutRetained(children, [view.partition])
          : withoutLeft(children, goal);
    return within === undefined ? {} : { within: Object.fromEntries(within) };
  },
};
