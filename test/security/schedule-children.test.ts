import { describe, expect, test } from 'vitest';
import { timestamp } from '../../semantics/values/timestamp.ts';
import { at, decide, doneBy, type Given } from '../semantics/advancedcronjob/model.ts';

/** Hours since the day of the others: a child that is named for the year 2100. */
const FUTURE = '649000:00';
const Forbid = { concurrencyPolicy: 'Forbid' };
const Replace = { concurrencyPolicy: 'Replace' };
const ran = (time: string, uids: readonly string[] = []): Given['status'] => ({
  lastScheduleTime: timestamp(at(time)),
  active: uids.map((uid) => ({ uid })),
});

describe('an object that says that it is a child of a schedule', () => {
  test.each<[what: string, given: Given, done: string]>([
    [
      'of a time to come stops no tick',
      { now: '2:00', children: FUTURE, status: ran('1:00') },
      'create 02:00',
    ],
    [
      'of a time to come stops none with Forbid',
      { now: '2:00', children: FUTURE, spec: Forbid, status: ran('1:00') },
      'create 02:00',
    ],
    [
      'of a time that is not in the schedule stops none',
      { now: '2:00:30', children: '2:00:20', status: ran('1:00') },
      'create 02:00',
    ],
    [
      'of an old time, and never ends, stops none with Forbid',
      { now: '2:00', children: '0:30', spec: Forbid, status: ran('1:00') },
      'create 02:00',
    ],
    [
      'is not replaced, as it is not on record',
      { now: '2:00', children: '0:30', spec: Replace, status: ran('1:00') },
      'create 02:00',
    ],
    [
      'is one if it is on record as active',
      { now: '2:00', children: '0:00:01', spec: Forbid, status: ran('1:00', ['uid-0']) },
      '',
    ],
    [
      'is one, as after a crash, if it is of the time that is due',
      { now: '2:00:10', children: '2:00', status: ran('1:00') },
      '',
    ],
    [
      'counts for a constant delay in its steps only',
      { now: '2:00', children: '1:59:59', spec: { schedule: '@every 1h' }, status: ran('1:00') },
      'create 02:00',
    ],
  ])('%s', (_what, given, done) => {
    expect(doneBy(given)).toBe(done);
  });

  test('is not in the status, and its time is not recorded', () => {
    const { status } = decide({ now: '1:30', children: `0:30 ${FUTURE} 1:00`, status: ran('1:00') });
    expect(status).toMatchObject({ lastScheduleTime: timestamp(at('1:00')), active: [{ uid: 'uid-2' }] });
    expect(status.active).toHaveLength(1);
  });

  test('has stopped no schedule for good where its time was recorded before', () => {
    expect(doneBy({ now: '2:00', status: ran(FUTURE) })).toBe('create 02:00');
  });
});
