import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { Progress } from './memory.ts';
import type { RolloutView } from './rollout-view.ts';

/**
 * The failed pods of a run when its plan starts or is resumed: they are deleted, and their nodes run again. What fails later
 * fails the step.
 */
export function rerunOf({ units, liveHash }: RolloutView, to: string): Pick<Progress, 'rerun'> {
  if (units.of !== 'run' || to !== liveHash || units.failed.length === 0) return {};
  return { rerun: units.failed.map(({ uid }) => uid).sort() };
}

/** From when on a run that has finished on some units is judged, when its plan starts or is resumed. */
export function judgedFromNow({ units }: RolloutView, now: number): Pick<Progress, 'judgedFrom'> {
  return units.of !== 'run' || units.finished === 0 ? {} : { judgedFrom: now };
}

/** A plan that continues a running one reruns what that one does, and nothing else. */
export function continuedRerun({ rerun, judgedFrom }: Progress): {
  rerun: string[] | undefined;
  judgedFrom: number | undefined;
} {
  return { rerun, judgedFrom };
}

/** On how many units a run had finished before another attempt, which runs only what is left, and is judged from then on. */
export function finishedBefore(
  { units }: RolloutView,
  { attempt = 1 }: Pick<RolloutPlanSpec, 'attempt'>,
  now: number,
): Pick<Progress, 'finishedBefore' | 'judgedFrom'> {
  return units.of !== 'run' || attempt === 1 || units.finished === 0
    ? {}
    : { finishedBefore: units.finished, judgedFrom: now };
}
