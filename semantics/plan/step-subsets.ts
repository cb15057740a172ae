import type { RolloutPlanSpec, Step, UpdateStep } from '../../schemas/generated/types/rolloutplan.ts';
import { listed } from '../values/listed.ts';
import { allowedPods } from './allowed.ts';
import { partsOf } from './child-parts.ts';
import type { ChildRow } from './units.ts';

/** The name of a revision that no child has: parts are computed from nothing but what steps give. */
const GOAL = '';

/** The subsets that a step is about alone; undefined: it is about all pods. */
export function subsetsOfStep({ update }: Step): readonly string[] | undefined {
  return update?.subsets;
}

/** `zone-a and zone-b`. */
export function subsetsText(names: readonly string[]): string {
  return listed(names, 'and');
}

/**
 * The most pods of each child that may be on the new revision after some steps, by name. A step that names subsets is about their pods
 * alone: its size is of these, as they are now, and the others keep what the steps before have given them. Undefined: the last of them is
 * about all pods.
 *
 * Example: zones of 5, 3 and 2 pods. After `20%` of all, and then all of the second one: 2, 3, 0. After half of the third, and then 6 of
 * the first two: 5, 1, 1.
 *
 * @param steps up to the present one
 * @param replicas how many pods the sizes of steps for all pods are of
 */
export function mostBySubset(
  steps: readonly Step[],
  replicas: number,
  children: readonly ChildRow[],
): ReadonlyMap<string, number> | undefined {
  const updates = steps.flatMap(({ update }) => update ?? []);
  if (updates.at(-1)?.subsets === undefined) return undefined;
  const most = new Map(children.map(({ name }) => [name, 0]));
  for (const update of updates) {
    const named = namedBy(update, children).map((child) => withPart(child, most.get(child.name) ?? 0));
    const all = update.subsets === undefined ? replicas : named.reduce((sum, { size }) => sum + size, 0);
    for (const [name, { allowed }] of partsOf(allowedPods(update, all), GOAL, named))
      most.set(name, Math.max(most.get(name) ?? 0, allowed));
  }
  return most;
}

function namedBy({ subsets }: UpdateStep, children: readonly ChildRow[]): readonly ChildRow[] {
  return subsets === undefined ? children : children.filter(({ subset }) => subsets.includes(subset));
}

/** A child that has been given so many pods, and has them. */
function withPart({ given: _given, ...child }: ChildRow, allowed: number): ChildRow {
  const part = { goal: GOAL, allowed, atMost: allowed };
  return { ...child, pods: [], given: allowed === 0 ? undefined : part, isObserved: true };
}

/** The last update step of a plan that is for some subsets alone, so that others would never get the revision; undefined: it is for all. */
export function endsWithin({ steps }: Pick<RolloutPlanSpec, 'steps'>): Step | undefined {
  const last = steps.findLast(({ update }) => update !== undefined);
  return last?.update?.subsets === undefined ? undefined : last;
}
