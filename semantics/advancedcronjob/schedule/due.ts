import type { Schedule } from './grammar.ts';
import { nextTime } from './next.ts';

/** An earlier time is not made up for. */
const YEARS_MS = 5 * 366 * 86_400_000;
/** No two times of a pattern are closer to one another. */
const MINUTE_MS = 60_000;

export interface Due {
  /** The last time that has come, milliseconds since 1970; undefined: none has. Earlier ones are not made up for. */
  last: number | undefined;
  /** The first time that has not come; undefined: there is none within five years. */
  next: number | undefined;
}

/**
 * Which time of a schedule is due (OpenKruise cron jobs, rule 6.2). However many have passed, the last one is due:
 * OpenKruise gives up after a hundred.
 *
 * @param after      the last time that was run, or the creation of the object: milliseconds since 1970
 * @param deadlineMs times that are older than this are not due; undefined: all are
 */
export function dueOf(schedule: Schedule, after: number, now: number, deadlineMs?: number): Due {
  const next = nextTime(schedule, Math.max(after, now));
  const earliest = deadlineMs === undefined ? after : Math.max(after, now - deadlineMs);
  if (earliest >= now) return { last: undefined, next };
  if ('everyMs' in schedule) {
    // It counts from the last run: from the deadline on, a delay that is longer than that would never be over.
    const { everyMs } = schedule;
    const last = after + Math.floor((now - after) / everyMs) * everyMs;
    return { last: last > earliest ? last : undefined, next: last + everyMs };
  }
  return { last: lastTime(schedule, Math.max(earliest, now - YEARS_MS), now), next };
}

/** The last time of a schedule after `from` and not after `until`. It halves the time that is left, down to a minute. */
function lastTime(schedule: Schedule, from: number, until: number): number | undefined {
  let last = nextTime(schedule, from, until);
  // Mostly there is one.
  if (last === undefined || nextTime(schedule, last, until) === undefined) return last;
  for (let [low, high] = [last, until]; high - low >= MINUTE_MS;) {
    const middle = Math.floor((low + high) / 2);
    const later = nextTime(schedule, middle, until);
    if (later === undefined) high = middle;
    else last = low = later;
  }
  return last;
}

/** How many times of a schedule are after `from` and not after `until`, up to `most`. Milliseconds since 1970. */
export function timesUntil(schedule: Schedule, from: number, until: number, most: number): number {
  let count = 0;
  for (let at = nextTime(schedule, from, until); at !== undefined && count < most; count++)
    at = nextTime(schedule, at, until);
  return count;
}

/** Whether a time is one of a schedule. `after`: what a constant delay counts from. Milliseconds since 1970. */
export function isTimeOf(schedule: Schedule, at: number, after: number): boolean {
  if (!('everyMs' in schedule)) return nextTime(schedule, at - 1000, at) === at;
  const first = Math.floor(after / 1000) * 1000;
  return at > first && (at - first) % schedule.everyMs === 0;
}
