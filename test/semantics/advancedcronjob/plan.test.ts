import { describe, expect, test } from 'vitest';
import { CHILDREN_ANNOTATION } from '../../../semantics/children/records.ts';
import { reviseCronJob } from '../../../semantics/advancedcronjob/revise.ts';
import { readTicks, TICKS_ANNOTATION } from '../../../semantics/advancedcronjob/ticks.ts';
import { cronJobView } from '../../../semantics/advancedcronjob/view.ts';
import type { Action } from '../../../semantics/decision.ts';
import { stableRevision } from '../../../semantics/revision/revision.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import {
  at,
  broadcastJobTemplate,
  childrenOf,
  cronJobOf,
  decide,
  doneBy,
  type Given,
  revisionsOf,
  shownTicks,
  targetOf,
  ticksOf,
  viewOf,
} from './model.ts';

/** A changed template under a plan whose step allows so many ticks. */
const allowed = (n: number | 'unbounded', moving = true): Given['bound'] => ({ allowed: n, moving });
const stableHash = stableRevision(viewOf({ now: '1:00', stable: 'other' }))?.hash ?? '';
const held: Given['bound'] = { goal: stableHash, allowed: 'unbounded', moving: false };

describe('which template a tick runs', () => {
  test.each<[what: string, given: Given, done: string]>([
    [
      'the stable one while the new one is held',
      { now: '1:00', stable: 'other', bound: held },
      'create 01:00 old',
    ],
    ['the new one is recorded first', { now: '1:00', stable: 'other', bound: allowed(1) }, 'record 01:00'],
    ['and runs then', { now: '1:00', stable: 'other', ticks: '1:00', bound: allowed(1) }, 'create 01:00'],
    [
      'the stable one beyond what the step allows',
      { now: '2:00', stable: 'other', ticks: '1:00+', children: '1:00+', bound: allowed(1) },
      'create 02:00 old',
    ],
    [
      'the stable one while the allowed one runs',
      { now: '2:00', stable: 'other', ticks: '1:00', children: '1:00', bound: allowed(1) },
      'create 02:00 old',
    ],
    [
      'the new one once more with the next step',
      { now: '2:00', stable: 'other', ticks: '1:00+', children: '1:00+', bound: allowed(2) },
      'record 01:00+ 02:00',
    ],
    [
      'the stable one in a gate',
      { now: '2:00', stable: 'other', ticks: '1:00+', children: '1:00+', bound: allowed(2, false) },
      'create 02:00 old',
    ],
    [
      'the stable one after a failure',
      { now: '2:00', stable: 'other', ticks: '1:00-1:05', children: '1:00-', bound: allowed(1, false) },
      'create 02:00 old',
    ],
    [
      'the new one again when a person resumes',
      { now: '2:00', stable: 'other', ticks: '1:00-1:05', children: '1:00-', bound: allowed(1) },
      'record 01:00-01:05 02:00',
    ],
    [
      'the stable one if the plan stops between record and child',
      { now: '1:00', stable: 'other', ticks: '1:00', bound: allowed(1, false) },
      'record',
    ],
    [
      'the new one without a plan, in Auto',
      { now: '1:00', stable: 'other', ticks: '1:00', bound: allowed('unbounded') },
      'create 01:00',
    ],
    [
      'none where none is stable and no plan allows one',
      { now: '1:00', stable: 'none', bound: { goal: '', moving: false } },
      '',
    ],
    [
      'the first one under its plan',
      { now: '1:00', stable: 'none', ticks: '1:00', bound: allowed(1) },
      'create 01:00',
    ],
  ])('%s', (_what, given, done) => {
    expect(doneBy(given)).toBe(done);
  });

  test('history is kept while a tick waits for its record', () => {
    const spec = { successfulJobsHistoryLimit: 0 };
    const given: Given = { now: '2:00', stable: 'other', children: '1:00+', spec, bound: allowed(1) };
    expect(doneBy(given)).toBe('delete 01:00, record 02:00');
  });

  test('the decision says why a tick runs an earlier template, or none', () => {
    expect(
      decide({ now: '1:00', stable: 'other', bound: { ...held, reason: 'no plan has it' } }).explanations,
    ).toEqual([{ about: `tidy-${at('1:00') / 1000}`, reason: 'runs an earlier template: no plan has it' }]);
    const none = { goal: '', moving: false, reason: 'no plan has it' };
    expect(decide({ now: '1:00', stable: 'none', bound: none }).explanations).toEqual([
      { about: 'tidy', reason: '2026-03-03T01:00:00Z gets no child yet: no plan has it' },
    ]);
  });
});

describe('the writes of revisions', () => {
  const writesOf = (given: Given, revisions = revisionsOf(given)): Action[] =>
    reviseCronJob(
      cronJobView({
        target: targetOf(given),
        children: childrenOf(given),
        revisions,
        takenNames: new Set(),
        now: at(given.now),
      }),
    );
  const annotationsOf = (actions: readonly Action[]): unknown[] =>
    actions.map((action) => {
      const object = action.do === 'create' ? action.object : action.do === 'patch' ? action.body : {};
      return (object['metadata'] as { annotations?: object }).annotations ?? {};
    });

  test('a new AdvancedCronJob of Jobs is free: its template is stable', () => {
    expect(annotationsOf(writesOf({ now: '0:10' }, []))).toEqual([{ 'plan.kruise.io/complete': '1' }]);
    const unmarked: Given = { now: '0:10', stable: 'none' };
    expect(annotationsOf(writesOf(unmarked))).toEqual([{ 'plan.kruise.io/complete': '1' }]);
  });

  test('a new AdvancedCronJob of BroadcastJobs is gated: its template is not stable', () => {
    const spec = { template: broadcastJobTemplate() };
    expect(annotationsOf(writesOf({ now: '0:10', spec }, []))).toEqual([{}]);
    expect(writesOf({ now: '0:10', spec, stable: 'none' })).toEqual([]);
  });

  test('one that OpenKruise has run before is adopted with its template', () => {
    const spec = { template: broadcastJobTemplate() };
    const given: Given = { now: '1:10', spec, stable: 'none', children: '1:00', kind: 'BroadcastJob' };
    const status = { lastScheduleTime: timestamp(at('1:00')), active: [{ uid: 'uid-0' }] };
    expect(annotationsOf(writesOf({ ...given, status }, []))).toEqual([{ 'plan.kruise.io/complete': '1' }]);
    // What it has created goes on: it is on record, once.
    const records = { [CHILDREN_ANNOTATION]: expect.stringMatching(`^${at('1:00') / 1000}:[0-9a-f]{32}$`) };
    expect(annotationsOf(writesOf({ ...given, stable: undefined, status }))).toEqual([records]);
    // A child that no status has on record proves nothing.
    expect(annotationsOf(writesOf(given, []))).toEqual([{}]);
    // What this runtime has created under a plan is no reason to skip the rest of it.
    expect(writesOf({ ...given, ticks: '1:00' })).toEqual([]);
  });

  test.each<[what: string, given: Given, ticks: string | undefined]>([
    ['nothing', { now: '1:10', stable: 'other', ticks: '1:00', children: '1:00' }, undefined],
    ['a success', { now: '1:10', stable: 'other', ticks: '1:00', children: '1:00+' }, '01:00+'],
    ['a failure', { now: '1:10', stable: 'other', ticks: '1:00', children: '1:00-' }, '01:00-01:10'],
    [
      'a success, before the child is deleted',
      {
        now: '1:10',
        stable: 'other',
        ticks: '1:00',
        children: '1:00+',
        spec: { successfulJobsHistoryLimit: 0 },
      },
      '01:00+',
    ],
    ['nothing of the stable template', { now: '1:10', children: '1:00+' }, undefined],
    ['that a stable template has none', { now: '1:10', ticks: '1:00+', children: '1:00+' }, ''],
  ])('what became of ticks: %s', (_what, given, ticks) => {
    const writes = annotationsOf(writesOf(given)) as Record<string, string | null>[];
    const [text] = writes.map((each) => each[TICKS_ANNOTATION]);
    expect(writes.length === 0 ? undefined : shownTicks(readTicks(text ?? ''))).toBe(ticks);
  });

  test('a template that git has left has no ticks on record: its plan begins anew when it returns', () => {
    const given: Given = { now: '2:10', stable: 'other', ticks: '1:00+' };
    const [stable, gone] = revisionsOf(given);
    const back = cronJobOf({
      template: { jobTemplate: { spec: stable?.['data'] ? jobSpecOf(stable) : {} } },
    });
    const view = cronJobView({
      target: back,
      revisions: [stable, gone].filter((each) => each !== undefined),
      takenNames: new Set(),
      now: at('2:10'),
    });
    expect(view.liveHash).toBe(stableHash);
    // First it is the newest again, as with every kind.
    const newest = { ...stable, revision: 3 } as NonNullable<typeof stable>;
    const later = cronJobView({
      target: back,
      revisions: [newest, ...(gone ? [gone] : [])],
      takenNames: new Set(),
      now: at('2:10'),
    });
    expect(reviseCronJob(view)).toMatchObject([{ verb: 'make newest' }]);
    expect(reviseCronJob(later)).toMatchObject([
      {
        verb: 'record ticks',
        name: 'tidy-2',
        body: { metadata: { annotations: { [TICKS_ANNOTATION]: null } } },
      },
    ]);
  });
});

function jobSpecOf(revision: { [field: string]: unknown }): never {
  const data = revision['data'] as { spec: { template: { child: { spec: never } } } };
  return data.spec.template.child.spec;
}

test('the ticks of a view are those of the live template, as the children show them', () => {
  const { ticks } = viewOf({ now: '2:10', stable: 'other', ticks: '1:00 2:00', children: '1:00+ 2:00' });
  expect([ticks.recorded, ticks.now]).toEqual([ticksOf('1:00 2:00'), ticksOf('1:00+ 2:00')]);
  // Those of a stable one count no more, though they are still on record.
  expect(viewOf({ now: '2:10', ticks: '1:00+', children: '1:00+' }).ticks).toEqual({ recorded: [], now: [] });
});
