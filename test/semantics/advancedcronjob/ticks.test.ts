import { describe, expect, test } from 'vitest';
import {
  countedTicks,
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
