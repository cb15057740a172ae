/**
 * The first units that may be updated at once (OpenKruise workloads, rule 6.5 step 5). An available unit uses up one of
 * `maxUnavailable`; an unavailable one uses up nothing, as it is counted already. The selection stops at the first unit that
 * does not fit, and skips none, so that the order decides.
 *
 * @param inOrder the units, in update order
 * @param unavailable how many of all units are unavailable now
 */
export function withinBudget<Unit>(
  inOrder: readonly Unit[],
  isAvailable: (unit: Unit) => boolean,
  { unavailable, maxUnavailable }: { unavailable: number; maxUnavailable: number },
): Unit[] {
  let left = maxUnavailable - unavailable;
  const taken: Unit[] = [];
  for (const unit of inOrder) {
    if (isAvailable(unit)) {
      if (left <= 0) break;
      left--;
    }
    taken.push(unit);
  }
  return taken;
}
