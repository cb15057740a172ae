import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { createChild } from '../../../semantics/advancedcronjob/new-child.ts';
import { normalizeCronJob } from '../../../semantics/advancedcronjob/normalize.ts';
import { cronJobView } from '../../../semantics/advancedcronjob/view.ts';
import { parseRevisions } from '../../../semantics/revision/revision.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import {
  at,
  broadcastJobTemplate,
  childrenOf,
  clock,
  decide,
  doneBy,
  type Given,
  jobTemplate,
  onePod,
  reasonsOf,
  revisionsOf,
  targetOf,
  viewOf,
} from './model.ts';

const Forbid: JsonObject = { concurrencyPolicy: 'Forbid' };
const Replace: JsonObject = { concurrencyPolicy: 'Replace' };
const paused: JsonObject = { paused: true };
const deadline: JsonObject = { startingDeadlineSeconds: 60 };

describe('which child is created (OpenKruise advancedcronjob, rules 6.1 and 6.2)', () => {
  test.each<[what: string, given: Given, done: string]>([
    ['none before the first time', { now: '0:59' }, ''],
    ['one at the first time (AC-11)', { now: '1:00' }, 'create 01:00'],
    ['no second one for it (AC-26)', { now: '1:10', children: '1:00' }, ''],
    ['none after it has ended', { now: '1:10', children: '1:00+' }, ''],
    ['the next one', { now: '2:00', children: '1:00+' }, 'create 02:00'],
    ['one for three that were missed: the last (AC-21)', { now: '4:30', children: '1:00+' }, 'create 04:00'],
    [
      'at 10 in Shanghai, 2 in UTC (AC-10)',
      { now: '2:00', spec: { schedule: '0 10 * * ?', timeZone: 'Asia/Shanghai' } },
      'create 02:00',
    ],
    ['not at 10 in UTC then (AC-10)', { now: '2:00', spec: { schedule: '0 10 * * ?' } }, ''],
    [
      'by the zone in the schedule',
      { now: '2:00', spec: { schedule: 'TZ=Asia/Shanghai 0 10 * * ?' } },
      'create 02:00',
    ],
    ['without a zone by UTC', { now: '10:00', spec: { schedule: '0 10 * * ?' } }, 'create 10:00'],
    ['none while paused (AC-14)', { now: '2:30', spec: paused, children: '0:30+' }, ''],
    ['the last of those missed, when it goes on (AC-14)', { now: '2:30', children: '0:30+' }, 'create 02:00'],
    [
      'none that is later than the deadline (AC-22)',
      { now: '2:01:30', spec: deadline, children: '1:00+' },
      '',
    ],
    ['one within the deadline', { now: '2:00:30', spec: deadline, children: '1:00+' }, 'create 02:00'],
    ['a second one beside the first, with Allow (AC-18)', { now: '2:00', children: '1:00' }, 'create 02:00'],
    ['none beside the first, with Forbid (AC-16)', { now: '2:00', children: '1:00', spec: Forbid }, ''],
    [
      'none while the first one is being deleted, with Forbid',
      { now: '2:00', children: '1:00x', spec: Forbid },
      '',
    ],
    [
      'the last one when the first has ended, with Forbid (AC-16)',
      { now: '4:20', children: '1:00+', spec: Forbid },
      'create 04:00',
    ],
    [
      'one for the first, with Replace (AC-17)',
      { now: '2:00', children: '1:00', spec: Replace },
      'delete 01:00, create 02:00',
    ],
    [
      'none is deleted twice, with Replace',
      { now: '2:00', children: '1:00x', spec: Replace },
      'create 02:00',
    ],
    ['none is deleted before its time, with Replace', { now: '1:59', children: '1:00', spec: Replace }, ''],
    ['none if the target is not to be changed', { now: '1:00', bound: { touch: false } }, ''],
    ['none with an invalid schedule', { now: '1:00', spec: { schedule: 'x' } }, ''],
    ['none if another object has its name', { now: '1:00', taken: [`tidy-${at('1:00') / 1000}`] }, ''],
  ])('%s', (_what, given, done) => {
    expect(doneBy(given)).toBe(done);
  });

  test.each<[what: string, given: Given, next: string | undefined]>([
    ['at the next time', { now: '1:10', children: '1:00' }, '02:00'],
    ['while Forbid holds one', { now: '2:10', children: '1:00', spec: Forbid }, '03:00'],
    ['not while paused', { now: '1:10', spec: paused }, undefined],
    ['never without a time', { now: '1:10', spec: { schedule: '0 0 31 2 *' } }, undefined],
  ])('it is looked at again: %s', (_what, given, next) => {
    const { requeueAt } = decide(given);
    expect(requeueAt === undefined ? undefined : clock(requeueAt)).toBe(next);
  });

  test.each<[what: string, given: Given, events: string[]]>([
    ['nothing', { now: '1:00' }, []],
    ['a hundred that were missed', { now: '1:40', spec: { schedule: '* * * * *' } }, []],
    ['more than a hundred (AC-23)', { now: '1:41', spec: { schedule: '* * * * *' } }, ['TooManyMissedTimes']],
    ['one that Forbid holds', { now: '2:00', children: '1:00', spec: Forbid }, ['JobAlreadyActive']],
    ['one that is too late', { now: '2:01:30', spec: deadline, children: '1:00+' }, ['MissSchedule']],
    ['one that is not', { now: '1:59', spec: deadline, children: '1:00+' }, []],
    ['a name of another owner', { now: '1:00', taken: [`tidy-${at('1:00') / 1000}`] }, ['FailedCreate']],
  ])('it reports: %s', (_what, given, events) => {
    expect(reasonsOf(given)).toEqual(events);
  });

  test('however many were missed, the last one runs (AC-23)', () => {
    expect(doneBy({ now: '23:59', spec: { schedule: '* * * * *' } })).toBe('create 23:59');
  });

  test('the status remembers the last time when all children are gone', () => {
    const given: Given = { now: '1:30', status: { lastScheduleTime: '2026-03-03T01:00:00Z' } };
    expect(doneBy(given)).toBe('');
    expect(decide(given).status).toEqual({ type: 'Job', lastScheduleTime: '2026-03-03T01:00:00Z' });
  });
});

test.each<[what: string, children: string]>([
  ['a child of an earlier time', '1:00+'],
  ['no child', ''],
])('the last time is not set back by %s', (_what, children) => {
  const given: Given = { now: '2:30', status: { lastScheduleTime: '2026-03-03T02:00:00Z' }, children };
  expect(doneBy(given)).toBe('');
  expect(decide(given).status.lastScheduleTime).toBe('2026-03-03T02:00:00Z');
});

describe('history limits (OpenKruise advancedcronjob, rule 6.1 step 3)', () => {
  const limits = (successfulJobsHistoryLimit: number, failedJobsHistoryLimit: number): JsonObject => ({
    successfulJobsHistoryLimit,
    failedJobsHistoryLimit,
  });
  test.each<[what: string, given: Given, done: string]>([
    [
      'of five that succeeded the oldest three, of two that failed the oldest (AC-19)',
      { now: '7:30', children: '1:00+ 2:00- 3:00+ 4:00+ 5:00+ 6:00- 7:00+', spec: limits(2, 1) },
      'delete 02:00, delete 01:00, delete 03:00, delete 04:00',
    ],
    [
      'three and one are retained where no limit is set',
      { now: '6:30', children: '1:00+ 2:00+ 3:00+ 4:00+ 5:00- 6:00-' },
      'delete 05:00, delete 01:00',
    ],
    [
      'while paused, too (AC-15)',
      { now: '3:30', children: '1:00+ 2:00+', spec: { ...limits(1, 1), ...paused } },
      'delete 01:00',
    ],
    [
      'those that have not started come first',
      { now: '3:30', children: '1:00- 2:00-? 3:00-', spec: limits(3, 2) },
      'delete 02:00',
    ],
    ['what runs is not deleted', { now: '2:30', children: '1:00 2:00', spec: limits(0, 0) }, ''],
    [
      'what is being deleted is not deleted again',
      { now: '2:30', children: '1:00+x 2:00+', spec: limits(1, 1) },
      '',
    ],
    [
      'together with a new child',
      { now: '3:00', children: '1:00+ 2:00+', spec: limits(1, 1) },
      'delete 01:00, create 03:00',
    ],
    [
      'a limit of 0 deletes the last one, and its time does not run again (AC-24)',
      { now: '1:30', children: '1:00+', spec: limits(0, 0) },
      'delete 01:00',
    ],
  ])('%s', (_what, given, done) => {
    expect(doneBy(given)).toBe(done);
  });

  test('a child is deleted as it was observed, with its pods', () => {
    expect(decide({ now: '1:30', children: '1:00+', spec: limits(0, 0) }).actions).toMatchObject([
      {
        do: 'delete',
        kind: 'Child',
        uid: 'uid-0',
        resourceVersion: '1',
        propagationPolicy: 'Background',
        resource: { kind: 'Job' },
      },
    ]);
  });
});

describe('a child (OpenKruise advancedcronjob, section 5)', () => {
  const created = (template: JsonObject): KubeObject => {
    const given: Given = { now: '1:00', spec: { template } };
    const [revision] = parseRevisions(revisionsOf(given));
    const action = revision && createChild(targetOf(given), revision, at('1:00'));
    if (action === undefined) throw new Error('no child');
    return action.object;
  };
  const metadata: JsonObject = { name: 'ignored', labels: { app: 'tidy' }, annotations: { note: 'n' } };

  test('is named after its time, and has labels, annotations and owner (AC-11, AC-13)', () => {
    expect(created(jobTemplate({ backoffLimit: 1 }, metadata))).toEqual({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: `tidy-${at('1:00') / 1000}`,
        namespace: 'ops',
        labels: { app: 'tidy' },
        annotations: { note: 'n', 'apps.kruise.io/scheduled-at': '2026-03-03T01:00:00Z' },
        ownerReferences: [
          {
            apiVersion: 'apps.kruise.io/v1beta1',
            kind: 'AdvancedCronJob',
            name: 'tidy',
            uid: 'cron-uid',
            controller: true,
            // The garbage collector deletes it with its owner (AC-28).
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { template: onePod, backoffLimit: 1 },
    });
  });

  test('may be a BroadcastJob (AC-12)', () => {
    expect(created(broadcastJobTemplate({ parallelism: 2 }, metadata))).toMatchObject({
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'BroadcastJob',
      metadata: { labels: { app: 'tidy' } },
      spec: { template: onePod, parallelism: 2 },
    });
  });

  test('is collected with its owner: it has a controller that blocks until then (AC-28)', () => {
    expect(created(jobTemplate()).metadata.ownerReferences).toMatchObject([
      { uid: 'cron-uid', controller: true, blockOwnerDeletion: true },
    ]);
  });
});

describe('status (OpenKruise advancedcronjob, section 3)', () => {
  test('lists what is unfinished, and the last time (AC-18)', () => {
    expect(decide({ now: '3:10', children: '1:00+ 2:00 3:00' }).status).toEqual({
      type: 'Job',
      active: ['2:00', '3:00'].map((time, index) => ({
        apiVersion: 'batch/v1',
        kind: 'Job',
        namespace: 'ops',
        name: `tidy-${at(time) / 1000}`,
        uid: `uid-${index + 1}`,
        resourceVersion: String(index + 2),
      })),
      lastScheduleTime: '2026-03-03T03:00:00Z',
    });
  });

  test.each<[what: string, children: string, active: number]>([
    ['runs', '1:00', 1],
    ['has ended (AC-27)', '1:00+', 0],
    ['has failed (AC-27)', '1:00-', 0],
    ['is being deleted', '1:00x', 1],
  ])('a child that %s', (_what, children, active) => {
    expect(decide({ now: '1:10', children }).status.active ?? []).toHaveLength(active);
  });

  test('the type is that of the template, and children of either kind count (AC-12)', () => {
    const given: Given = {
      now: '1:10',
      children: '1:00',
      kind: 'Job',
      spec: { template: broadcastJobTemplate() },
    };
    const { type, active } = decide(given).status;
    expect([type, active?.map(({ kind }) => kind)]).toEqual(['BroadcastJob', ['Job']]);
    const status = { active: [{ uid: 'uid-0' }] };
    expect(decide({ ...given, kind: 'BroadcastJob', status }).status.active).toMatchObject([
      { kind: 'BroadcastJob' },
    ]);
  });

  test('of several conditions the first one that is true counts', () => {
    const [child] = childrenOf({ now: '1:10', children: '1:00' }) as [KubeObject];
    const conditions = [
      { type: 'Suspended', status: 'True' },
      { type: 'Complete', status: 'False' },
      { type: 'Failed', status: 'True' },
      { type: 'Complete', status: 'True' },
    ];
    const given = {
      target: targetOf({ now: '1:10' }),
      revisions: [],
      takenNames: new Set<string>(),
      now: at('1:10'),
    };
    const { children } = cronJobView({ ...given, children: [{ ...child, status: { conditions } }] });
    expect(children.map(({ state }) => state)).toEqual(['failed']);
  });
});

describe('which objects are children', () => {
  const [child] = childrenOf({ now: '1:10', children: '1:00' }) as [KubeObject];
  const [owner] = child.metadata.ownerReferences ?? [];
  const withMetadata = (metadata: object): KubeObject => ({
    ...child,
    metadata: { ...child.metadata, ...metadata },
  });
  const seen = (object: KubeObject): string => {
    const given = { revisions: [], takenNames: new Set<string>(), now: at('1:10') };
    const { children, last } = cronJobView({
      ...given,
      target: targetOf({ now: '1:10' }),
      children: [object],
    });
    return `${children.length} ${last === undefined ? '-' : clock(last)}`;
  };
  test.each<[what: string, object: KubeObject, seen: string]>([
    ['a Job', child, '1 01:00'],
    [
      'one that v1alpha1 created',
      withMetadata({ ownerReferences: [{ ...owner, apiVersion: 'apps.kruise.io/v1alpha1' }] }),
      '1 01:00',
    ],
    [
      'one of an earlier object of this name',
      withMetadata({ ownerReferences: [{ ...owner, uid: 'earlier' }] }),
      '0 -',
    ],
    [
      'one whose owner is no controller',
      withMetadata({ ownerReferences: [{ ...owner, controller: false }] }),
      '0 -',
    ],
    ['one of another kind', { ...child, apiVersion: 'v1', kind: 'Pod' }, '0 -'],
    [
      'one with a time that is not that of its name',
      withMetadata({ annotations: { 'apps.kruise.io/scheduled-at': '2026-03-03T09:00:00Z' } }),
      '1 -',
    ],
    ['one without a time', withMetadata({ annotations: {} }), '1 -'],
    [
      'one with a time in words',
      withMetadata({ annotations: { 'apps.kruise.io/scheduled-at': 'noon' } }),
      '1 -',
    ],
  ])('%s', (_what, object, expected) => {
    expect(seen(object)).toBe(expected);
  });
});

test.each<[what: string, schedule: string, from: string, zone: string | undefined, next: string]>([
  ['the first of the month, or a Monday (AC-31)', '0 0 1 * 1', '2026-03-03', undefined, '2026-03-09T00:00'],
  ['odd days, or Mondays (AC-31)', '0 0 */2 * 1', '2026-03-03', undefined, '2026-03-05T00:00'],
  ['Mondays only (AC-31)', '0 0 * * 1', '2026-03-03', undefined, '2026-03-09T00:00'],
  [
    'as much later as the clock skips (AC-30)',
    '30 2 * * *',
    '2026-03-29',
    'Europe/Berlin',
    '2026-03-29T01:30',
  ],
  ['10 in Shanghai (AC-10)', '0 10 * * ?', '2022-09-05T09:01', 'Asia/Shanghai', '2022-09-06T02:00'],
])('the next time: %s', (_what, schedule, from, zone, next) => {
  const given = targetOf({ now: '0:00', spec: { schedule, ...(zone !== undefined && { timeZone: zone }) } });
  const now = Date.parse(from.includes('T') ? `${from}:00Z` : `${from}T00:00:00Z`);
  const target = { ...given, metadata: { ...given.metadata, creationTimestamp: timestamp(now) } };
  const { due } = cronJobView({ target, revisions: [], takenNames: new Set(), now });
  expect(new Date(due.next ?? 0).toISOString().slice(0, 16)).toBe(next);
});

test('a changed template is accepted, and is another revision (AC-8)', () => {
  expect(viewOf({ now: '0:10' }).liveHash).not.toBe(
    viewOf({ now: '0:10', spec: { template: jobTemplate({ backoffLimit: 2 }) } }).liveHash,
  );
  expect(normalizeCronJob(targetOf({ now: '0:10' })).template).toMatchObject({ child: { kind: 'Job' } });
});
