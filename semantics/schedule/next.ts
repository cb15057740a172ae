import { Cron } from 'croner';
import type { Schedule } from './grammar.ts';
import { offsetAt, offsetChange } from './offset.ts';

/** A schedule without a time in these years has none, as with CronJobs. */
const YEARS_MS = 5 * 366 * 86_400_000;

/** The wall clock has no offset to the library: what a zone does to it is decided here. */
const patterns = new WeakMap<Schedule, Cron>();

function cronOf(schedule: Exclude<Schedule, { everyMs: number }>): Cron {
  const known = patterns.get(schedule) ?? new Cron(schedule.pattern, { utcOffset: 0, paused: true });
  patterns.set(schedule, known);
  return known;
}

/**
 * The first time of a schedule after another one (OpenKruise cron jobs, rule 6.2). A time that the wall clock skips does
 * not occur on that day; one that it repeats occurs twice.
 *
 * @param from  milliseconds since 1970
 * @param zone  the zone of the object, where the schedule names none
 * @returns milliseconds since 1970; undefined: none within five years
 */
export function nextTime(schedule: Schedule, from: number, zone = 'UTC'): number | undefined {
  if ('everyMs' in schedule) return Math.floor(from / 1000) * 1000 + schedule.everyMs;
  const place = schedule.zone ?? zone;
  const cron = cronOf(schedule);
  const limit = from + YEARS_MS;
  let after = from;
  for (let begin = from; begin < limit;) {
    const offset = offsetAt(place, begin);
    const wall = cron.nextRun(new Date(after + offset));
    const found = wall === null ? limit : Math.min(wall.getTime() - offset, limit);
    const change = offsetChange(place, begin, found);
    if (change === undefined) return found < limit ? found : undefined;
    begin = change;
    // The first second under the next offset counts, too.
    after = change - 1;
  }
  return undefined;
}
