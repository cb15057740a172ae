import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { baselineOf } from './baseline.ts';
import type { Accepted } from './memory.ts';
import type { PodRow } from './pod-row.ts';
import type { RolloutView } from './rollout-view.ts';
import type { TickUnits } from './units.ts';
import { podsAt } from './pods-at.ts';
import { atRest, inProgress, type StepJudgment, timedOut } from './step.ts';

/**
 * Judges an update step of a schedule. It is done when as many ticks have succeeded as it leads to, and fails with the first
 * tick that fails. There is no deadline but the `timeout` of the step: the next time may be a month away.
 */
export function judgeTicks(
  view: RolloutView<TickUnits>,
  accepted: Accepted,
  step: Step,
  now: number,
): StepJudgment {
  const { progress, spec } = accepted;
  // The revision is recorded as stable before the plan's progress, and its ticks count no more: a runtime may have ended between.
  if (view.stable === spec.to.hash) return { is: 'done' };
  const ticks = podsAt(view, spec.to.hash);
  const { wasBroken, isExcused } = baselineOf(progress);
  const failed = ticks.find((tick) => hasFailed(tick) && !wasBroken(tick) && !isExcused(tick));
  if (failed !== undefined) {
    const message = `${step.id}: ${failed.name} ${failed.problem ?? ''}`;
    return { is: 'failed', reason: 'Breach', message };
  }
  const wanted = ticksAt(accepted, progress.step);
  const succeeded = ticks.filter(({ available }) => available).length;
  if (succeeded >= wanted && succeeded > 0) return { is: 'done' };
  const waitingOn = `ticks: ${succeeded} of ${wanted} have succeeded`;
  const judged = timedOut(step, progress) ?? inProgress(waitingOn, step, progress, now);
  const { nextAt } = view.units;
  return judged.is !== 'underway' || nextAt === undefined ? judged : atRest({ ...judged, beginsAt: nextAt });
}

/**
 * The number of ticks that a plan leads to with a step. Other percentages than 100 say nothing about ticks, and add none.
 *
 * Example: the steps `1`, `3`, `100%` lead to 1, 3 and 4 ticks.
 */
export function ticksAt({ spec }: Accepted, step: number): number {
  let ticks = 0;
  for (const { update } of spec.steps.slice(0, step + 1)) {
    if (update === undefined) continue;
    if (update.to === '100%') ticks += 1;
    else ticks = Math.max(ticks, typeof update.to === 'number' ? update.to : 0, update.atLeast ?? 0);
  }
  return ticks;
}

/** A tick that runs has no problem. */
function hasFailed({ available, problem }: PodRow): boolean {
  return !available && problem !== undefined;
}
