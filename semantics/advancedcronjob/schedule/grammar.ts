import { readDelay } from './delay.ts';
import { zoneFault } from './offset.ts';
import type { Times } from './times.ts';

/** A schedule that was read, and whose zone exists: times of the wall clock, or a constant delay. */
export type Schedule = { zone: string; times: Times } | { everyMs: number };

/** Why a schedule is none, for users. */
export interface InvalidSchedule {
  /** The field of the object that is wrong. */
  field: 'schedule' | 'timeZone';
  /** The rest of a sentence that starts with the field: `must be …`. */
  rule: string;
}

/**
 * The longest text that is read as a schedule. One that lists every value of every field has 414 characters; the definition has
 * the same bound.
 */
export const MAX_SCHEDULE_LENGTH = 1024;

interface Field {
  name: string;
  least: number;
  most: number;
  names: readonly string[];
}

/** The values of a field. `isAny`: it is `*`, which is another thing than a list of all. */
interface Values {
  values: readonly number[];
  isAny: boolean;
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
 * `@every DURATION`, after an optional `TZ=ZONE` or `CRON_TZ=ZONE`. Whatever the texts are, nothing is thrown.
 *
 * @param timeZone the zone of the object; undefined: that of the schedule itself, or UTC
 */
export function readSchedule(text: string, timeZone: string | undefined): Schedule | InvalidSchedule {
  const wrong = (rule: string): InvalidSchedule => ({ field: 'schedule', rule });
  if (text === '') return wrong('must not be empty');
  if (text.length > MAX_SCHEDULE_LENGTH) return wrong(`must have at most ${MAX_SCHEDULE_LENGTH} characters`);
  const { own, rest } = withoutZone(text);
  if (timeZone !== undefined && text.includes('TZ'))
    return wrong('must not name a time zone beside spec.timeZone');
  if (own !== undefined && zoneFault(own) !== undefined)
    return wrong(`must be a schedule: there is no time zone ${own}`);
  const problem = timeZone === undefined ? undefined : zoneFault(timeZone);
  const read = readRest(rest);
  if ('problem' in read) return wrong(`must be a schedule: ${read.problem}`);
  if (problem !== undefined) return { field: 'timeZone', rule: problem };
  return 'everyMs' in read ? read : { zone: own ?? timeZone ?? 'UTC', times: read.times };
}

/** A schedule without the zone at its begin. */
export function withoutZone(text: string): { own: string | undefined; rest: string } {
  const prefix = ['TZ=', 'CRON_TZ='].find((each) => text.startsWith(each));
  const end = prefix === undefined ? -1 : text.search(/\s/);
  if (prefix === undefined || end === -1) return { own: undefined, rest: text };
  return { own: text.slice(prefix.length, end), rest: text.slice(end).trimStart() };
}

function readRest(text: string): { times: Times } | { everyMs: number } | { problem: string } {
  if (text.startsWith('@every ')) return readDelay(text.slice('@every '.length));
  const described = Object.hasOwn(descriptors, text) ? descriptors[text] : undefined;
  if (text.startsWith('@') && described === undefined)
    return { problem: `${text} is none of ${Object.keys(descriptors).join(', ')} and @every DURATION` };
  const parts = (described ?? text).split(/\s/).filter((part) => part !== '');
  if (parts.length !== fields.length)
    return { problem: `it has ${parts.length} of 5 fields: minute, hour, day, month, day of the week` };
  const read: Values[] = [];
  for (const [index, field] of fields.entries()) {
    const values = readField(parts[index] ?? '', field);
    if ('problem' in values) return values;
    read.push(values);
  }
  const [minutes, hours, monthDays, ofYear, weekDays] = read as [Values, Values, Values, Values, Values];
  return {
    times: {
      minutes: minutes.values,
      hours: hours.values,
      monthDays: new Set(monthDays.values),
      months: new Set(ofYear.values),
      weekDays: new Set(weekDays.values),
      isEitherDay: !monthDays.isAny && !weekDays.isAny,
    },
  };
}

/** The values of a field, in ascending order. In a list with `*` the others add nothing. */
function readField(text: string, field: Field): Values | { problem: string } {
  const values = new Set<number>();
  let isAny = false;
  for (const part of text.split(',').filter((each) => each !== '')) {
    const range = readRange(part, field);
    if ('problem' in range) return range;
    isAny ||= range.isAny;
    for (let value = range.begin; value <= range.end; value += range.every) values.add(value);
  }
  if (values.size === 0) return { problem: `the ${field.name} is empty` };
  return { values: [...values].sort((a, b) => a - b), isAny };
}

interface Range {
  begin: number;
  end: number;
  every: number;
  isAny: boolean;
}

function readRange(text: string, field: Field): Range | { problem: string } {
  const { name, least, most } = field;
  const [range = '', step, ...more] = text.split('/');
  const [first = '', last, ...further] = range.split('-');
  const every = step === undefined ? 1 : numberOf(step);
  if (more.length > 0 || further.length > 0 || every === undefined)
    return { problem: `the ${name} ${text} is no number, range or step` };
  if (every === 0) return { problem: `the step of the ${name} ${text} is 0` };
  if (first === '*' || first === '?') return { begin: least, end: most, every, isAny: every === 1 };
  const begin = valueOf(first, field);
  const end = last === undefined ? (step === undefined ? begin : most) : valueOf(last, field);
  if (begin === undefined || end === undefined)
    return { problem: `the ${name} ${text} is no number, range or step` };
  if (begin < least || end > most)
    return { problem: `the ${name} ${text} is not within ${least} to ${most}` };
  if (begin > end) return { problem: `the ${name} ${text} begins after its end` };
  return { begin, end, every, isAny: false };
}

function valueOf(text: string, { names, least }: Field): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  return named === -1 ? numberOf(text) : named + least;
}

const numberOf = (text: string): number | undefined => (/^\+?\d+$/.test(text) ? Number(text) : undefined);
