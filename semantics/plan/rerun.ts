import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { Progress } from './memory.ts';
import type { RolloutView } from './rollout-view.ts';

/**
 * The failed pods of a run when its plan starts or is resumed: they are deleted, and their nodes run again. What fails later
 * fails the step.
 */
export function rerunOf({ run, liveHash }: RolloutView, to: string): Pick<Progress, 'rerun'> {
  if (run === undefined || to !== liveHash || run.failed.length === 0) return {};
  return { rerun: run.failed.map(({ uid }) => uid).sort() };
}

/** From when on a run that has finished on some units is judged, when its plan starts or is resumed. */
export function judgedFromNow({ run }: RolloutView, now: number): Pick<Progress, 'judgedFrom'> {
  return run === undefined || run.finished === 0 ? {} : { judgedFrom: now };
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
  { run }: RolloutView,
  { attempt = 1 }: Pick<RolloutPlanSpec, 'attempt'>,
  now: number,
): Pick<Progress, 'finishedBefore' | 'judgedFrom'> {
  return run === undefined || attempt === 1 || run.finished === 0
    ? {}
    : { finishedBefore: run.finished, judgedFrom: now };
}
