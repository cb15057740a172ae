import { Cron } from 'croner';
import { timestamp } from '../api/metadata.ts';

const hourMs = 3_600_000;
/** Windows in which the latest time is looked for, so that a frequent schedule is not played from its beginning. */
const windowsMs = [hourMs, 24 * hourMs, 31 * 24 * hourMs, 366 * 24 * hourMs, 5 * 366 * 24 * hourMs];

const unitMs: Readonly<Record<string, number>> = {
  h: hourMs,
  m: 60_000,
  s: 1000,
  ms: 1,
};

function everyMs(text: string): number {
  let sum = 0;
  for (const [, amount = '', unit = ''] of text.matchAll(/([\d.]+)(h|ms|m|s|us|\u00b5s|ns)/g))
    sum += Number(amount) * (unitMs[unit] ?? 0);
  return Math.max(1000, Math.floor(sum / 1000) * 1000);
}

function knownZone(timeZone: string): string {
  return timeZone === 'Local' || timeZone === '' ? 'UTC' : timeZone;
}

/** A time of a schedule as its CronJob writes it: in the time zone of the schedule, by RFC 3339. */
export function scheduledText(at: number, timeZone = 'UTC'): string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: knownZone(timeZone),
    timeZoneName: 'longOffset',
  });
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d+):(\d+)/.exec(name ?? '') ?? [];
  const offsetMs = (sign === '-' ? -1 : 1) * (Number(hours) * hourMs + Number(minutes) * 60_000);
  if (offsetMs === 0) return timestamp(at);
  return timestamp(at + offsetMs).replace('Z', `${sign}${hours}:${minutes}`);
}

/** The first time of a valid schedule after `from`, milliseconds since 1970; undefined: never. */
export function nextScheduled(schedule: string, from: number, timeZone = 'UTC'): number | undefined {
  if (schedule.startsWith('@every ')) return Math.floor(from / 1000) * 1000 + everyMs(schedule.slice(7));
  const pattern = schedule === '@midnight' ? '@daily' : schedule.replaceAll('?', '*');
  const cron = new Cron(pattern, {
    timezone: knownZone(timeZone),
    paused: true,
  });
  return cron.nextRun(new Date(from))?.getTime();
}

/** The latest time of a schedule after `from` and not after `now`; undefined: there is none. */
export function latestScheduled(
  schedule: string,
  from: number,
  now: number,
  timeZone?: string,
): number | undefined {
  for (const window of windowsMs) {
    let found: number | undefined;
    let at = nextScheduled(schedule, Math.max(from, now - window), timeZone);
    while (at !== undefined && at <= now) {
      found = at;
      at = nextScheduled(schedule, at, timeZone);
    }
    if (found !== undefined || now - window <= from) return found;
  }
  return undefined;
}
