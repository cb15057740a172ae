import { describe, expect, test } from 'vitest';
import {
  allowedTicks,
  countedTicks,
  judgeTicks,
  MOST_TICKS,
  observedTicks,
  readTicks,
  takenTicks,
  ticksText,
} from '../../../semantics/advancedcronjob/ticks.ts';
import { at, shownTicks, ticksOf, viewOf } from './model.ts';

describe('ticks on record', () => {
  test('are read as they were written, oldest first', () => {
    const ticks = ticksOf('9:00+ 10:00-10:05 11:00');
    expect(ticksText(ticks.toReversed())).toBe('1772528400+ 1772532000-1772532300 1772535600');
    expect(readTicks(ticksText(ticks))).toEqual(ticks);
    expect(readTicks(undefined)).toEqual([]);
  });

  test.each(['x', '1+ ', '1+2', '1-', '-1', '1+ x', '1234567890123'])('%j was not written so', (text) => {
    expect(readTicks(text)).toEqual([]);
  });

  test('are the newest ones', () => {
    const many = Array.from({ length: MOST_TICKS + 1 }, (_, n) => ({
      at: n * 1000,
      outcome: 'started' as const,
    }));
    expect(readTicks(ticksText(many))).toEqual(many.slice(1));
  });
});

test.each<[what: string, ticks: string, children: string, due: string | undefined, after: string]>([
  ['nothing new', '9:00+ 10:00', '9:00+ 10:00', undefined, '9:00+ 10:00'],
  ['a success', '10:00', '10:00+', undefined, '10:00+'],
  ['a failure', '10:00', '10:00-', undefined, '10:00-10:30'],
  [
    'an end that was seen stays, though its child is gone',
    '9:00+ 10:00-10:05',
    '',
    undefined,
    '9:00+ 10:00-10:05',
  ],
  ['a child that is gone has failed', '9:00', '10:00', undefined, '9:00-10:30'],
  ['a child that is not created yet', '10:00', '9:00+', '10:00', '10:00'],
  ['a child that was never created', '10:00', '9:00+', undefined, ''],
  ['a child that was never created, before another', '9:30 10:00', '9:00+', '10:00', '10:00'],
])('observed: %s', (_what, text, children, due, after) => {
  const view = viewOf({ now: '10:30', children });
  const options = { last: view.last, due: due === undefined ? undefined : at(due), now: at('10:30') };
  const ticks = ticksOf(text);
  const observed = observedTicks(ticks, view.children, options);
  expect(shownTicks(observed)).toBe(shownTicks(ticksOf(after)));
});

test.each<[what: string, ticks: string, counted: string, taken: number]>([
  ['none', '', '', 0],
  ['a success and one that runs', '9:00+ 10:00', '9:00+ 10:00', 2],
  ['a failure, which may be repeated', '9:00+ 10:00-10:05', '9:00+ 10:00-10:05', 1],
  ['a failure before a later success', '9:00-9:05 10:00+', '10:00+', 1],
  ['a failure that was seen after a later tick had begun', '9:00-10:05 10:00+', '9:00-10:05 10:00+', 1],
])('counted: %s', (_what, text, counted, taken) => {
  const ticks = countedTicks(ticksOf(text));
  expect([shownTicks(ticks), takenTicks(ticks)]).toEqual([shownTicks(ticksOf(counted)), taken]);
});

test.each<[what: string, ticks: string, wanted: number, excused: string[], judged: object]>([
  ['none', '', 1, [], { is: 'underway', waitingOn: 'ticks: 0 of 1 have succeeded' }],
  ['one that runs', '9:00', 1, [], { is: 'underway', waitingOn: 'ticks: 0 of 1 have succeeded' }],
  ['so many children succeeded', '9:00+ 10:00+', 2, [], { is: 'done' }],
  ['one too few', '9:00+', 2, [], { is: 'underway', waitingOn: 'ticks: 1 of 2 have succeeded' }],
  [
    'a child failed',
    '9:00+ 10:00-10:05',
    1,
    [],
    { is: 'failed', message: 'the child of 2026-03-03T10:00:00Z has failed' },
  ],
  [
    'it had failed before',
    '10:00-10:05',
    1,
    ['10:00'],
    { is: 'underway', waitingOn: 'ticks: 0 of 1 have succeeded' },
  ],
  ['it had failed before, and the next one has not', '10:00-10:05 11:00+', 1, ['10:00'], { is: 'done' }],
  [
    'it had failed before, and the next one has, too',
    '10:00-10:05 11:00-11:05',
    1,
    ['10:00'],
    { is: 'failed', message: 'the child of 2026-03-03T11:00:00Z has failed' },
  ],
])('judged: %s', (_what, text, wanted, excused, judged) => {
  expect(judgeTicks(ticksOf(text), wanted, new Set(excused.map(at)))).toEqual(judged);
});

test.each<[to: number | string, before: number, allowed: number | undefined]>([
  [1, 0, 1],
  [3, 1, 3],
  ['100%', 0, 1],
  ['100%', 3, 4],
  ['50%', 1, undefined],
  [MOST_TICKS + 1, 0, MOST_TICKS],
])('a step to %s after %i allows %s', (to, before, allowed) => {
  expect(allowedTicks(to, before)).toBe(allowed);
});
