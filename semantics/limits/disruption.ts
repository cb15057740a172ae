import type { KubeObject } from '../../schemas/wire/object.ts';

/** What limits how many of some pods may be unavailable at once, whoever makes them so. */
export interface DisruptionLimit {
  /** Its kind, namespace and name, for explanations. */
  name: string;
  /** The most of its pods that may be unavailable. */
  most: number;
  /** What it allows in words that stay true while `most` follows the pods that happen to be observed. Default: `most` seldom changes. */
  lasting?: string;
  /** The names of those that are, or are about to be; the first is named in explanations. */
  unavailable: readonly string[];
  /** How many are available, as a clause, for explanations where none of the others has a name: `4 of 5 are available`. */
  present?: string;
  /** How many more pods may become unavailable. Negative: more are unavailable than may be. */
  left: number;
  /** A PodDisruptionBudget whose counts say how many are left. Default: none does. */
  guard?: KubeObject;
}

/** A pod that waits for its limit, or for another update of it. */
export interface WaitingUnit<Unit> {
  unit: Unit;
  /** As a clause: `Deployment shop/web allows 1 unavailable pod, and web-x is unavailable`. */
  reason: string;
  /** Its limits that have nothing left; none: it waits for something else. */
  full: readonly DisruptionLimit[];
}

/** What the selection needs to know of a pod. */
export interface UnitState<Unit> {
  /** The name of its pod, for explanations. */
  nameOf(unit: Unit): string;
  /** Another updater has decided on a write of it, which is not observed yet. */
  isReserved(unit: Unit): boolean;
  /** Every limit that counts it as available now. Units of one limit get the same object. */
  limitsOf(unit: Unit): readonly DisruptionLimit[];
}

/**
 * The units that may be made unavailable now, in order, and why each other one waits. A unit that is unavailable uses up
 * nothing, as its limits have counted it. One that waits does not hold up the units of other limits.
 */
export function withinLimits<Unit>(
  inOrder: readonly Unit[],
  { nameOf, isReserved, limitsOf }: UnitState<Unit>,
): { free: Unit[]; waiting: WaitingUnit<Unit>[] } {
  const taken = new Map<DisruptionLimit, string[]>();
  const takenOf = (limit: DisruptionLimit): readonly string[] => taken.get(limit) ?? [];
  const free: Unit[] = [];
  const waiting: WaitingUnit<Unit>[] = [];
  for (const unit of inOrder) {
    if (isReserved(unit)) {
      waiting.push({ unit, reason: 'another update of it has begun', full: [] });
      continue;
    }
    const limits = limitsOf(unit);
    const full = limits.filter((limit) => limit.left - takenOf(limit).length <= 0);
    const [first] = full;
    if (first === undefined) {
      for (const limit of limits) append(taken, limit, nameOf(unit));
      free.push(unit);
    } else waiting.push({ unit, reason: reasonOf(first, takenOf(first)), full });
  }
  return { free, waiting };
}

function append(lists: Map<DisruptionLimit, string[]>, limit: DisruptionLimit, name: string): void {
  const list = lists.get(limit);
  if (list === undefined) lists.set(limit, [name]);
  else list.push(name);
}

/**
 * What a unit waits for: the pods that are unavailable, and those that are changed before it. Only where neither has a name, how many are
 * available; with a limit of none that is no reason.
 */
function reasonOf(limit: DisruptionLimit, first: readonly string[]): string {
  const { most, unavailable, present } = limit;
  const clauses = [
    ...subjectOf(unavailable).map((subject) => `${subject} unavailable`),
    ...subjectOf(first).map((subject) => `${subject} changed first`),
  ];
  if (clauses.length === 0 && present !== undefined && most > 0) clauses.push(present);
  return [limitText(limit), ...clauses].join(', and ');
}

/** What a limit allows, as a clause: `Deployment shop/web allows 1 unavailable pod`. */
export function limitText({ name, most }: Pick<DisruptionLimit, 'name' | 'most'>): string {
  return `${name} allows ${most === 1 ? '1 unavailable pod' : `${Math.max(most, 0)} unavailable pods`}`;
}

/** The same in words that no pod changes that comes or goes, for a status: each of thousands of pods that wait would write it anew. */
export function lastingText(limit: Pick<DisruptionLimit, 'name' | 'most' | 'lasting'>): string {
  return limit.lasting === undefined ? limitText(limit) : `${limit.name} allows ${limit.lasting}`;
}

/** The first of these pods, how many others there are, and the verb; none for no pod. Each pod that waits asks: no list is copied. */
function subjectOf(names: readonly string[]): string[] {
  const [first] = names;
  if (first === undefined) return [];
  return [names.length === 1 ? `${first} is` : `${first} and ${names.length - 1} more are`];
}
