import { boundedCache } from '../../values/bounded-cache.ts';

/** The longest text that is read as the name of a zone: the longest name has 32 characters. The definition has the same bound. */
export const MAX_ZONE_LENGTH = 64;

/** What is wrong with the name of a time zone, as the rest of a sentence that starts with its field; undefined: nothing. */
export function zoneFault(zone: string): string | undefined {
  if (zone === '') return 'must not be empty';
  if (zone.length > MAX_ZONE_LENGTH) return `must have at most ${MAX_ZONE_LENGTH} characters`;
  if (zone.toLowerCase() === 'local')
    return 'must name a zone: that of the controller is no property of the object';
  return isZone(zone) ? undefined : 'must be the name of a time zone, such as Europe/Berlin';
}

/** Whether this is the name of a time zone, in its own case. An offset such as `+05:00` is a name to some Node.js only. */
function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions();
    return timeZone === zone || timeZone.toLowerCase() !== zone.toLowerCase();
  } catch {
    return false;
  }
}

/** A format takes 48 KiB outside of the heap. A name in another case is another text: there are more than zones. */
const formats = boundedCache<Intl.DateTimeFormat>({ bytes: 32 * 2 ** 20, weigh: () => 64 * 2 ** 10 });

function formatOf(zone: string): Intl.DateTimeFormat {
  return formats.of(
    zone,
    () =>
      new Intl.DateTimeFormat('en-US', {
        timeZone: zone,
        calendar: 'gregory',
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      }),
  );
}

/** How far the wall clock of a zone is ahead of UTC at a time, milliseconds. `at`: milliseconds since 1970. */
export function offsetAt(zone: string, at: number): number {
  if (zone === 'UTC') return 0;
  const seconds = Math.floor(at / 1000) * 1000;
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(seconds)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - seconds;
}

/** No zone changes its offset twice within this time, milliseconds. */
const STEP_MS = 3 * 86_400_000;

/**
 * The first time after `from`, and not after `until`, at which the offset of the zone is another one; undefined: there is none.
 * Milliseconds since 1970, to the second.
 */
export function offsetChange(zone: string, from: number, until: number): number | undefined {
  if (zone === 'UTC') return undefined;
  const offset = offsetAt(zone, from);
  for (let before = from; before < until;) {
    const after = Math.min(before + STEP_MS, until);
    if (offsetAt(zone, after) !== offset) return bisected(zone, before, after, offset);
    before = after;
  }
  return undefined;
}

function bisected(zone: string, from: number, until: number, offset: number): number {
  let [before, after] = [Math.floor(from / 1000), Math.ceil(until / 1000)];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(zone, middle * 1000) === offset) before = middle;
    else after = middle;
  }
  return after * 1000;
}
