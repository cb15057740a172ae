/** Minimum, maximum and symbolic names of each field of a schedule. */
interface ScheduleField {
  least: number;
  most: number;
  names?: readonly string[];
}

const scheduleFields: readonly ScheduleField[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') },
  { least: 0, most: 6, names: 'sun mon tue wed thu fri sat'.split(' ') },
];
const known = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);

class NoSchedule extends Error {}

function numberIn(text: string): number {
  if (!/^[+-]?\d+$/.test(text))
    throw new NoSchedule(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  if (Number(text) < 0) throw new NoSchedule(`negative number (${Number(text)}) not allowed: ${text}`);
  return Number(text);
}

function checkRange(text: string, { least, most, names = [] }: ScheduleField): void {
  const [range = '', step, ...slashes] = text.split('/');
  const [low = '', high, ...hyphens] = range.split('-');
  const read = (part: string) => {
    const index = names.indexOf(part.toLowerCase());
    return index < 0 ? numberIn(part) : index + least;
  };
  const isAny = low === '*' || low === '?';
  const start = isAny ? least : read(low);
  if (!isAny && hyphens.length > 0) throw new NoSchedule(`too many hyphens: ${text}`);
  let end = isAny ? most : high === undefined ? start : read(high);
  if (slashes.length > 0) throw new NoSchedule(`too many slashes: ${text}`);
  const each = step === undefined ? 1 : numberIn(step);
  // `N/STEP` means from N to the maximum.
  if (step !== undefined && high === undefined) end = most;
  if (start < least) throw new NoSchedule(`beginning of range (${start}) below minimum (${least}): ${text}`);
  if (end > most) throw new NoSchedule(`end of range (${end}) above maximum (${most}): ${text}`);
  if (start > end)
    throw new NoSchedule(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (each === 0) throw new NoSchedule(`step of range should be a positive number: ${text}`);
}

const duration =
  /^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|\u00b5s|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|\u00b5s|ms|s|m|h))*$/;

function check(schedule: string): void {
  let rest = schedule;
  const [, zone] = /^(?:CRON_)?TZ=(\S*) /.exec(schedule) ?? [];
  if (zone !== undefined) {
    if (!isTimeZone(zone)) throw new NoSchedule(`provided bad location ${zone}: unknown time zone ${zone}`);
    rest = schedule.slice(schedule.indexOf(' ')).trim();
  }
  if (rest.startsWith('@every ')) {
    const given = rest.slice('@every '.length);
    if (duration.test(given) || given === '0') return;
    throw new NoSchedule(`failed to parse duration ${rest}: time: invalid duration ${JSON.stringify(given)}`);
  }
  if (rest.startsWith('@')) {
    if (known.has(rest)) return;
    throw new NoSchedule(`unrecognized descriptor: ${rest}`);
  }
  const fields = rest.split(/\s+/).filter((part) => part !== '');
  if (fields.length !== scheduleFields.length)
    throw new NoSchedule(
      `expected exactly ${scheduleFields.length} fields, found ${fields.length}: [${fields.join(' ')}]`,
    );
  for (const [index, scheduleField] of scheduleFields.entries())
    for (const range of (fields[index] ?? '').split(',')) if (range !== '') checkRange(range, scheduleField);
}

/** Why a text is not a cron schedule, in the server's wording; undefined if it is one. */
export function scheduleFault(schedule: string): string | undefined {
  try {
    check(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof NoSchedule) return error.message;
    throw error;
  }
}

/** Whether the time zone exists. */
export function isTimeZone(name: string): boolean {
  if (name === 'Local' || name === 'UTC' || name === '') return true;
  if (!/^[A-Z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
