import { describe, expect, test } from 'vitest';
import { readSchedule } from '../../../semantics/advancedcronjob/schedule/grammar.ts';
import { nextTime } from '../../../semantics/advancedcronjob/schedule/next.ts';
import { CronCluster, templateOf } from './cluster.ts';

const HOUR = 3_600_000;
const FROM = Date.UTC(2026, 0, 1);
const UNTIL = Date.UTC(2027, 0, 1);

/** All times of a schedule in 2026. */
function timesOf(text: string, zone: string): number[] {
  const schedule = readSchedule(text, zone);
  if ('rule' in schedule) throw new Error(schedule.rule);
  const times: number[] = [];
  for (let at = nextTime(schedule, FROM, UNTIL); at !== undefined; at = nextTime(schedule, at, UNTIL))
    times.push(at);
  return times;
}

const gaps = (times: readonly number[]): Set<number> =>
  new Set(times.slice(1).map((at, index) => (at - (times[index] ?? 0)) / HOUR));

describe('what a user writes to have it as with OpenKruise', () => {
  test('policy Auto: a new AdvancedCronJob of BroadcastJobs needs no plan', () => {
    const cluster = new CronCluster(templateOf(1, 'broadcastJobTemplate'));
    cluster.policy = 'Auto';
    expect([cluster.until('2:10').created, cluster.held]).toEqual([['01:00 1', '02:00 1'], '']);
  });

  test('timeZone: the zone of a process decides nothing', () => {
    expect(timesOf('30 9 * * *', 'Asia/Tokyo')[0]).toBe(Date.UTC(2026, 0, 1, 0, 30));
  });

  test('a zone without changes: no time is skipped or repeated', () => {
    expect(gaps(timesOf('30 2 * * *', 'UTC'))).toEqual(new Set([24]));
    expect(gaps(timesOf('30 2 * * *', 'Europe/Berlin')).size).toBeGreaterThan(1);
  });
});
