import { wasReady } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';

/**
 * The units of a way back whose pod stays, was ready there, and is not any more: they use none of the budget. What breaks these is not
 * that they are taken back, and a bad change must not stay on all others for it. At most a tenth of all units is excused so, at least one:
 * if more are broken, the revision that the others go to may be why.
 *
 * Example: of ten pods five have the change, one at a time may be unavailable, and the plan fails. A pod crashes that never had the change,
 * or that is back already: the other pods go on, and at the end the way back waits for that one.
 *
 * @param units those that use budget, in an order that stays
 * @param stayingPod the pod of a unit, if it is where it is to stay, alone; undefined: it is not
 * @param size how many units there are
 */
export function brokenAlone<Unit>(
  units: readonly Unit[],
  stayingPod: (unit: Unit) => Pod | undefined,
  { size, isAvailable }: { size: number; isAvailable: (pod: Pod) => boolean },
): Unit[] {
  const found = units.filter((unit) => {
    const pod = stayingPod(unit);
    return pod !== undefined && !isAvailable(pod) && wasReady(pod);
  });
  return found.slice(0, Math.max(Math.floor(size / 10), 1));
}
