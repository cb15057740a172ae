import { describe, expect, test } from 'vitest';
import { writeBatch } from '../../runtime/act/write-batch.ts';
import { refusalEvent } from '../../runtime/report/drafts.ts';
import { createEventLimiter } from '../../runtime/report/event-limiter.ts';
import { createVirtualClock } from '../../sandbox/clock/virtual.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { Action } from '../../semantics/decision.ts';

function patch(name: string, opens: boolean): Action {
  const common = { do: 'patch', kind: 'Pod', name, verb: 'x', reason: 'a test', body: {} } as const;
  return opens ? { ...common, opens } : common;
}

function removal(name: string): Action {
  return { do: 'delete', kind: 'Pod', name, verb: 'x', reason: 'a test', uid: 'u', resourceVersion: '1' };
}

const many = (count: number, word: string, make: (name: string) => Action): Action[] =>
  Array.from({ length: count }, (_, index) => make(`${word}${index}`));
const names = (actions: readonly Action[]): string[] =>
  actions.map((action) => (action.do === 'create' ? '' : action.name));
const updates = (count: number): Action[] => many(count, 'update', (name) => patch(name, false));
const openings = (count: number): Action[] => many(count, 'open', (name) => patch(name, true));

describe('what one pass carries out of a decision', () => {
  test.each<[string, Action[], string[]]>([
    ['all of it, where there is room', [...updates(32), ...openings(32)], []],
    ['the first of them', updates(65), ['update64']],
    [
      'what gives pods back to their traffic before anything else, in the order of the decision',
      [...updates(60), ...openings(6)],
      ['update58', 'update59'],
    ],
    ['not even all of that', openings(66), ['open64', 'open65']],
    ['every delete', [...many(100, 'gone', removal), ...updates(66)], ['update64', 'update65']],
  ])('%s', (_, actions, left) => {
    const all = names(actions);
    expect(names(writeBatch(actions, 100))).toEqual(all.filter((name) => !left.includes(name)));
  });
});

test('of more pods one pass carries out more, because each goes over all of them', () => {
  const sizes = [1_000, 5_000, 10_000].map((pods) => writeBatch(updates(1_000), pods).length);
  expect(sizes).toEqual([64, 125, 250]);
});

describe('Events of many pods', () => {
  test('are told until nobody reads them any more, then one in a while says how many there were', async () => {
    const clock = createVirtualClock(0);
    const talk = createEventLimiter(clock);
    const say = (reason: string, count: number): string[] =>
      talk
        .admitted(
          Array.from({ length: count }, (_, index) => ({ type: 'Normal', reason, message: `pod ${index}` })),
        )
        .map((event) => event.message);
    expect(say('Updated', 30)).toHaveLength(25);
    expect(say('Updated', 1)).toEqual([]);
    expect(say('Created', 3)).toHaveLength(3);
    await clock.advance(10_000);
    expect(say('Updated', 2)).toEqual(['pod 0; 6 more suppressed before it']);
    await clock.advance(600_000);
    expect(say('Updated', 30)).toHaveLength(25);
  });

  test('what goes on is said when its words change, and once a minute', async () => {
    const clock = createVirtualClock(0);
    const talk = createEventLimiter(clock);
    const say = (message: string, reason = 'ScaleUpLimited'): number =>
      talk.changed([{ type: 'Warning', reason, message }]).length;
    expect([say('1 of 3'), say('1 of 3'), say('1 of 2'), say('1 of 3', 'Other')]).toEqual([1, 0, 1, 1]);
    await clock.advance(59_000);
    expect(say('1 of 2')).toBe(0);
    await clock.advance(2_000);
    expect(say('1 of 2')).toBe(1);
    // With other words every time it is rationed as all else.
    const said = Array.from({ length: 60 }, (_, index) => say(`${index} of 60`));
    expect(said.filter((count) => count > 0).length).toBeLessThan(30);
  });

  test.each([
    [patch('a', false), 'FailedUpdatePodInPlace'],
    [{ ...patch('a', false), verb: 'mark for recreation' }, 'FailedUpdatePodReCreate'],
    [removal('a'), 'FailedDelete'],
  ])('what the server refused has a reason of its own: %#', (action, reason) => {
    const error = new ApiError({ code: 403, reason: 'Forbidden', message: 'no' });
    expect(refusalEvent(action, error)).toEqual({ type: 'Warning', reason, message: `${action.verb}: no` });
  });
});
