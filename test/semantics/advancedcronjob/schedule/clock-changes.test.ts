import { describe, expect, test } from 'vitest';
import { dueOf } from '../../../../semantics/advancedcronjob/schedule/due.ts';
import { readSchedule, type Schedule } from '../../../../semantics/advancedcronjob/schedule/grammar.ts';
import { nextTime } from '../../../../semantics/advancedcronjob/schedule/next.ts';

const HOUR_MS = 3_600_000;

function scheduleOf(text: string, zone: string): Schedule {
  const read = readSchedule(text, zone);
  if ('rule' in read) throw new Error(read.rule);
  return read;
}

/** All times of a schedule from midnight UTC of a day on, for so many days. */
function timesOf(text: string, zone: string, day: string, days: number): number[] {
  const schedule = scheduleOf(text, zone);
  const begin = Date.parse(`${day}T00:00:00Z`);
  const times: number[] = [];
  for (let at = nextTime(schedule, begin - 1); at !== undefined && at < begin + days * 24 * HOUR_MS;) {
    times.push(at);
    at = nextTime(schedule, at);
  }
  return times;
}

const shown = (times: readonly number[]): string[] =>
  times.map((at) => new Date(at).toISOString().slice(5, 16));

describe.each<[zone: string, day: string, text: string, times: string[]]>([
  // 02:00 to 03:00 is skipped, or comes twice.
  ['Europe/Berlin', '2026-03-28', '30 2 * * *', ['03-28T01:30', '03-29T01:30', '03-30T00:30']],
  ['Europe/Berlin', '2026-03-28', '0 2 * * *', ['03-28T01:00', '03-29T01:00', '03-30T00:00']],
  ['Europe/Berlin', '2026-03-28', '0 3 * * *', ['03-28T02:00', '03-29T01:00', '03-30T01:00']],
  ['Europe/Berlin', '2026-10-24', '30 2 * * *', ['10-24T00:30', '10-25T00:30', '10-26T01:30']],
  ['Europe/Berlin', '2026-10-24', '0 3 * * *', ['10-24T01:00', '10-25T02:00', '10-26T02:00']],
  ['Europe/Berlin', '2026-10-24', '59 2 25 10 *', ['10-25T00:59']],
  ['America/New_York', '2026-03-07', '30 2 * * *', ['03-07T07:30', '03-08T07:30', '03-09T06:30']],
  ['America/New_York', '2026-10-31', '30 1 * * *', ['10-31T05:30', '11-01T05:30', '11-02T06:30']],
  // By half an hour.
  ['Australia/Lord_Howe', '2026-10-02', '15 2 * * *', ['10-02T15:45', '10-03T15:45', '10-04T15:15']],
  ['Australia/Lord_Howe', '2026-04-03', '45 1 * * *', ['04-03T14:45', '04-04T14:45', '04-05T15:15']],
  // By two hours.
  [
    'Antarctica/Troll',
    '2026-03-28',
    '30 1 * * *',
    ['03-28T01:30', '03-29T01:30', '03-29T23:30', '03-30T23:30'],
  ],
  ['Antarctica/Troll', '2026-10-24', '30 2 * * *', ['10-24T00:30', '10-25T00:30', '10-26T02:30']],
  // At midnight.
  ['Atlantic/Azores', '2026-03-28', '0 0 * * *', ['03-28T01:00', '03-29T01:00', '03-30T00:00']],
  ['Atlantic/Azores', '2026-10-24', '30 0 * * *', ['10-24T00:30', '10-25T00:30', '10-26T01:30']],
  // A whole day: what is skipped comes with the same time of the next one.
  ['Pacific/Apia', '2011-12-29', '0 3 * * *', ['12-29T13:00', '12-30T13:00', '12-31T13:00']],
])('%s from %s on', (zone, day, text, times) => {
  test(`${text} comes once a day`, () => {
    expect(shown(timesOf(text, zone, day, 3))).toEqual(times);
  });

  test(`${text}: asked at any time, what is due and what comes next are the same times`, () => {
    const schedule = scheduleOf(text, zone);
    const all = timesOf(text, zone, day, 3);
    const begin = Date.parse(`${day}T00:00:00Z`);
    for (let now = begin; now < begin + 72 * HOUR_MS; now += 7 * HOUR_MS) {
      const { last, next } = dueOf(schedule, begin - 1, now);
      expect([last, next].map((at) => at && all.includes(at))).toEqual([
        all.some((at) => at <= now) || undefined,
        all.some((at) => at > now) || expect.anything(),
      ]);
      expect(last).toBe(all.findLast((at) => at <= now));
    }
  });
});

describe.each<[zone: string, day: string]>([
  ['Europe/Berlin', '2026-03-28'],
  ['Europe/Berlin', '2026-10-24'],
  ['America/New_York', '2026-03-07'],
  ['America/New_York', '2026-10-31'],
  ['Antarctica/Troll', '2026-03-28'],
  ['Antarctica/Troll', '2026-10-24'],
  ['Atlantic/Azores', '2026-03-28'],
  ['Atlantic/Azores', '2026-10-24'],
  ['Pacific/Apia', '2011-12-29'],
])('%s from %s on: times in every hour come in each real hour', (zone, day) => {
  test.each([
    ['@hourly', 24],
    ['*/30 * * * *', 48],
  ])('%s', (text, aDay) => {
    expect(timesOf(text, zone, day, 3)).toHaveLength(3 * aDay);
  });
});

test('a change by half an hour leaves times in every hour where they are on the clock', () => {
  expect(shown(timesOf('*/30 * * * *', 'Australia/Lord_Howe', '2026-04-04', 1))).toHaveLength(48);
  const hourly = shown(timesOf('0 * * * *', 'Australia/Lord_Howe', '2026-04-04', 1));
  expect(hourly.slice(14, 17)).toEqual(['04-04T14:00', '04-04T15:30', '04-04T16:30']);
});

test('ranges of hours: what is skipped falls on what follows, and what is repeated comes once', () => {
  expect(shown(timesOf('30 1-4 * * *', 'Europe/Berlin', '2026-03-29', 1))).toEqual([
    '03-29T00:30',
    '03-29T01:30',
    '03-29T02:30',
    '03-29T23:30',
  ]);
  expect(shown(timesOf('30 1-3 * * *', 'Europe/Berlin', '2026-10-24', 2)).slice(3)).toEqual([
    '10-25T00:30',
    '10-25T02:30',
  ]);
});
