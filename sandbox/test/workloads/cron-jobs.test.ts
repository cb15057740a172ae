import { describe, expect, test } from 'vitest';
import type { Cluster } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { latestScheduled, nextScheduled } from '../../workloads/schedule.ts';
import { at, cronJobs, jobs, merge, podQuota, resourceQuotas, statusOf, workloadStage } from './stage.ts';

const cron = (spec: object = {}): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'tidy', namespace: 'default' },
  spec: {
    schedule: '*/5 * * * *',
    jobTemplate: {
      metadata: { labels: { app: 'tidy' } },
      spec: {
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'tidy:1' }] } },
      },
    },
    ...spec,
  },
});

function cronStage({ runSeconds = 10, podEvents = false } = {}) {
  const set = workloadStage({ podEvents });
  set.world.images.set('tidy:1', { exitAfterMs: runSeconds * 1000 });
  return { ...set, minutes: (count: number) => set.wait(count * 60) };
}

const minute = Date.UTC(2026, 0, 1, 12) / 60_000;

/** The minutes after noon for which there are Jobs. */
async function times(alice: Cluster): Promise<number[]> {
  const { items } = await alice.list(jobs, { namespace: 'default' });
  return items.map(({ metadata }) => Number(metadata.name.split('-')[1]) - minute).sort((a, b) => a - b);
}

describe('a CronJob', () => {
  test.each([
    ['Asia/Kathmandu', '2026-01-01T17:50:00+05:45'],
    ['America/St_Johns', '2026-01-01T08:35:00-03:30'],
    ['Europe/London', '2026-01-01T12:05:00Z'],
  ])('says in its time zone (%s) for when a Job is', async (timeZone, expected) => {
    const { alice, minutes, wait } = cronStage();
    await alice.create(cronJobs, cron({ timeZone }));
    await minutes(5);
    await wait(1);
    const [made] = (await alice.list(jobs, { namespace: 'default' })).items;
    expect(made?.metadata.annotations).toEqual({
      'batch.kubernetes.io/cronjob-scheduled-timestamp': expected,
    });
  });

  test('reports an active Job that somebody deletes', async () => {
    const { alice, minutes, wait } = cronStage({ podEvents: true, runSeconds: 600 });
    await alice.create(cronJobs, cron());
    await minutes(5);
    await wait(1);
    await alice.delete(jobs, at(`tidy-${minute + 5}`), { propagationPolicy: 'Background' });
    await wait(2);
    const { items } = await alice.list(resources.Event, { namespace: 'default' });
    expect(items.map(({ reason, message }) => `${String(reason)}: ${String(message)}`)).toContain(
      `MissingJob: Active job went missing: tidy-${minute + 5}`,
    );
    expect(statusOf(await alice.get(cronJobs, at('tidy')))['active']).toBeUndefined();
  });

  test('does not miss a Job that it replaces', async () => {
    const { alice, minutes, wait } = cronStage({ podEvents: true, runSeconds: 600 });
    await alice.create(cronJobs, cron({ concurrencyPolicy: 'Replace' }));
    await minutes(10);
    await wait(2);
    const { items } = await alice.list(resources.Event, { namespace: 'default' });
    const reasons = items
      .filter(({ involvedObject }) => (involvedObject as { kind: string }).kind === 'CronJob')
      .map(({ reason }) => reason);
    expect(reasons).toEqual(['SuccessfulCreate', 'SuccessfulDelete', 'SuccessfulCreate']);
  });

  test('does not miss a Job that it replaces, though the next one is refused at first', async () => {
    const { alice, minutes } = cronStage({ podEvents: true, runSeconds: 600 });
    const hard = { 'count/jobs.batch': '1' };
    await alice.create(resourceQuotas, { ...podQuota('one', 1), spec: { hard } });
    await alice.create(cronJobs, cron({ concurrencyPolicy: 'Replace' }));
    await minutes(11);
    expect(await times(alice)).toEqual([10]);
    const { items } = await alice.list(resources.Event, { namespace: 'default' });
    const reasons = items.map(({ reason }) => reason);
    expect(reasons).toContain('FailedCreate');
    expect(reasons).not.toContain('MissingJob');
  });

  test('reports a Job that it may not create, and tries again', async () => {
    const { alice, minutes, wait } = cronStage({ podEvents: true });
    const hard = { 'count/jobs.batch': '0' };
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: at('none'), spec: { hard } };
    await alice.create(resourceQuotas, quota);
    await alice.create(cronJobs, cron());
    await minutes(5);
    await wait(2);
    const { items } = await alice.list(resources.Event, { namespace: 'default' });
    expect(items.map(({ reason, message }) => `${String(reason)}: ${String(message)}`)).toContain(
      `FailedCreate: Error creating job: jobs.batch "tidy-${minute + 5}" is forbidden: exceeded quota: none, requested: count/jobs.batch=1, used: count/jobs.batch=0, limited: count/jobs.batch=0`,
    );
    await alice.delete(resourceQuotas, at('none'));
    await wait(5);
    expect(await times(alice)).toEqual([5]);
  });

  test('makes a Job when its time has come', async () => {
    const { alice, minutes, wait } = cronStage();
    await alice.create(cronJobs, cron());
    await minutes(4);
    expect(await times(alice)).toEqual([]);
    await minutes(1);
    await wait(1);
    expect(await times(alice)).toEqual([5]);
    const [made] = (await alice.list(jobs, { namespace: 'default' })).items;
    expect(made?.metadata).toMatchObject({
      labels: { app: 'tidy' },
      annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T12:05:00Z' },
      ownerReferences: [{ kind: 'CronJob', name: 'tidy', controller: true }],
    });
    expect(statusOf(await alice.get(cronJobs, at('tidy')))).toMatchObject({
      active: [{ name: made?.metadata.name }],
      lastScheduleTime: '2026-01-01T12:05:00Z',
    });
    await minutes(1);
    const ended = statusOf(await alice.get(cronJobs, at('tidy')));
    expect([ended['active'], ended['lastSuccessfulTime']]).toEqual([undefined, '2026-01-01T12:05:12Z']);
  });

  test('keeps as many ended Jobs as its history limits say', async () => {
    const { alice, minutes } = cronStage();
    await alice.create(cronJobs, cron({ successfulJobsHistoryLimit: 2 }));
    await minutes(27);
    expect(await times(alice)).toEqual([20, 25]);
  });

  test.each([
    ['Allow', [5, 10, 15]],
    ['Forbid', [5]],
    ['Replace', [15]],
  ])('whose Job still runs, concurrency policy %s', async (concurrencyPolicy, left) => {
    const { alice, minutes } = cronStage({ runSeconds: 3600 });
    await alice.create(cronJobs, cron({ concurrencyPolicy }));
    await minutes(17);
    expect(await times(alice)).toEqual(left);
  });

  test('starts nothing while it is suspended, and then only the latest missed time', async () => {
    const { alice, minutes } = cronStage();
    await alice.create(cronJobs, cron({ suspend: true }));
    await minutes(17);
    expect(await times(alice)).toEqual([]);
    await alice.patch(cronJobs, at('tidy'), merge({ spec: { suspend: false } }));
    await minutes(1);
    expect(await times(alice)).toEqual([15]);
  });

  test('does not start what is later than its starting deadline', async () => {
    const { alice, minutes } = cronStage();
    await alice.create(cronJobs, cron({ suspend: true, startingDeadlineSeconds: 60 }));
    await minutes(17);
    await alice.patch(cronJobs, at('tidy'), merge({ spec: { suspend: false } }));
    await minutes(1);
    expect(await times(alice)).toEqual([]);
    await minutes(3);
    expect(await times(alice)).toEqual([20]);
  });

  test.each([
    ['*/15 * * * *', 'UTC', '2026-01-01T12:15:00.000Z'],
    ['0 9 * * mon-fri', 'Europe/Berlin', '2026-01-02T08:00:00.000Z'],
    ['@hourly', undefined, '2026-01-01T13:00:00.000Z'],
    ['@midnight', undefined, '2026-01-02T00:00:00.000Z'],
    ['@every 1h30m', undefined, '2026-01-01T13:30:00.000Z'],
    ['0 0 ? 2 *', 'UTC', '2026-02-01T00:00:00.000Z'],
    // Either the day of the month or the day of the week.
    ['0 0 13 * fri', 'UTC', '2026-01-02T00:00:00.000Z'],
  ])('of the schedule %s in %s comes next at %s', (schedule, zone, next) => {
    const found = nextScheduled(schedule, Date.UTC(2026, 0, 1, 12), zone);
    expect(new Date(found ?? 0).toISOString()).toBe(next);
  });

  test('finds the latest missed time of a frequent schedule after years', () => {
    const now = Date.UTC(2026, 0, 1, 12, 0, 30);
    expect(latestScheduled('* * * * *', 0, now)).toBe(Date.UTC(2026, 0, 1, 12));
    expect(latestScheduled('@yearly', 0, now)).toBe(Date.UTC(2026, 0, 1));
    expect(latestScheduled('0 0 31 2 *', 0, now)).toBeUndefined();
  });
});
