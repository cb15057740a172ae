import type { SidecarSetStatus } from '../../schemas/generated/types/sidecarset.ts';
import { heldCondition, timed } from '../conditions/times.ts';
import { collisionCount } from '../revision/collisions.ts';
import { revisionOf } from '../revision/revision.ts';
import { hotCondition } from './hot-condition.ts';
import { leftOutCondition, podsLeftOut } from './left-out.ts';
import { missedCondition } from './missed.ts';
import { newPodsCondition } from './new-pods-condition.ts';
import { isWhole } from './unit.ts';
import type { SidecarSetView } from './view.ts';

/** The whole desired status (OpenKruise sidecarset, section 3), of the pods as observed before this decision. */
export function sidecarSetStatus(
  view: SidecarSetView,
  held: { reason: string; message: string } | undefined,
  now: number,
): SidecarSetStatus {
  const { units, hashes, target, missed } = view;
  const before = (target['status'] ?? {}) as SidecarSetStatus;
  const updated = units.filter(({ record }) => record.hash === hashes.hash);
  const shown = [
    heldCondition(held),
    missedCondition(missed),
    leftOutCondition(podsLeftOut(view)),
    newPodsCondition(view),
    hotCondition(units),
  ];
  const conditions = timed(shown, before.conditions, now);
  return {
    observedGeneration: target.metadata.generation ?? 0,
    matchedPods: units.length,
    updatedPods: updated.length,
    readyPods: units.filter(isWhole).length,
    updatedReadyPods: updated.filter(isWhole).length,
    latestRevision: revisionOf(view, view.liveHash)?.name ?? '',
    collisionCount: collisionCount(view) ?? 0,
    ...(conditions.length > 0 && { conditions }),
  };
}
