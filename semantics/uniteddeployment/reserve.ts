import type { PresentSubset, Range } from './ranges.ts';

/** How many pods a subset is to have. */
export interface Given {
  count: number;
  /** So many of them do not count, as there are pods of other subsets for them. */
  reserved: number;
}

/**
 * Fills subsets where pods that get no node stay, and pods of later subsets stand in for them (OpenKruise uniteddeployment, rule 6.2). Each
 * subset gets its least, in their order, and then up to its most; a full one no more than it has. What a subset gets beyond its pods that
 * work is given once more to later ones. So at least as many pods work as there are to be, where any subset has room.
 *
 * What no subset has room for waits in the first one that may have more, so that an autoscaler of nodes sees it.
 *
 * Example: 2 pods, and both of a have no node: 2, 2, 0. Those of b have none either: 2, 2, 2. One of a gets a node: 2, 1, 1.
 *
 * Example: 4 pods, of which a has two that were without a node until now. It may have all four, but is not trusted with more yet: b and c
 * keep their two each.
 *
 * @param presentOf what a subset has so far, by its name
 */
export function byReservation(
  ranges: readonly Range[],
  total: number,
  presentOf: (name: string) => PresentSubset,
): Given[] {
  const claims = ranges.map(({ name, least, most }) => {
    const present = presentOf(name);
    return { least, most: Math.max(most, least), present, room: roomOf(present), count: 0, reserved: 0 };
  });
  let left = total;
  const give = (claim: (typeof claims)[number], upTo: number): void => {
    const more = Math.max(Math.min(Math.min(upTo, total) - claim.count, left), 0);
    const counted = Math.min(more, claim.room);
    claim.count += more;
    claim.room -= counted;
    claim.reserved += more - counted;
    left -= counted;
  };
  for (const claim of claims) give(claim, claim.least);
  for (const claim of claims) {
    const { most, present } = claim;
    give(claim, present.isFull ? Math.min(present.size, most) : most);
  }
  let missing = total - claims.reduce((sum, { count }) => sum + count, 0);
  for (const claim of claims) {
    const more = Math.max(Math.min(claim.most - claim.count, missing), 0);
    claim.count += more;
    missing -= more;
  }
  return claims.map(({ count, reserved }) => ({ count, reserved }));
}

/** How many of its pods count, others aside that it gets: all, if nothing is known against it. */
function roomOf({ size, stuck, isTrusted }: PresentSubset): number {
  return isTrusted ? Infinity : Math.max(size - stuck, 0);
}
