import { compareCodePoints } from '../values/canonical-json.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import { byCapacity, byRange, type PresentSubset, type Range } from './ranges.ts';
import { byReservation } from './reserve.ts';

/** What a subset asks for of all pods. */
export interface SubsetSize {
  name: string;
  /** Undefined: an even part of what the others leave. */
  replicas: IntOrPercent | undefined;
  /** Undefined: 0. */
  min: IntOrPercent | undefined;
  /** Undefined: there is no limit. */
  max: IntOrPercent | undefined;
}

/**
 * How many pods each subset has, in the order of the subsets; or why they cannot be allocated, as the rest of a sentence about them.
 * `reserved`: how many of them others stand in for.
 */
export type Allocation = { counts: readonly number[]; reserved: readonly number[] } | { fault: string };

/** Subsets, and how pods are split between them. */
export interface Split {
  subsets: readonly SubsetSize[];
  /**
   * `Fixed`: each has its number. `Adaptive`: pods go where there is room. `Reserving`: those without a node stay, and others stand in for
   * them.
   */
  strategy: 'Fixed' | 'Adaptive' | 'Reserving';
}

/**
 * Splits pods over subsets (OpenKruise uniteddeployment, rule 6.2). By `min` and `max` where any subset has one, or pods go where there
 * is room: of an adaptive one the history matters (ranges.ts, reserve.ts). Else by `replicas`, and what is left goes evenly to the others, a
 * remainder to those that have most pods now.
 *
 * Example: 10 pods, of which a has 5, and b and c have one each: 4, 3, 3. With none of them there yet it is 3, 3, 4.
 *
 * Example: 9 pods, a with `min: 20%` and `max: 50%`, b with `max: 50%`: 4.5 are 5, so that it is 5, 4.
 *
 * @param total how many pods there are to be
 * @param presentOf what a subset has so far, by its name
 */
export function allocate(
  { subsets, strategy }: Split,
  total: number,
  presentOf: (name: string) => PresentSubset,
): Allocation {
  switch (strategy) {
    case 'Reserving': {
      const given = byReservation(rangesOf(subsets, total), total, presentOf);
      return { counts: given.map(({ count }) => count), reserved: given.map(({ reserved }) => reserved) };
    }
    case 'Adaptive':
      return withoutReserved(byCapacity(rangesOf(subsets, total), total, presentOf));
    case 'Fixed':
      return subsets.some(({ min, max }) => min !== undefined || max !== undefined)
        ? withoutReserved(byRange(rangesOf(subsets, total), total))
        : bySize(subsets, total, (name) => presentOf(name).size);
  }
}

function withoutReserved(counts: readonly number[]): Allocation {
  return { counts, reserved: counts.map(() => 0) };
}

/** The least and most pods of each subset, as counts. */
function rangesOf(subsets: readonly SubsetSize[], total: number): Range[] {
  return subsets.map(({ name, min, max }) => ({
    name,
    least: min === undefined ? 0 : sizeOf(min, total),
    most: max === undefined ? Infinity : sizeOf(max, total),
  }));
}

/** A count, or a whole percentage of all pods, of which a half rounds up. */
export function sizeOf(value: IntOrPercent, total: number): number {
  if (typeof value === 'number') return value;
  const percent = Number.parseInt(value, 10);
  return Math.floor((total * percent) / 100 + 0.5);
}

function bySize(
  subsets: readonly SubsetSize[],
  total: number,
  currentOf: (name: string) => number,
): Allocation {
  const counts = subsets.map(({ replicas }) =>
    replicas === undefined ? undefined : sizeOf(replicas, total),
  );
  const fixed = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  if (fixed > total)
    return {
      fault: `must not have more replicas than spec.replicas: they have ${fixed}, and it is ${total}`,
    };
  const open = subsets.flatMap(({ name }, index) => (counts[index] === undefined ? [{ name, index }] : []));
  if (open.length === 0 && fixed < total)
    return {
      fault: `must have as many replicas as spec.replicas, or one that has none: they have ${fixed}, and it is ${total}`,
    };
  const [each, rest] = [Math.floor((total - fixed) / open.length), (total - fixed) % open.length];
  const sorted = open
    .map((one) => ({ ...one, current: currentOf(one.name) }))
    .sort((a, b) => a.current - b.current || compareCodePoints(a.name, b.name));
  for (const [place, { index }] of sorted.entries())
    counts[index] = each + (place >= sorted.length - rest ? 1 : 0);
  return withoutReserved(counts.map((count) => count ?? 0));
}
