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
 * The most pods of each child that may be on the new revision after a step, by name: of the pods that it names, as they are now, beside
 * what the steps before have given.
 *
 * Example: zones of 5, 3 and 2 pods, where 2 of the first have been given. After all of the second one: 2, 3, 0. After 50% of all: 5, 0, 0.
 *
 * @param replicas how many pods the size of a step for all pods is of
 * @param before what the steps before have given, by name
 * @param most how many pods of each the bound of the plan lets go, by name; undefined: all
 */
export function partsAfter(
  update: UpdateStep,
  replicas: number,
  children: readonly ChildRow[],
  before: ReadonlyMap<string, number>,
  most?: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const after = new Map(children.map(({ name }) => [name, before.get(name) ?? 0]));
  const named = namedBy(update, children).map((child) => withPart(child, before.get(child.name) ?? 0));
  const all = update.subsets === undefined ? replicas : named.reduce((sum, { size }) => sum + size, 0);
  const given = named.reduce((sum, { name, size }) => sum + Math.min(before.get(name) ?? 0, size), 0);
  // A step takes none back.
  const allowed = Math.max(allowedPods(update, all), given);
  for (const [name, part] of partsOf(allowed, GOAL, named, most))
    after.set(name, Math.max(after.get(name) ?? 0, part.allowed));
  return after;
}

/** The same after some steps, for children that have no part yet. Undefined: no step names a subset. */
export function mostBySubset(
  steps: readonly Step[],
  replicas: number,
  children: readonly ChildRow[],
  most?: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> | undefined {
  const updates = steps.flatMap(({ update }) => update ?? []);
  if (updates.every(({ subsets }) => subsets === undefined)) return undefined;
  return updates.reduce<ReadonlyMap<string, number>>(
    (before, update) => partsAfter(update, replicas, children, before, most),
    new Map(),
  );
}

/** The subsets of which a step so far takes all pods: those that they get later belong to it. */
export function wholeSubsets(steps: readonly Step[]): ReadonlySet<string> {
  return new Set(steps.flatMap(({ update }) => (update?.to === '100%' ? (update.subsets ?? []) : [])));
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
