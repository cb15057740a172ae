import type { PlannedKind, ObservedObjects, RolloutSnapshot } from '../kinds/kind.ts';
import { type Accepted, activePlan } from '../plan/memory.ts';
import type { Command } from '../plan/advance-input.ts';
import { isHeld } from '../plan/window.ts';
import { recordedOf, underRecorded } from '../limits/recorded.ts';

/**
 * Observes a target as the plan that it is under holds it: with the order and the minReadySeconds that are recorded, until the
 * plan has ended. A plan that is accepted meanwhile records what the manifest has. An invalid manifest stays as it is, as the
 * recorded order must not hide what git has to correct. A deadline counts the seconds that are held beyond those of the manifest,
 * which it may have been lowered with. BreakGlass suspends every plan, and all that they have recorded: the manifest holds alone.
 *
 * @param memory the accepted plans of the target
 * @param breakGlass the BreakGlass command in effect
 */
export function observeHeld(
  kind: PlannedKind,
  objects: ObservedObjects,
  memory: readonly Accepted[],
  breakGlass?: Command,
): RolloutSnapshot {
  const progress = breakGlass === undefined ? activePlan(memory)?.progress : undefined;
  const recorded = progress !== undefined && isHeld(progress.phase) ? progress.recorded : undefined;
  const { limits } = kind;
  const target = recorded === undefined ? objects.target : underRecorded(limits, objects.target, recorded);
  if (target === objects.target || kind.validate(objects.target).length > 0) return kind.observe(objects);
  const snapshot = kind.observe({ ...objects, target });
  const { rollout } = snapshot;
  const present = recordedOf(limits, objects.target);
  const own = { ...rollout.limits, recorded: () => present };
  const { progressDeadlineSeconds: deadline, minReadySeconds } = rollout;
  const longer = minReadySeconds - Math.max(present.minReadySeconds ?? 0, 0);
  const progressDeadlineSeconds = deadline === undefined || longer <= 0 ? deadline : deadline + longer;
  return { ...snapshot, rollout: { ...rollout, limits: own, progressDeadlineSeconds } };
}
