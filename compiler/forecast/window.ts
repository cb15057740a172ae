import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { GitManifest } from '../../semantics/kinds/git-side.ts';
import { type GitUnits, subsetsAt, type SubsetUnits, updatesOf } from '../../semantics/kinds/git-units.ts';
import type { GitSubset } from '../../semantics/kinds/subsets.ts';
import { type KindLimits, type UpdateLimits, updateLimits } from '../../semantics/limits/window.ts';
import { allowedPods } from '../../semantics/plan/allowed.ts';
import { retainedUnits } from '../plan/bound.ts';
import type { Target } from '../plan/target.ts';
import { labeledOf, selectorIndex, selectorsOf } from './node-model.ts';
import { allowedInSubsets, partsInSubsets } from './subsets.ts';

/** The fields of a manifest that limit how many units change at the same time, and the limits of its kind. */
export interface Pace {
  normal: Pick<GitManifest, 'units'>;
  limits: KindLimits;
}

/** The pace of a target. */
export function paceOf({ normal, manifest }: Target): Pace & Pick<Target, 'normal'> {
  return { normal, limits: manifest.type.limits };
}

/**
 * The limits of a step: the lower of the target's and the step's, and no more than the subsets that it is for allow together, as each has
 * the limits of the target for its own pods. Subsets that change as a whole go one after the other, each within its own limits: those of
 * the largest count.
 *
 * Example: `25%` of 12 pods are 3, and a step for a zone of 4 takes one at a time.
 */
export function limitsAt(step: Step, { normal: { units }, limits }: Pace, replicas: number): UpdateLimits {
  const all = updateLimits(limits, updatesOf(units) ?? {}, step.update?.window, replicas);
  const taken = subsetsIn(units, step, replicas);
  if (units.of !== 'subsets' || taken.length === 0) return all;
  const each = taken.map(({ n }) => limitsInSubset(units, n));
  // Percentages are of the pods of a subset, so that no share of all pods says them.
  if (taken.some(({ steps }) => steps === 'whole'))
    return highestOf(each.map((own) => ({ ...own, percents: {} })));
  return FIELDS.reduce((lower, field) => {
    const together = each.reduce((sum, limit) => sum + limit[field], 0);
    return together < lower[field] ? withCount(lower, field, together) : lower;
  }, all);
}

/** The same by the limits of the target alone, at a step for all units. */
export function limitsOfOwn(pace: Pace, replicas: number): UpdateLimits {
  return limitsAt({ id: '', update: { to: '100%' } }, pace, replicas);
}

const FIELDS = ['maxUnavailable', 'maxSurge'] as const;

/** With another count, which is no percentage of all units. */
function withCount(
  { percents, ...counts }: UpdateLimits,
  field: (typeof FIELDS)[number],
  count: number,
): UpdateLimits {
  const { [field]: _percent, ...others } = percents;
  return { ...counts, [field]: count, percents: others };
}

/** The highest limits of all update steps, at a number of units. */
export function widest(steps: readonly Step[], pace: Pace, replicas: number): UpdateLimits {
  return highestOf(distinctWindows(steps).map((step) => limitsAt(step, pace, replicas)));
}

/** The highest of several limits, field by field. */
function highestOf(windows: readonly UpdateLimits[]): UpdateLimits {
  const widestOf = (field: 'maxUnavailable' | 'maxSurge'): UpdateLimits | undefined =>
    windows.reduce<UpdateLimits | undefined>(
      (most, each) => (each[field] > (most?.[field] ?? 0) ? each : most),
      undefined,
    );
  const [down, extra] = [widestOf('maxUnavailable'), widestOf('maxSurge')];
  return {
    maxUnavailable: down?.maxUnavailable ?? 0,
    maxSurge: extra?.maxSurge ?? 0,
    percents: {
      ...(down?.percents.maxUnavailable && { maxUnavailable: down.percents.maxUnavailable }),
      ...(extra?.percents.maxSurge && { maxSurge: extra.percents.maxSurge }),
    },
  };
}

/** The subsets that a step is for. */
function subsetsIn(units: GitUnits, { update }: Step, replicas: number): readonly GitSubset[] {
  return (subsetsAt(units, replicas) ?? []).filter(({ name }) => update?.subsets?.includes(name) !== false);
}

/** How many pods of a subset change at a time, by the limits of its workload alone. */
export function limitsInSubset({ inEach, updates }: SubsetUnits, pods: number): UpdateLimits {
  return updateLimits({ inUnits: inEach }, updates, undefined, pods);
}

/** The update steps, one for each window and subsets: most plans state the same in every step. */
function distinctWindows(steps: readonly Step[]): Step[] {
  const byWindow = new Map<string, Step>();
  for (const step of steps) {
    if (step.update === undefined) continue;
    const { window: { maxUnavailable, maxSurge } = {}, subsets = [] } = step.update;
    const key = JSON.stringify([maxUnavailable, maxSurge, subsets]);
    if (!byWindow.has(key)) byWindow.set(key, step);
  }
  return [...byWindow.values()];
}

/**
 * The units that may be on the new revision when the step is done: the target of the step, limited by the bound of the
 * target.
 */
export function podsAt(step: Step, { normal }: Pace, replicas: number): number {
  if (step.update === undefined) return 0;
  const allowed = Math.min(allowedPods(step.update, replicas), replicas - retainedUnits(normal, replicas));
  return allowedInSubsets(normal.units, allowed, replicas);
}

/**
 * How many units may be on the new revision after each step. A step for nodes with labels counts these beside the others that have the
 * change, and a later one for every node takes none back.
 *
 * Example: 100 nodes, of which 10 have the labels, and the steps `100%` of these, `5%`, `50%`: 10, 10, 50.
 */
export function unitsAfter(steps: readonly Step[], pace: Pace, replicas: number): number[] {
  if (steps.some(({ update }) => update?.subsets !== undefined)) return unitsBySubset(steps, pace, replicas);
  const selectors = selectorsOf(steps);
  if (selectors.length === 0) return steps.map((step) => podsAt(step, pace, replicas));
  const most = replicas - retainedUnits(pace.normal, replicas);
  const taken = selectors.map(() => 0);
  let before = 0;
  return steps.map((step) => {
    if (step.update === undefined) return 0;
    const place = selectorIndex(selectors, step);
    if (place === undefined) before = Math.max(before, podsAt(step, pace, replicas));
    else {
      const size = allowedPods(step.update, labeledOf(replicas, place));
      before = Math.min(before + Math.max(size - (taken[place] ?? 0), 0), most);
      taken[place] = Math.max(taken[place] ?? 0, size);
    }
    return before;
  });
}

/** The same where steps name subsets: one of all units takes none back either. */
function unitsBySubset(steps: readonly Step[], pace: Pace, replicas: number): number[] {
  const parts = partsInSubsets(pace.normal.units, steps, replicas);
  return steps.map((step, index) => {
    if (step.update === undefined) return 0;
    const most = parts?.[index];
    return most === undefined ? podsAt(step, pace, replicas) : [...most.values()].reduce((a, b) => a + b, 0);
  });
}

/**
 * The least number of rounds of all steps together, each with as many units as the limits allow.
 *
 * @param replicas how many units there are
 * @param done how many units have the change already
 */
export function leastRounds(steps: readonly Step[], pace: Pace, replicas: number, done = 0): number {
  let rounds = 0;
  let updated = done;
  const after = unitsAfter(steps, pace, replicas);
  for (const [index, step] of steps.entries()) {
    const pods = after[index] ?? 0;
    const { maxUnavailable, maxSurge } = limitsAt(step, pace, replicas);
    rounds += Math.ceil(Math.max(pods - updated, 0) / Math.max(maxUnavailable + maxSurge, 1));
    updated = Math.max(updated, pods);
  }
  return rounds;
}
