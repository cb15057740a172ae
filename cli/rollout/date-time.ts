import { parseDuration } from '../../semantics/values/duration.ts';
import { timestamp } from '../../semantics/values/timestamp.ts';

const FORM = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:Z|[+-](\d{2}):(\d{2}))$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether the text is a date and time as Kubernetes writes it (RFC 3339): an existing day, a time and its offset. */
export function isDateTime(text: string): boolean {
  const match = FORM.exec(text);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] =
    match.slice(1).map((part) => Number(part ?? 0));
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = (DAYS[month - 1] ?? 0) + (leap ? 1 : 0);
  if (day < 1 || day > days) return false;
  return hour < 24 && minute < 60 && second < 60 && offsetHour < 24 && offsetMinute < 60;
}

/**
 * Converts a duration such as `2h` to the point in time that far from now; returns other text unchanged. `now`:
 * milliseconds since 1970.
 */
export function fromNow(text: string, now: number): string {
  const ms = parseDuration(text) ?? 0;
  return ms === 0 ? text : timestamp(now + ms);
}
