/** What a subset has so far. */
export interface PresentSubset {
  /** How many pods it is to have so far; 0 of one that does not exist yet. */
  size: number;
  /** Its pods that have waited too long for a node, and are to go elsewhere; or those that others stand in for, until they have proven that they stay. */
  stuck: number;
  /** There is no room for more. */
  isFull: boolean;
  /** Nothing is known against it. False: others stand in for what it gets beyond its pods that are not stuck. */
  isTrusted: boolean;
}

/** One of which nothing is there. */
export const NOTHING_THERE: PresentSubset = { size: 0, stuck: 0, isFull: false, isTrusted: true };

/** How many pods a subset has at the least, if there are enough, and at the most; Infinity: as many as there are. */
export interface Range {
  name: string;
  least: number;
  most: number;
}

/** Each subset gets its least, in their order, and then up to its most. What is beyond all of these nobody gets. */
export function byRange(ranges: readonly Range[], total: number): number[] {
  return filled(ranges, total, [({ least }) => least, ({ most }) => most]);
}

/**
 * The same where pods go where there is room (OpenKruise uniteddeployment, rule 6.2). A full subset keeps the pods that have a node,
 * and gets no more. No pod leaves a subset with room because an earlier one has room again. What fits nowhere waits, first where it is.
 *
 * Example: 3 pods, a and b with at most 2. b is full, and its only pod has no node: 2, 0, 1. When b has room again, it stays 2, 0, 1;
 * of 4 pods b gets the new one: 2, 1, 1.
 *
 * @param presentOf what a subset has so far, by its name
 */
export function byCapacity(
  ranges: readonly Range[],
  total: number,
  presentOf: (name: string) => PresentSubset,
): number[] {
  const ranged = ranges.map(({ name, least, most }) => {
    const { size, stuck, isFull } = presentOf(name);
    const kept = Math.max(size - stuck, 0);
    return {
      ...{ name, size, beyond: Math.max(most, least) },
      least: Math.max(Math.min(kept, most), least),
      most: isFull ? Math.min(kept, most) : most,
    };
  });
  return filled(ranged, total, [
    ({ least }) => least,
    ({ most }) => most,
    ({ size, beyond }) => Math.min(size, beyond),
    ({ beyond }) => beyond,
  ]);
}

/** Fills subsets in their order, in passes: in each of them a subset gets up to a number, as far as pods are left. */
function filled<Each>(
  subsets: readonly Each[],
  total: number,
  passes: readonly ((subset: Each) => number)[],
): number[] {
  let left = total;
  const counts = subsets.map(() => 0);
  for (const upTo of passes)
    for (const [index, subset] of subsets.entries()) {
      const own = counts[index] ?? 0;
      const more = Math.max(Math.min(upTo(subset) - own, left), 0);
      counts[index] = own + more;
      left -= more;
    }
  return counts;
}
