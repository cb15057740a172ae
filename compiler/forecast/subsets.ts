import { type GitSubset, type GitUnits, rolloutSize, subsetsOf } from '../../semantics/kinds/git-units.ts';
import { reachableIn } from '../../semantics/plan/child-parts.ts';
import { shorten } from '../text/escape.ts';

/** So many subsets are named. */
const MOST_NAMED = 5;

/**
 * How many of so many allowed units the subsets of a target amount to: one that changes as a whole does so with all of its units, or
 * not at all. All of them where there are no subsets, or an autoscaler has made them others than the manifest does.
 */
export function allowedInSubsets(units: GitUnits, allowed: number, replicas: number): number {
  const subsets = subsetsOf(units);
  if (subsets === undefined || replicas !== rolloutSize(units)) return allowed;
  return Math.min(reachableIn(allowed, '', subsets.map(asChild)), allowed);
}

function asChild({ name, n, steps }: GitSubset): Parameters<typeof reachableIn>[2][number] {
  return { name, size: n, steps, pods: [], given: undefined, isObserved: true, problem: undefined };
}

/** In which order a rollout takes the subsets of a target, as phrases; none where it has no subsets, or only one. */
export function subsetOrder(units: GitUnits): string[] {
  const subsets = subsetsOf(units) ?? [];
  if (subsets.length < 2) return [];
  const partly = subsets.filter(({ steps }) => steps === 'partly');
  const whole = subsets.filter(({ steps }) => steps === 'whole').sort((a, b) => a.n - b.n);
  return [
    ...(partly.length === 0 ? [] : [`subset by subset: ${namesOf(partly)}`]),
    ...(whole.length === 0 ? [] : [`each as a whole, once all of it fits into a step: ${namesOf(whole)}`]),
  ];
}

function namesOf(subsets: readonly GitSubset[]): string {
  const named = subsets.slice(0, MOST_NAMED).map(({ name, n }) => `${shorten(name, 80)} (${n})`);
  const more = subsets.length - named.length;
  return `${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}
