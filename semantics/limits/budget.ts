/**
 * The first of these units that may be taken at once. One that is available uses up one of what may be unavailable; one that
 * is not uses up nothing, because it is counted already. The walk stops where nothing is left, and never skips: so the order
 * decides (OpenKruise workloads, rule 6.5 step 5).
 *
 * @param inOrder the first one is taken first
 * @param unavailable how many are, over all units
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
