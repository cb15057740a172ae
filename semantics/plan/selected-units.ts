import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { AdvanceInput } from './advance-input.ts';
import { countText } from '../values/text.ts';
import { missingPods } from './breach.ts';
import { followReplicas } from './follow-size.ts';
import type { Accepted, Progress } from './memory.ts';
import { opensToNewPods } from './new-pods.ts';
import { isCompleteOn, onRevisions } from './on-revisions.ts';
import { podsAt } from './pods-at.ts';
import { isForSelectionAlone, opensSelection } from './selection-bound.ts';
import { allowedWith } from './owned-units.ts';
import { wantedPodsAt } from './revision-sizes.ts';
import type { RolloutView, UnitRules } from './rollout-view.ts';
import type { StepJudgment } from './step.ts';
import { judgeUpdate } from './update-step.ts';
import type { SelectedUnits } from './units.ts';

/** Pods that others create and delete: they come and go for reasons that are none of the plan's. */
export const selectedRules: UnitRules<SelectedUnits> = {
  ...onRevisions,
  isComplete: (view, spec) =>
    !opensToNewPods(view, spec) && !opensSelection(view, spec) && isCompleteOn(view, spec),
  judge: (view, accepted, step, context, now) =>
    isForNewPodsAlone(view, accepted.spec) ? { is: 'done' } : judgeUpdate(view, accepted, step, context, now),
  missing: (view, accepted) =>
    mostlyMissing(view, accepted, wantedPodsAt(view, accepted, accepted.progress.step)),
  withClocks: (view, accepted, judged) =>
    withoutMissed(view, accepted, awaitingLeftOut(view, accepted, judged)),
  // Pods that are missing right now may come back (`followSelected`).
  atStart: ({ replicas, units: { missed } }, before) => ({
    frozenN: Math.max(replicas, before?.frozenN ?? 0),
    missed,
  }),
  follow: (view, accepted, times) => followSelected(view, accepted, allowedWith(view, accepted), times),
};

/** Whether no pod is left to update, and the plan is for new pods that the record has kept from it. Its gates hold. */
function isForNewPodsAlone(view: RolloutView, spec: RolloutPlanSpec): boolean {
  if (isForSelectionAlone(view, spec)) return true;
  return opensToNewPods(view, spec) && podsAt(view, spec.to.hash).length === view.pods.length;
}

/** Nine tenths of the wanted pods are enough, rounded in their favor: of 19, one may be missing, of 9 none. */
export function mostlyMissing(
  view: RolloutView,
  accepted: Accepted,
  wanted: number,
): StepJudgment | undefined {
  return missingPods(view, accepted, wanted, Math.floor(wanted / 10));
}

/** The last step is not done while no rollout can take too many pods. That is no fault of the change, so that no clock runs. */
function awaitingLeftOut(
  { units: { tooManyLeftOut } }: RolloutView<SelectedUnits>,
  { spec, progress }: Accepted,
  judged: StepJudgment,
): StepJudgment {
  const isLast = progress.step === spec.steps.length - 1;
  if (judged.is !== 'done' || !isLast || tooManyLeftOut === undefined) return judged;
  const { count, first } = tooManyLeftOut;
  return {
    is: 'underway',
    waitingOn: `${countText(count, 'pod')} that no rollout can take, too many to succeed without, such as ${first}`,
  };
}

/**
 * Stops the clocks while more pods have nothing of the target than when the step started: time proves nothing about those. Where the
 * step itself lets running pods in, their number says nothing.
 */
function withoutMissed(
  { units }: RolloutView<SelectedUnits>,
  { spec, progress }: Accepted,
  judged: StepJudgment,
): StepJudgment {
  if (spec.to.bound.selection !== undefined && progress.step === spec.steps.length - 1) return judged;
  const more = units.missed - (progress.missed ?? 0);
  if (more <= 0 || judged.is !== 'underway' || judged.counting === undefined) return judged;
  const { counting: _counting, doneAt: _doneAt, failsAt: _failsAt, ...rest } = judged;
  const pods = more === 1 ? '1 pod that was' : `${more} pods that were`;
  return { ...rest, waitingOn: `${judged.waitingOn}, and ${pods} created without its containers` };
}

/** Pods of others may be gone for a while: only ten minutes at a lower number narrow the step, and only to the most since. */
const FEWER_FOR_MS = 10 * 60_000;

/**
 * The frozen number follows a lower number of pods of others only after ten minutes in which the runtime has watched: in minutes
 * in which nobody watched they may have been there.
 *
 * Example: 40 pods, frozen at 40. A zone fails and 25 are left: `fewer` records 25. After six minutes there are 32, which is
 * recorded as the most since. After ten minutes the step is of 32.
 */
export function followSelected(
  view: RolloutView,
  { progress: recorded }: Accepted,
  allowed: (frozenN: number) => number,
  { inSyncSince, now }: Pick<AdvanceInput, 'inSyncSince' | 'now'>,
): Progress | undefined {
  const { fewer, ...progress } = recorded;
  if (view.replicas === 0) return undefined;
  if (progress.frozenN > 0 && view.replicas >= progress.frozenN)
    return fewer === undefined ? undefined : progress;
  const followed = followReplicas(view, { progress: recorded }, allowed);
  if (followed === undefined || followed.frozenN > progress.frozenN) return followed;
  const most = Math.max(fewer?.n ?? 0, followed.frozenN);
  const since = fewer?.since ?? now;
  if (now - Math.max(since, inSyncSince) >= FEWER_FOR_MS) return { ...progress, frozenN: most };
  return fewer?.n === most ? undefined : { ...progress, fewer: { n: most, since } };
}
