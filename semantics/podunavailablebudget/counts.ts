import { scaleIntOrPercent } from '../values/int-or-percent.ts';
import type { Limit } from './normalize.ts';

/** The total where nothing says how many pods there are to be (OpenKruise podunavailablebudget, section 3). */
export const UNKNOWN_TOTAL = -1;

/**
 * How many pods must stay available, at least 0. Percentages round up: of maxUnavailable that lets one more be unavailable, of
 * minAvailable one less (OpenKruise podunavailablebudget, section 3).
 */
export function desiredAvailable(limit: Limit | undefined, total: number): number {
  if (limit === undefined) return 0;
  const pods = scaleIntOrPercent(limit.value, total, 'up');
  return Math.max(limit.field === 'maxUnavailable' ? total - pods : pods, 0);
}

/** How many more pods may become unavailable. */
export function unavailableAllowed(current: number, desired: number): number {
  return Math.max(current - desired, 0);
}
