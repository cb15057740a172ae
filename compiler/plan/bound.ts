import type { PlanBound } from '../../schemas/generated/types/rolloutplan.ts';
import type { GitManifest } from '../../semantics/kinds/git-side.ts';
import { loosensPartition, lowerInEach, retainedByPartition } from '../../semantics/kinds/git-partition.ts';
import {
  areSelected,
  areShown,
  updatesNone,
  rolloutSize,
  type SelectedUnits,
  updatesOf,
} from '../../semantics/kinds/git-units.ts';
import { statedPartition } from '../../semantics/plan/stated-partition.ts';
import { canonicalJson, compareCodePoints } from '../../semantics/values/canonical-json.ts';
import { isBySubset, type Partition } from '../../semantics/values/partition.ts';
import { isSameSelection } from '../../semantics/values/pod-selection.ts';
import { formatSelector, isSameSelector, type LabelSelector } from '../../semantics/values/selector.ts';
import { shorten } from '../text/escape.ts';

type Bounded = Pick<GitManifest, 'units'>;

/** The limit that a manifest itself sets to a rollout, as its plan names it. */
export function boundOf({ units }: Bounded): PlanBound {
  switch (units.of) {
    case 'replicas':
    case 'subsets':
      return partitionIn(units);
    case 'nodes':
      return { ...partitionIn(units), ...selectorOf(units) };
    case 'selected':
      return { ...partitionIn(units), ...selectorOf(units), selection: selectionOf(units) };
    case 'run':
    case 'ticks':
      return {};
  }
}

/** One number for all units, or a list of those of subsets: a name of a subset is no key of a plan. */
function partitionIn({
  updates: { partition },
}: Pick<SelectedUnits, 'updates'>): Pick<PlanBound, 'partition' | 'partitions'> {
  if (!isBySubset(partition)) return { partition };
  const named = Object.entries(partition).filter(([, count]) => count > 0);
  return { partitions: named.map(([subset, count]) => ({ subset, count })).sort(bySubset) };
}

function bySubset(a: { subset: string }, b: { subset: string }): number {
  return compareCodePoints(a.subset, b.subset);
}

function selectorOf({ within }: Pick<SelectedUnits, 'within'>): Pick<PlanBound, 'selector'> {
  return within === undefined ? {} : { selector: within as Selector };
}

function selectionOf({ selection }: SelectedUnits): Selection {
  return selection as Selection;
}

type Selector = NonNullable<PlanBound['selector']>;
type Selection = NonNullable<PlanBound['selection']>;

/** A part of a bound. */
export type BoundPart = 'partition' | 'selector' | 'selection';

/**
 * The bound that a plan states. Which pods a target selects is stated where the change is about that, and from then on: what is on
 * record in a cluster that has skipped a plan is that of an earlier one.
 *
 * @param atBase that of the plan at base
 */
export function statedBound(
  head: Bounded,
  base: Bounded | undefined,
  atBase: PlanBound | undefined,
): PlanBound {
  const { selection, ...bound } = boundOf(head);
  const isStated =
    atBase?.selection !== undefined || (base !== undefined && selectionDiffers(boundOf(base), { selection }));
  return selection !== undefined && isStated ? { ...bound, selection } : bound;
}

/** What of two bounds differs; undefined: nothing does. A bound that states no selection differs in none. */
export function boundDifference(one: PlanBound, other: PlanBound): BoundPart | undefined {
  if (canonicalJson(statedPartition(one)) !== canonicalJson(statedPartition(other))) return 'partition';
  if (!isSameSelector(one.selector, other.selector)) return 'selector';
  return selectionDiffers(one, other) ? 'selection' : undefined;
}

function selectionDiffers(
  { selection: one }: Pick<PlanBound, 'selection'>,
  { selection: other }: Pick<PlanBound, 'selection'>,
): boolean {
  return one !== undefined && other !== undefined && !isSameSelection(one, other);
}

/** Whether the pods that a target selects are others. */
export function areSelectedOtherwise(
  base: { normal: Bounded } | undefined,
  head: { normal: Bounded } | undefined,
): boolean {
  return (
    base !== undefined && head !== undefined && selectionDiffers(boundOf(base.normal), boundOf(head.normal))
  );
}

/** What of the bound of a plan a manifest changes. One that updates no unit has no selector, and changes none. */
export function newBound(before: PlanBound, after: Bounded): BoundPart | undefined {
  const differs = boundDifference(before, boundOf(after));
  if (differs !== 'selector' || !updatesNone(after.units)) return differs;
  return selectionDiffers(before, boundOf(after)) ? 'selection' : undefined;
}

type BothStates<Normal = Bounded> = Readonly<Record<'base' | 'head', { normal: Normal } | undefined>>;

/** The part of the bound that a continuation is about. */
export function changedBound({ base, head }: BothStates): BoundPart {
  if (base === undefined || head === undefined) return 'partition';
  return newBound(boundOf(base.normal), head.normal) ?? 'partition';
}

/**
 * What a manifest allows that its plan does not; undefined: nothing. Of two selectors, neither is the narrower one, as that
 * hangs on the labels of units.
 */
export function loosenedBound(normal: Bounded, plan: PlanBound): BoundPart | undefined {
  const replicas = rolloutSize(normal.units) ?? 0;
  if (loosensPartition(normal.units, replicas, statedPartition(plan))) return 'partition';
  const isBound = plan.selector !== undefined && !updatesNone(normal.units);
  if (isBound && !isSameSelector(plan.selector, boundSelectorOf(normal))) return 'selector';
  return selectionDiffers(plan, boundOf(normal)) ? 'selection' : undefined;
}

/** How many of these units the bound retains on the old revision. Where it is not known what a selector selects: none. */
export function retainedUnits(normal: Bounded, replicas: number): number {
  const counted = selectedWithin(normal);
  const unselected = counted === undefined ? 0 : Math.max(replicas - counted, 0);
  return Math.max(retainedByPartition(normal.units, replicas), unselected);
}

/**
 * How many of these units the bound of a manifest at base may have retained. Where it is not known what its selector selects: all, so
 * that a forecast shows as much as may still change.
 */
export function retainedBefore(normal: Bounded, replicas: number): number {
  return isUncounted(normal) ? replicas : retainedUnits(normal, replicas);
}

/** Whether it is not known how many units the selector of the bound selects. */
export function isUncounted(normal: Bounded): boolean {
  return boundSelectorOf(normal) !== undefined && selectedWithin(normal) === undefined;
}

/** The selector of the bound: only units that it selects are updated. Undefined: every unit is. */
export function boundSelectorOf({ units }: Pick<Bounded, 'units'>): LabelSelector | undefined {
  return areShown(units) ? units.within : undefined;
}

/** How many units the selector of the bound selects; undefined: that is not known, or there is none. */
export function selectedWithin({ units }: Pick<Bounded, 'units'>): number | undefined {
  return areSelected(units) && units.within !== undefined ? units.shownWithin : undefined;
}

/**
 * Whether a continuation is about units that all have the change already, as its bound lets none go that the one at base does not.
 * A selector after a partition may select units that the partition has kept: which those are, nobody knows.
 */
export function letsNoneGo({ action, base, head }: BothStates & { action: string }): boolean {
  if (action !== 'Bound' || base === undefined || head === undefined) return false;
  const [before, after] = [base.normal, head.normal];
  if (isUncounted(before) || isUncounted(after)) return false;
  const replicas = rolloutSize(after.units) ?? 0;
  const isHidden = boundSelectorOf(after) !== undefined && retainedByPartition(before.units, replicas) > 0;
  if (isHidden || loosensPartition(after.units, replicas, partitionOf(before))) return false;
  return retainedUnits(before, replicas) <= retainedUnits(after, replicas);
}

function partitionOf({ units }: Bounded): Partition {
  return updatesOf(units)?.partition ?? 0;
}

/**
 * A manifest as the rollout of its change goes by it. A continuation that loosens the partition of a subset takes none back where it is
 * higher for another one: units there have the change.
 *
 * Example: zone-a 2, zone-b 1 becomes zone-b 3. The rollout ends with one unit of zone-b on the old revision.
 */
export function asContinued<State extends { normal: GitManifest }>(
  { action, base }: { action: string; base: { normal: Bounded } | undefined },
  head: State,
): State {
  const { units } = head.normal;
  if (action !== 'Bound' || base === undefined || units.of !== 'subsets') return head;
  const before = partitionOf(base.normal);
  if (!loosensPartition(units, rolloutSize(units) ?? 0, before)) return head;
  const partition = lowerInEach(units.updates.partition, before);
  return {
    ...head,
    normal: { ...head.normal, units: { ...units, updates: { ...units.updates, partition } } },
  };
}

/** How many of these units the rollout of a change leaves on the old revision. */
export function retainedAfter(
  { action, base, head }: BothStates<GitManifest> & { action: string },
  replicas: number,
): number {
  return head === undefined ? 0 : retainedUnits(asContinued({ action, base }, head).normal, replicas);
}

/** The field of the bound that retains units: `partition` or `selector`. */
export function boundName(normal: Bounded): 'partition' | 'selector' {
  return boundSelectorOf(normal) === undefined ? 'partition' : 'selector';
}

const MOST_CHARACTERS = 80;

/** A selector for people: `track=canary`; `none`. */
export function selectorText(normal: Bounded): string {
  const selector = boundSelectorOf(normal);
  return selector === undefined ? 'none' : shorten(formatSelector(selector), MOST_CHARACTERS);
}
