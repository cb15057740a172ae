import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { type GitUnits, subsetsAt, subsetsOf, updatesOf } from '../../semantics/kinds/git-units.ts';
import type { GitSubset } from '../../semantics/kinds/subsets.ts';
import { reachableIn } from '../../semantics/plan/child-parts.ts';
import { withoutRetained } from '../../semantics/plan/child-step.ts';
import { partsAfter, subsetsOfStep } from '../../semantics/plan/step-subsets.ts';
import { shorten } from '../text/escape.ts';

/** So many subsets are named. */
const MOST_NAMED = 5;

/**
 * How many of so many allowed units the subsets of a target amount to: one that changes as a whole does so with all of its units, or
 * not at all. All of them where there are no subsets, or their sizes do not fit.
 */
export function allowedInSubsets(units: GitUnits, allowed: number, replicas: number): number {
  const subsets = subsetsAt(units, replicas);
  if (subsets === undefined) return allowed;
  return Math.min(reachableIn(allowed, '', subsets.map(asChild)), allowed);
}

function asChild({ name, n, steps }: GitSubset): Parameters<typeof reachableIn>[2][number] {
  return {
    name,
    subset: name,
    size: n,
    steps,
    pods: [],
    given: undefined,
    isObserved: true,
    failing: undefined,
    left: undefined,
  };
}

/** The most units of each subset on the new revision after each step, by name; undefined: there are none, or their sizes do not fit. */
export function partsInSubsets(
  units: GitUnits,
  steps: readonly Step[],
  replicas: number,
): ReadonlyMap<string, number>[] | undefined {
  const children = subsetsAt(units, replicas)?.map(asChild);
  let parts: ReadonlyMap<string, number> = new Map();
  const most = children && withoutRetained(children, [updatesOf(units)?.partition ?? 0]);
  return (
    children &&
    steps.map(({ update }) => (parts = update ? partsAfter(update, replicas, children, parts, most) : parts))
  );
}

/**
 * In which order a rollout takes the subsets of a target, as phrases; none where it has no subsets, or only one.
 *
 * @param planned the steps of the plan: those that name subsets come in its order
 */
export function subsetOrder(units: GitUnits, planned: readonly Step[]): string[] {
  const subsets = subsetsOf(units) ?? [];
  if (subsets.length < 2) return [];
  const partly = subsets.filter(({ steps }) => steps === 'partly');
  const within = planned.some((step) => subsetsOfStep(step) !== undefined) ? 'within a step ' : '';
  // No step is for a part of them, so that none is first because it fits.
  if (partly.length === 0)
    return [`${within}one subset after the other, each as a whole: ${namesOf(subsets)}`];
  const whole = subsets.filter(({ steps }) => steps === 'whole').sort((a, b) => a.n - b.n);
  return [
    `${within}subset by subset: ${namesOf(partly)}`,
    ...(whole.length === 0 ? [] : [`each as a whole, once all of it fits into a step: ${namesOf(whole)}`]),
  ];
}

function namesOf(subsets: readonly GitSubset[]): string {
  const named = subsets.slice(0, MOST_NAMED).map(({ name, n }) => `${shorten(name, 80)} (${n})`);
  const more = subsets.length - named.length;
  return `${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}
