import type { ChildRow } from './units.ts';

/** What a child has of the pods that a step allows. */
export interface Part {
  /** How many pods it may have now: fewer than are allocated only where it changes as a whole, and is on the new revision. */
  size: number;
  /** How many of them may be on the new revision. */
  allowed: number;
  /** It is taken to the new revision, be it with no pod: its template is the new one. */
  isTaken: boolean;
}

/** A child while the allowed pods are split. */
interface Claim {
  child: ChildRow;
  /** It may have no more. */
  most: number;
  /** All of its pods are within what the step is for, how many these may become. */
  isWithin: boolean;
  /** Its part so far. */
  allowed: number;
  /** How many of its pods are on the new revision, or may get there before it observes what it is given now. */
  committed: number;
}

/**
 * Splits the pods that a step allows over the children.
 *
 * A child keeps what it has been given. What is left goes to those that can stop within themselves, in their order; then to those
 * that change as a whole, the smallest first, as far as all of their pods fit. So a higher step never takes a pod from a child.
 *
 * Example: zones of 5, 3 and 2 pods. `20%` allows 2 pods: 2, 0, 0. `50%`: 5, 0, 0. `100%`: 5, 3, 2.
 *
 * Example: the zone of 5 changes as a whole. `20%`: 0, 2, 0. `50%`: 0, 3, 2. `80%`: 0, 3, 2, as 3 pods more are not 5. `100%`:
 * 5, 3, 2. If all three do, it is 0, 0, 2, then 0, 3, 2, and at last 5, 3, 2.
 *
 * A part is given to another child only once the one that had it has observed that, and has no more pods there. And a child that
 * changes as a whole makes all new pods on the new revision once it is there: it gets no more pods than fit. So one that has no pods is
 * not taken, and goes back before it gets some that are not part of the step.
 *
 * Example: `50%` of 10 pods allows 5, and the zone of 5 has them. The allocator moves two of its pods to the zone of 3: 3, 0, 0 until
 * the first one has 3 pods there, and then 3, 2, 0.
 *
 * @param most how many pods may be on the new revision
 * @param goal hash of the new revision
 * @param within the most of them of each child, by name; undefined: any child may have all of its pods there
 * @returns the part of each child, by name
 */
export function partsOf(
  most: number | 'unbounded',
  goal: string,
  children: readonly ChildRow[],
  within?: ReadonlyMap<string, number>,
): ReadonlyMap<string, Part> {
  if (most === 'unbounded' && within === undefined)
    return new Map(children.map(({ name, size }) => [name, { size, allowed: size, isTaken: true }]));
  const limit = most === 'unbounded' ? children.reduce((sum, { size }) => sum + size, 0) : most;
  const isForAll = within === undefined && isAllOf(limit, children);
  const claims = children.map((child): Claim => {
    const own = within === undefined ? child.size : Math.min(within.get(child.name) ?? 0, child.size);
    const isWithin = isForAll || (within !== undefined && own === child.size);
    return { child, most: own, isWithin, allowed: 0, committed: committedTo(goal, child) };
  });
  return split(limit, goal, claims);
}

/** How many pods the children can have on a revision, of so many that are allowed, once all of them have observed their part. */
export function reachableIn(most: number, goal: string, children: readonly ChildRow[]): number {
  const isWithin = isAllOf(most, children);
  const claims = children.map((child): Claim => ({
    ...{ child, isWithin },
    ...{ most: child.size, allowed: 0, committed: 0 },
  }));
  return [...split(most, goal, claims).values()].reduce((sum, { allowed }) => sum + allowed, 0);
}

function split(most: number, goal: string, claims: readonly Claim[]): ReadonlyMap<string, Part> {
  const roomOf = (claim: Claim): number =>
    most - claims.reduce((sum, other) => (other === claim ? sum : sum + usedBy(other)), 0);
  const [partly, whole] = [claims.filter(isPartly), claims.filter((claim) => !isPartly(claim))];
  const stays = (claim: Claim): boolean => isOn(goal)(claim) && (claim.isWithin || !isEmpty(claim));
  const [there, others] = [whole.filter(stays), whole.filter((claim) => !stays(claim))];
  // What is there as a whole stays there, whether it fits or not.
  for (const claim of there) claim.allowed = Math.min(claim.child.size, givenOf(goal, claim.child));
  let left = most - there.reduce((sum, { allowed }) => sum + allowed, 0);
  for (const claim of partly) {
    claim.allowed = Math.max(Math.min(claim.most, givenOf(goal, claim.child), left), 0);
    left -= claim.allowed;
  }
  for (const claim of [...partly, ...there])
    claim.allowed = Math.max(claim.allowed, Math.min(claim.most, roomOf(claim)));
  const taken = new Set([...partly.filter(isOn(goal)), ...there]);
  for (const claim of [...others].sort((a, b) => a.child.size - b.child.size)) {
    if (claim.child.size === 0 || claim.most < claim.child.size) continue;
    if (claim.child.size > roomOf(claim)) break;
    claim.allowed = claim.child.size;
    taken.add(claim);
  }
  return new Map(
    claims.map((claim) => {
      const { child, allowed } = claim;
      const size = there.includes(claim) ? allowed : child.size;
      return [child.name, { size, allowed, isTaken: allowed > 0 || taken.has(claim) }];
    }),
  );
}

function isPartly({ child }: Claim): boolean {
  return child.steps === 'partly';
}

function isOn(goal: string): (claim: Claim) => boolean {
  return ({ child }) => child.given?.goal === goal;
}

/** It has no pods, and may get none before it observes what it is given now: its template may change, and no pod does. */
function isEmpty({ child: { pods, given }, committed }: Claim): boolean {
  return pods.length === 0 && committed === 0 && (given?.allowed ?? 0) === 0;
}

function isAllOf(most: number, children: readonly ChildRow[]): boolean {
  return most >= children.reduce((sum, { size }) => sum + size, 0);
}

function givenOf(goal: string, { given }: ChildRow): number {
  return given?.goal === goal ? given.allowed : 0;
}

function usedBy({ allowed, committed }: Claim): number {
  return Math.max(allowed, committed);
}

/** Until a child has observed its part, it may be following an earlier one. One that others have changed may be anywhere. */
function committedTo(goal: string, { pods, given, isObserved }: ChildRow): number {
  if (given === undefined) return countOf(pods);
  const there = countOf(pods.filter(({ hash }) => hash === goal));
  if (given.goal !== goal) return there;
  return Math.max(there, isObserved ? given.allowed : given.atMost);
}

function countOf(pods: ChildRow['pods']): number {
  return pods.reduce((sum, { count }) => sum + count, 0);
}
