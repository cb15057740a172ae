import { expect, test } from 'vitest';
import { dueOf } from '../../../../semantics/advancedcronjob/schedule/due.ts';
import { readSchedule } from '../../../../semantics/advancedcronjob/schedule/grammar.ts';

interface Given {
  /** The last run, or the creation. */
  after: string;
  now: string;
  deadlineMs?: number;
  zone?: string;
}

const at = (time: string): number => Date.parse(`2024-${time}Z`);
const shown = (time: number | undefined): string =>
  time === undefined ? '-' : new Date(time).toISOString().slice(5, 19);

test.each<[what: string, schedule: string, given: Given, due: string]>([
  ['none has come', '0 * * * *', { after: '05-01T10:00:00', now: '05-01T10:59:59' }, '- 05-01T11:00:00'],
  [
    'one comes now',
    '0 * * * *',
    { after: '05-01T10:00:00', now: '05-01T11:00:00' },
    '05-01T11:00:00 05-01T12:00:00',
  ],
  [
    'the last of three',
    '0 * * * *',
    { after: '05-01T10:00:00', now: '05-01T13:30:00' },
    '05-01T13:00:00 05-01T14:00:00',
  ],
  [
    'the last of ten thousand',
    '* * * * *',
    { after: '01-01T00:00:00', now: '06-01T00:00:30' },
    '06-01T00:00:00 06-01T00:01:00',
  ],
  [
    'the last one is months ago',
    '0 0 1 1 *',
    { after: '01-01T00:00:00', now: '11-01T00:00:00' },
    '- 01-01T00:00:00',
  ],
  [
    'one within months',
    '0 0 1 2 *',
    { after: '01-01T00:00:00', now: '11-01T00:00:00' },
    '02-01T00:00:00 02-01T00:00:00',
  ],
  [
    'within the deadline',
    '0 * * * *',
    { after: '05-01T10:00:00', now: '05-01T11:01:00', deadlineMs: 90_000 },
    '05-01T11:00:00 05-01T12:00:00',
  ],
  [
    'later than the deadline',
    '0 * * * *',
    { after: '05-01T10:00:00', now: '05-01T11:02:00', deadlineMs: 90_000 },
    '- 05-01T12:00:00',
  ],
  [
    'a clock behind the last run',
    '0 * * * *',
    { after: '05-01T12:00:00', now: '05-01T10:00:00' },
    '- 05-01T13:00:00',
  ],
  [
    'in a zone',
    '0 10 * * ?',
    { after: '09-05T00:00:00', now: '09-05T09:01:00', zone: 'Asia/Shanghai' },
    '09-05T02:00:00 09-06T02:00:00',
  ],
  [
    'a delay that is not over',
    '@every 90s',
    { after: '05-01T10:00:00', now: '05-01T10:01:29' },
    '- 05-01T10:01:30',
  ],
  [
    'the last of several delays',
    '@every 90s',
    { after: '05-01T10:00:00', now: '05-01T10:05:00' },
    '05-01T10:04:30 05-01T10:06:00',
  ],
  [
    'a delay that is longer than the deadline',
    '@every 90s',
    { after: '05-01T10:00:00', now: '05-01T10:01:35', deadlineMs: 10_000 },
    '05-01T10:01:30 05-01T10:03:00',
  ],
  ['no time ever', '0 0 31 2 *', { after: '05-01T10:00:00', now: '05-01T11:00:00' }, '- -'],
])('due: %s', (_what, text, { after, now, deadlineMs, zone }, due) => {
  const schedule = readSchedule(text, zone);
  if ('rule' in schedule) throw new Error(schedule.rule);
  const { last, next } = dueOf(schedule, at(after), at(now), deadlineMs);
  expect(`${shown(last)} ${shown(next)}`).toBe(due);
});
