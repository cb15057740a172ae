import { describe, expect, test } from 'vitest';
import { readSchedule } from '../../../semantics/advancedcronjob/schedule/grammar.ts';
import { nextTime } from '../../../semantics/advancedcronjob/schedule/next.ts';
import { CronCluster, planOf, templateOf } from './cluster.ts';

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

  test('an object that is recreated runs its changed template from its first time on', () => {
    const before = new CronCluster(templateOf(1, 'broadcastJobTemplate'));
    before.policy = 'Auto';
    before.until('1:10');
    const recreated = new CronCluster(templateOf(2, 'broadcastJobTemplate'));
    recreated.policy = 'Auto';
    expect(recreated.until('2:10').created).toEqual(['01:00 2', '02:00 2']);
  });

  test('a plan without waves: a run has no plan, and goes by its own strategy', () => {
    const cluster = new CronCluster(templateOf(1, 'broadcastJobTemplate'));
    cluster.plans = [
      planOf(undefined, 1, [{ id: 'all', update: { to: '100%' } }], { field: 'broadcastJobTemplate' }),
    ];
    const [run] = cluster.until('1:10').children;
    expect(Object.keys(run?.metadata.annotations ?? {})).toEqual(['apps.kruise.io/scheduled-at']);
  });

  test('timeZone: the zone of a process decides nothing', () => {
    expect(timesOf('30 9 * * *', 'Asia/Tokyo')[0]).toBe(Date.UTC(2026, 0, 1, 0, 30));
  });

  test('a zone without changes: no time is skipped or repeated', () => {
    expect(gaps(timesOf('30 2 * * *', 'UTC'))).toEqual(new Set([24]));
    expect(gaps(timesOf('30 2 * * *', 'Europe/Berlin')).size).toBeGreaterThan(1);
  });
});
