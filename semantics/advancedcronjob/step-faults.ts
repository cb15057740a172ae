import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { StepFault } from '../kinds/run-in-git.ts';
import { MOST_TICKS } from './ticks.ts';

/**
 * What is wrong with the update steps of a plan for an AdvancedCronJob: they count ticks, and there is no number of all of which
 * a percentage could be a part. Only `100%` means something: every tick from then on.
 */
export function tickStepFaults(steps: readonly Step[]): StepFault[] {
  return steps.flatMap(({ id, update }): StepFault[] => {
    if (update === undefined) return [];
    if (update.window !== undefined)
      return [{ step: id, message: `step ${id} has a window, and no tick is updated. Remove it` }];
    if (update.to === '100%') return [];
    if (typeof update.to === 'string')
      return [
        {
          step: id,
          message: `step ${id} leads to ${update.to} of the ticks, which have no end. Write a count`,
        },
      ];
    return update.to <= MOST_TICKS
      ? []
      : [{ step: id, message: `step ${id} counts ${update.to} ticks. At most ${MOST_TICKS} are on record` }];
  });
}
