import type { Schedule } from './grammar.ts';
import { offsetAt, offsetChange } from './offset.ts';
import { areOfEachHour, DAY_MS, firstMatch, type Times } from './times.ts';

/** A schedule without a time in these years has none, as with CronJobs. */
const YEARS_MS = 5 * 366 * DAY_MS;
/** No clock is changed by more, and no zone is further from UTC. */
const LONGEST_CHANGE_MS = 26 * 3_600_000;
/** The end of the year 9999: no timestamp is later. */
const LATEST_MS = 253_402_300_799_000;

/** A time from which on a zone has one offset, and the one that it had before. Milliseconds. */
interface Segment {
  begin: number;
  offset: number;
  before: number;
}

/**
 * The first time of a schedule after another one. CronJobs leave out what the wall clock skips, and run twice what it repeats
 * (OpenKruise cron jobs, rule 6.2). Here each time runs once: one that is skipped is as much later as the clock skips, and of
 * one that is repeated the first counts. A schedule with times in every hour has both, as there: it goes on in each real hour.
 *
 * @param from  milliseconds since 1970; earlier times count as 1970
 * @param until the search ends here; default: five years later
 * @returns milliseconds since 1970; undefined: none
 */
export function nextTime(schedule: Schedule, from: number, until: number = Infinity): number | undefined {
  const start = Math.max(from, 0);
  if ('everyMs' in schedule) {
    const next = Math.floor(start / 1000) * 1000 + schedule.everyMs;
    return next <= until ? next : undefined;
  }
  const { zone, times } = schedule;
  const limit = Math.min(start + YEARS_MS, until, LATEST_MS);
  // The calendar alone shows that there is none: the zone need not be asked.
  if (firstMatch(times, start - LONGEST_CHANGE_MS, limit + LONGEST_CHANGE_MS) === undefined) return undefined;
  let segment = segmentAt(zone, start);
  for (let after = start; after < limit;) {
    const found = firstIn(times, segment, after, limit);
    const end = offsetChange(zone, Math.max(after, segment.begin), found ?? limit);
    if (end === undefined) return found;
    segment = { begin: end, offset: offsetAt(zone, end), before: segment.offset };
    // The first second under the next offset counts, too.
    after = end - 1;
  }
  return undefined;
}

/** What the zone has at a time; `begin` is right where it matters, within the longest change. */
function segmentAt(zone: string, at: number): Segment {
  const earlier = at - LONGEST_CHANGE_MS;
  const [before, offset] = [offsetAt(zone, earlier), offsetAt(zone, at)];
  const begin = before === offset ? earlier : (offsetChange(zone, earlier, at) ?? earlier);
  return { begin, offset, before };
}

/** The first time in a segment that has no end. */
function firstIn(
  times: Times,
  { begin, offset, before }: Segment,
  after: number,
  limit: number,
): number | undefined {
  const skipped = areOfEachHour(times) ? 0 : offset - before;
  const own = firstMatch(times, Math.max(after, begin - skipped - 1) + offset, limit + offset);
  const found = own === undefined ? undefined : own - offset;
  if (skipped <= 0) return found;
  const late = firstMatch(
    times,
    Math.max(after, begin - 1) + before,
    Math.min(limit, begin + skipped - 1) + before,
  );
  return late === undefined ? found : Math.min(late - before, found ?? Infinity);
}
