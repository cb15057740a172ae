import { isZone } from './offset.ts';

/** A schedule that was read: a pattern of the wall clock, or a constant delay. */
export type Schedule =
  | {
      /** The IANA zone that the schedule names itself; undefined: that of its object. */
      zone: string | undefined;
      /** Five fields, normalized: `*`, or a list of `a-b/n`. */
      pattern: string;
    }
  | { zone: string | undefined; everyMs: number };

/** Why a text is no schedule, for users. */
export interface InvalidSchedule {
  problem: string;
}

interface Field {
  name: string;
  least: number;
  most: number;
  names: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const fields: readonly Field[] = [
  { name: 'minute', least: 0, most: 59, names: [] },
  { name: 'hour', least: 0, most: 23, names: [] },
  { name: 'day of the month', least: 1, most: 31, names: [] },
  { name: 'month', least: 1, most: 12, names: months },
  { name: 'day of the week', least: 0, most: 6, names: days },
];

const descriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/**
 * Reads a schedule by the grammar of CronJobs (OpenKruise cron jobs, rule 6.3): five fields, a descriptor, or
 * `@every DURATION`, after an optional `TZ=ZONE` or `CRON_TZ=ZONE`.
 */
export function readSchedule(text: string): Schedule | InvalidSchedule {
  const [, zone, rest = ''] = /^(?:(?:CRON_)?TZ=(\S*)\s+)?(.*)$/s.exec(text) ?? [];
  if (zone !== undefined && !isZone(zone)) return { problem: `there is no time zone ${zone}` };
  if (rest.startsWith('@every ')) return readEvery(rest.slice('@every '.length), zone);
  const described = Object.hasOwn(descriptors, rest) ? descriptors[rest] : undefined;
  if (rest.startsWith('@') && described === undefined)
    return { problem: `${rest} is none of ${Object.keys(descriptors).join(', ')} and @every DURATION` };
  const parts = (described ?? rest).split(/\s+/).filter((part) => part !== '');
  if (parts.length !== fields.length)
    return { problem: `it has ${parts.length} of 5 fields: minute, hour, day, month, day of the week` };
  const read: string[] = [];
  for (const [index, field] of fields.entries()) {
    const ranges = readField(parts[index] ?? '', field);
    if (typeof ranges !== 'string') return ranges;
    read.push(ranges);
  }
  return { zone, pattern: read.join(' ') };
}

/** A field as a list of ranges without names; a list with `*` in it is `*`, because the others add nothing. */
function readField(text: string, field: Field): string | InvalidSchedule {
  const ranges: string[] = [];
  for (const part of text.split(',').filter((each) => each !== '')) {
    const range = readRange(part, field);
    if (typeof range !== 'string') return range;
    ranges.push(range);
  }
  if (ranges.length === 0) return { problem: `the ${field.name} is empty` };
  return ranges.includes('*') ? '*' : ranges.join(',');
}

function readRange(text: string, field: Field): string | InvalidSchedule {
  const { name, least, most } = field;
  const [range = '', step, ...more] = text.split('/');
  const [first = '', last, ...further] = range.split('-');
  const every = step === undefined ? 1 : numberOf(step);
  if (more.length > 0 || further.length > 0 || every === undefined)
    return { problem: `the ${name} ${text} is no number, range or step` };
  if (every === 0) return { problem: `the step of the ${name} ${text} is 0` };
  if (first === '*' || first === '?') return every === 1 ? '*' : `${least}-${most}/${Math.min(every, most)}`;
  const begin = valueOf(first, field);
  const end = last === undefined ? (step === undefined ? begin : most) : valueOf(last, field);
  if (begin === undefined || end === undefined)
    return { problem: `the ${name} ${text} is no number, range or step` };
  if (begin < least || end > most)
    return { problem: `the ${name} ${text} is not within ${least} to ${most}` };
  if (begin > end) return { problem: `the ${name} ${text} begins after its end` };
  // A step beyond the range gives its first value only.
  return every > end - begin ? String(begin) : `${begin}-${end}/${every}`;
}

function valueOf(text: string, { names, least }: Field): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  return named === -1 ? numberOf(text) : named + least;
}

const numberOf = (text: string): number | undefined => (/^\+?\d+$/.test(text) ? Number(text) : undefined);

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** A delay is cut to whole seconds, and is at least one. */
function readEvery(text: string, zone: string | undefined): Schedule | InvalidSchedule {
  const [, sign = '', amounts = ''] =
    /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|\u00b5s|ms|s|m|h))+|0)$/.exec(text) ?? [];
  if (amounts === '') return { problem: `@every ${text} has no duration such as 1h30m` };
  let ms = 0;
  for (const [, amount, unit = ''] of amounts.matchAll(/([\d.]+)(ns|us|\u00b5s|ms|s|m|h)/g))
    ms += Number(amount) * (unitMs[unit] ?? 0);
  const whole = Math.floor(ms / 1000) * 1000;
  return { zone, everyMs: sign === '-' ? 1000 : Math.max(whole, 1000) };
}
