import { isBeingUpdated } from '../lifecycle/states.ts';
import type { Envelope } from '../plan/envelope.ts';
import { isLater } from '../plan/later-pods.ts';
import { factsOf } from '../pod/facts.ts';
import { hasForeignCause } from '../pod/foreign-cause.ts';
import { updatedInPlaceAt } from '../pod/in-place.ts';
import { wasReady } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { revisionOf } from '../revision/revision.ts';
import { declaredBy } from './declared.ts';
import type { Workload } from './view.ts';

/**
 * The units of a way back whose pod stays, was there before it began, was ready, and is not any more: they hold up no update of others.
 * What breaks these is not that they are taken back, and a bad change must not stay on all others for it. A pod that the way back has taken
 * itself is none of them: the revision that the others go to may be why it breaks. Nor is one that is being updated, or that another
 * updater keeps from being available. At most a tenth of all units is excused so, at least one.
 *
 * Example: of ten pods five have the change, one at a time may be unavailable, and the plan fails. A pod crashes that never had the change:
 * the others go on, and at the end the way back waits for that one. One crashes that is back already: the others wait.
 *
 * @param units those that use budget, in an order that stays
 * @param stayingPod the pod of a unit, if it is where it is to stay, alone; undefined: it is not
 * @param size how many units there are
 */
export function brokenAlone<Unit>(
  { view, back }: { view: Workload; back: Envelope['back'] },
  units: readonly Unit[],
  stayingPod: (unit: Unit) => Pod | undefined,
  { size, isAvailable, now }: { size: number; isAvailable: (pod: Pod) => boolean; now: number },
): Unit[] {
  const since = back?.since;
  if (since === undefined) return [];
  const isUntouched = (pod: Pod): boolean => {
    const changed = { createdAt: factsOf(pod).createdAt, updatedAt: updatedInPlaceAt(pod) ?? 0 };
    return !isLater(changed, since) && !isBeingUpdated(pod);
  };
  const isForeign = (pod: Pod): boolean =>
    hasForeignCause(pod, declaredBy(revisionOf(view, view.hashOf(pod))), now);
  const found = units.filter((unit) => {
    const pod = stayingPod(unit);
    return pod !== undefined && !isAvailable(pod) && wasReady(pod) && isUntouched(pod) && !isForeign(pod);
  });
  return found.slice(0, Math.max(Math.floor(size / 10), 1));
}
