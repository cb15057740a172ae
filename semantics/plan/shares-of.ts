import type { Limits } from '../limits/window.ts';
import { partsOf } from './child-parts.ts';
import type { Envelope } from './envelope.ts';
import type { Share, SharedPart, ShareWindow } from './share.ts';
import type { ChildRow } from './units.ts';

const FIELDS = ['maxUnavailable', 'maxSurge'] as const;

/**
 * Splits the envelope of a root over its children, as they are now. Revisions of the shares are those of the root.
 *
 * The limits are for all children together: pods that are unavailable or extra anywhere count, and what is left of a limit goes to
 * the first children in order that have pods to update, each as much as its own limits let it use. So it may take one zone after the
 * other, and never more at a time. Those that change as a whole go one after the other, and back all at once.
 *
 * Example: zones of 5, 3 and 2 pods, and `maxUnavailable: 2`. A pod of the second zone is broken. While the first one is updated,
 * it has one, the second zone has the one for its broken pod, and the third waits.
 *
 * @param limits the lower of the root's own limits and those of the envelope, as counts; none: nothing limits how many pods of the
 *   children are updated at once
 * @param ownOf the limits of a child itself, as counts of its pods; none: it has no such limit
 *
 * Example: three zones of 4 pods, with `25%` of each and of all. Of the 3 pods that may be unavailable, each zone has one.
 */
export function sharesOf(
  envelope: Pick<Envelope, 'goal' | 'stable' | 'allowed' | 'moving' | 'mode' | 'within'>,
  limits: Limits,
  children: readonly ChildRow[],
  ownOf: (child: ChildRow) => Limits,
): ReadonlyMap<string, SharedPart> {
  const { goal, stable, mode } = envelope;
  const within = envelope.within && new Map(Object.entries(envelope.within));
  const parts = partsOf(envelope.allowed, goal, children, within);
  const left = Object.fromEntries(
    FIELDS.map((field) => [field, (limits[field]?.count ?? Infinity) - sum(children, used[field])]),
  ) as Record<(typeof FIELDS)[number], number>;
  const shares = new Map<string, SharedPart>();
  // Nothing limits how many pods of one that changes as a whole go at a time but itself, so that the next one waits for it.
  let isOneGoing = goal !== stable && children.some((child) => isGoing(child, goal));
  for (const child of children) {
    const part = parts.get(child.name);
    if (part === undefined) continue;
    const rest = restOf(child, stable);
    const to = part.isTaken ? goal : stable;
    const allowed = part.isTaken ? part.allowed : rest.allowed;
    const pending = Math.min(allowed - countAt(child, to), countAway(child, to));
    const window: ShareWindow = {};
    // On the way forward only what a step takes moves: pods on a revision between stay for their own step.
    const isNext = child.steps === 'partly' || child.given?.goal === to || !isOneGoing;
    const hasMore = pending > 0 || (child.steps === 'whole' && isElsewhere(child, to));
    const mayMove = envelope.moving && hasMore && (part.isTaken || goal === stable) && isNext;
    isOneGoing ||= mayMove && goal !== stable && child.steps === 'whole';
    const own = mayMove ? ownOf(child) : {};
    let isMoving = mayMove && FIELDS.every((field) => limits[field] === undefined);
    for (const field of FIELDS) {
      if (limits[field] === undefined || !mayMove) continue;
      const usable = (own[field]?.count ?? Infinity) - used[field](child);
      const more = Math.max(Math.min(pending, left[field], usable), 0);
      left[field] -= more;
      window[field] = used[field](child) + more;
      isMoving ||= window[field] > 0;
    }
    const moves = { moving: isMoving, window: isMoving ? window : {} };
    // A rollout that takes a child on counts all of its other pods as on the stable revision.
    const from = part.isTaken && goal !== stable ? stable : rest.stable;
    const share = { goal: to, stable: from, allowed, mode, ...moves };
    shares.set(child.name, { size: part.size, share: isMoving ? share : stayingShare(child, share, goal) });
  }
  return shares;
}

/** What a child has that no step takes: its pods are on the stable revision, but for those that a bound has left elsewhere. */
function restOf({ size, left }: ChildRow, stable: string): Pick<Share, 'stable' | 'allowed'> {
  if (left === undefined || left.hash === stable) return { stable, allowed: size };
  return { stable: left.hash, allowed: Math.max(size - left.n, 0) };
}

/**
 * Whether a child has pods to take to a revision, or would make its next one elsewhere. With extra pods it may have as many as it needs
 * there, and others all the same; and while it can make none, all are still where they were.
 */
function isElsewhere(child: ChildRow, to: string): boolean {
  return countAway(child, to) > 0 || (child.given !== undefined && child.given.goal !== to);
}

/**
 * The share of a child that is not moving. One that changes as a whole stays on the revision that it was given, as with another
 * template all of its pods go. It goes back where none does: with those that it gets later it would be on a revision that it is to leave.
 */
function stayingShare(child: ChildRow, share: Share, rootGoal: string): Share {
  const { goal, stable } = share;
  const given = child.given?.goal ?? stable;
  const hasNone = child.pods.length === 0 && (child.given?.allowed ?? 0) > 0;
  // Of one that has lost all of its pods for a moment, as many are about to come back where they were.
  const movesNone = countAway(child, stable) === 0 && (rootGoal === stable || !hasNone);
  if (child.steps === 'partly' || goal === given || (goal === stable && movesNone)) return share;
  return { ...share, goal: given, allowed: child.size };
}

/** Whether a child that changes as a whole is on its way: not all of its pods are available on the new revision. */
function isGoing(child: ChildRow, goal: string): boolean {
  const isThere = child.isObserved && countAway(child, goal) === 0 && used.maxUnavailable(child) === 0;
  return child.steps === 'whole' && child.given?.goal === goal && !isThere;
}

/** How much of a limit a child uses now. */
const used: Record<(typeof FIELDS)[number], (child: ChildRow) => number> = {
  maxUnavailable: ({ size, pods }) => Math.max(size - sum(pods, ({ available }) => available), 0),
  maxSurge: ({ size, pods }) => Math.max(sum(pods, ({ count }) => count) - size, 0),
};

function countAt({ pods }: ChildRow, goal: string): number {
  return sum(pods, ({ hash, count }) => (hash === goal ? count : 0));
}

function countAway({ pods }: ChildRow, goal: string): number {
  return sum(pods, ({ hash, count }) => (hash === goal ? 0 : count));
}

function sum<Each>(all: readonly Each[], of: (each: Each) => number): number {
  return all.reduce((total, each) => total + of(each), 0);
}
