import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readSchedule, type Schedule } from '../../../../semantics/advancedcronjob/schedule/grammar.ts';
import { nextTime } from '../../../../semantics/advancedcronjob/schedule/next.ts';

/** A schedule with a zone of its own must not have that of its object. */
const read = (text: string, zone: string) => readSchedule(text, text.includes('TZ') ? undefined : zone);

function scheduleOf(text: string, zone: string): Schedule {
  const found = read(text, zone);
  if ('rule' in found) throw new Error(found.rule);
  return found;
}

/** The next three times, or `never` where there is none. */
function timesOf(text: string, zone: string, from: string): string {
  const schedule = scheduleOf(text, zone);
  const times: string[] = [];
  for (let at = Date.parse(from); times.length < 3;) {
    const next = nextTime(schedule, at);
    times.push(next === undefined ? 'never' : new Date(next).toISOString().replace('.000Z', 'Z'));
    if (next === undefined) break;
    at = next;
  }
  return times.join(' ');
}

const rowsOf = (name: string): string[] =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1);

const recorded = rowsOf('recorded.tsv').map(
  (line) => line.split('\t') as [text: string, zone: string, from: string, times: string],
);

test('schedules are read, and their times are, as CronJobs have them, but for those that the clock skips or repeats', () => {
  expect(recorded.length).toBeGreaterThan(300);
  const differing = recorded.flatMap(([text, zone, from, times]) => {
    const schedule = JSON.parse(text) as string;
    const found = 'rule' in read(schedule, zone) ? 'error' : timesOf(schedule, zone, from);
    return found === times ? [] : [[text, zone, from, found].join('\t')];
  });
  expect(differing).toEqual(rowsOf('once-each.tsv'));
});

describe('where the library of CronJobs loses times, ours does not', () => {
  test.each([
    [
      'a midnight before a change by half an hour',
      '0 0 * * *',
      '2024-10-05T15:20:00Z',
      '2024-10-06T13:00:00Z',
    ],
    ['the day of such a change', '0 3 * * 0', '2024-10-05T12:00:00Z', '2024-10-05T16:00:00Z'],
    ['the hour after it', '15 2,3 * * *', '2024-04-06T14:40:00Z', '2024-04-06T15:45:00Z'],
    ['a time that is skipped', '15 2 * * *', '2024-10-05T12:00:00Z', '2024-10-05T15:45:00Z'],
  ])('%s', (_what, text, from, first) => {
    expect(timesOf(text, 'Australia/Lord_Howe', from).split(' ')[0]).toBe(first);
  });

  test('a zone that leaves out a day, where the library never returns', () => {
    expect(timesOf('0 3 * * 0', 'Pacific/Apia', '2011-12-29T12:00:00Z')).toBe(
      '2011-12-31T13:00:00Z 2012-01-07T13:00:00Z 2012-01-14T13:00:00Z',
    );
  });
});

test.each([
  ['', 'must not be empty'],
  [' ', 'must be a schedule: it has 0 of 5 fields: minute, hour, day, month, day of the week'],
  ['* * * * 7', 'must be a schedule: the day of the week 7 is not within 0 to 6'],
  ['5-1 * * * *', 'must be a schedule: the minute 5-1 begins after its end'],
  ['*/0 * * * *', 'must be a schedule: the step of the minute */0 is 0'],
  ['* 1-2-3 * * *', 'must be a schedule: the hour 1-2-3 is no number, range or step'],
  ['* * , * *', 'must be a schedule: the day of the month is empty'],
  ['TZ=Nowhere/Else * * * * *', 'must be a schedule: there is no time zone Nowhere/Else'],
  ['TZ= * * * * *', 'must be a schedule: there is no time zone '],
  ['@every 1d', 'must be a schedule: @every 1d has no duration such as 1h30m'],
  [
    '@reboot',
    'must be a schedule: @reboot is none of @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly and @every DURATION',
  ],
])('%s is refused with its reason', (text, problem) => {
  expect(readSchedule(text, undefined)).toEqual({ field: 'schedule', rule: problem });
});
