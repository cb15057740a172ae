/** What limits how many of some pods may be unavailable at once, whoever makes them so. */
export interface DisruptionLimit {
  /** Its kind, namespace and name, for explanations. */
  name: string;
  /** The most of its pods that may be unavailable. */
  most: number;
  /** The names of those that are, or are about to be; the first is named in explanations. */
  unavailable: readonly string[];
  /** How many are available, as a clause, where it does not know which are not: `4 of 5 are available`. */
  present?: string;
  /** How many more pods may become unavailable. Negative: more are unavailable than may be. */
  left: number;
}

/** A pod that waits for its limit, or for another update of it. */
export interface WaitingUnit<Unit> {
  unit: Unit;
  /** As a clause: `Deployment shop/web allows 1 unavailable pod, and web-x is unavailable`. */
  reason: string;
}

/** What the selection needs to know of a pod. */
export interface UnitState<Unit> {
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
  { isReserved, limitsOf }: UnitState<Unit>,
): { free: Unit[]; waiting: WaitingUnit<Unit>[] } {
  const leftAfter = new Map<DisruptionLimit, number>();
  const leftOf = (limit: DisruptionLimit): number => leftAfter.get(limit) ?? limit.left;
  const free: Unit[] = [];
  const waiting: WaitingUnit<Unit>[] = [];
  for (const unit of inOrder) {
    if (isReserved(unit)) {
      waiting.push({ unit, reason: 'another update of it has begun' });
      continue;
    }
    const limits = limitsOf(unit);
    const full = limits.find((limit) => leftOf(limit) <= 0);
    if (full === undefined) {
      for (const limit of limits) leftAfter.set(limit, leftOf(limit) - 1);
      free.push(unit);
    } else waiting.push({ unit, reason: reasonOf(full) });
  }
  return { free, waiting };
}

function reasonOf({ name, most, unavailable, present }: DisruptionLimit): string {
  const pods = most === 1 ? '1 unavailable pod' : `${Math.max(most, 0)} unavailable pods`;
  const [first] = unavailable;
  if (first === undefined) return `${name} allows ${pods}${present === undefined ? '' : `, and ${present}`}`;
  const others = unavailable.length - 1;
  const are = others === 0 ? `${first} is` : `${first} and ${others} more are`;
  return `${name} allows ${pods}, and ${are} unavailable`;
}
