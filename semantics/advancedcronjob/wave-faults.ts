import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { formatDuration, parseDuration } from '../values/duration.ts';
import { readSchedule } from './schedule/grammar.ts';
import { nextTime } from './schedule/next.ts';
import type { NormalCronJob } from './normalize.ts';

/** An error in the waves of a plan. */
export interface WaveFault {
  /** The step that it is about; undefined: all together. */
  step: string | undefined;
  /** A sentence, and what to do. */
  message: string;
}

/**
 * What is wrong with the waves of a plan. Without a person nobody approves; and waves that are longer than the time between
 * two ticks would overlap, unless the policy is Forbid.
 */
export function waveFaults(
  steps: readonly Step[],
  spec: Pick<NormalCronJob, 'schedule' | 'timeZone' | 'concurrency'>,
): WaveFault[] {
  const found: WaveFault[] = steps
    .filter((step) => step.approve !== undefined)
    .map(({ id }) => ({
      step: id,
      message: `step ${id} waits for an approval at every tick. Remove it, or use a check`,
    }));
  const period = shortestPeriod(spec);
  const longest = waitingMs(steps);
  if (spec.concurrency !== 'Forbid' && period !== undefined && longest >= period)
    found.push({
      step: undefined,
      message: `the soaks and checks alone take ${formatDuration(longest)}, and ticks come every ${formatDuration(period)}. Set the policy Forbid, or make the waves shorter`,
    });
  return found;
}

/** The time that the gates take at least, milliseconds. */
function waitingMs(steps: readonly Step[]): number {
  return steps.reduce((sum, { soak, check }) => sum + (parseDuration(soak?.for ?? check?.for ?? '') ?? 0), 0);
}

/** Between these the times of a schedule are compared, and so many of them. Two of them are a 29 February. */
const FROM = Date.UTC(2024, 0, 1);
const UNTIL = Date.UTC(2029, 0, 1);
const COMPARED = 200;

/** The shortest time between two ticks, of the first two hundred in five years, milliseconds; undefined: there are not two. */
export function shortestPeriod({
  schedule,
  timeZone,
}: Pick<NormalCronJob, 'schedule' | 'timeZone'>): number | undefined {
  const read = readSchedule(schedule, timeZone);
  if ('rule' in read) return undefined;
  let before = nextTime(read, FROM, UNTIL);
  let shortest: number | undefined;
  for (let n = 1; n < COMPARED && before !== undefined; n++) {
    const next = nextTime(read, before, UNTIL);
    if (next !== undefined) shortest = Math.min(shortest ?? Infinity, next - before);
    before = next;
  }
  return shortest;
}
