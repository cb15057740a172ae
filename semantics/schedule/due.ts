import type { Schedule } from './grammar.ts';
import { nextTime } from './next.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How far back the last time is looked for: the shortest of these that contains one. */
const WINDOWS_MS = [HOUR_MS, DAY_MS, 40 * DAY_MS, 400 * DAY_MS, 5 * 366 * DAY_MS];

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
 * @param after     the last time that was run, or the creation of the object: milliseconds since 1970
 * @param options   `deadlineMs`: times that are older than this are not due; `zone`: that of the object
 */
export function dueOf(
  schedule: Schedule,
  after: number,
  now: number,
  { deadlineMs, zone }: { deadlineMs?: number | undefined; zone?: string | undefined } = {},
): Due {
  const next = nextTime(schedule, Math.max(after, now), zone);
  const earliest = deadlineMs === undefined ? after : Math.max(after, now - deadlineMs);
  if (earliest >= now) return { last: undefined, next };
  if ('everyMs' in schedule) {
    // It counts from the last run: from the deadline on, a delay that is longer than that would never be over.
    const { everyMs } = schedule;
    const last = after + Math.floor((now - after) / everyMs) * everyMs;
    return { last: last > earliest ? last : undefined, next: last + everyMs };
  }
  for (const window of WINDOWS_MS) {
    const begin = Math.max(earliest, now - window);
    let last: number | undefined;
    for (let at = nextTime(schedule, begin, zone); at !== undefined && at <= now;)
      [last, at] = [at, nextTime(schedule, at, zone)];
    if (last !== undefined || begin === earliest) return { last, next };
  }
  return { last: undefined, next };
}

/** How many times of a schedule are after `from` and not after `until`, up to `most`. Milliseconds since 1970. */
export function timesUntil(
  schedule: Schedule,
  from: number,
  until: number,
  { most, zone }: { most: number; zone?: string | undefined },
): number {
  let count = 0;
  for (let at = nextTime(schedule, from, zone); at !== undefined && at <= until && count < most; count++)
    at = nextTime(schedule, at, zone);
  return count;
}
