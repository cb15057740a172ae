import { describe, expect, test } from 'vitest';
import { writeBatch } from '../../semantics/limits/write-batch.ts';
import { refusalEvent } from '../../runtime/report/drafts.ts';
import { createEventLimiter } from '../../runtime/report/event-limiter.ts';
import { createVirtualClock } from 'kruise-sandbox/clock';
import type { Action } from '../../semantics/decision.ts';

function patch(name: string, opens: boolean): Action {
  const common = { do: 'patch', kind: 'Pod', name, verb: 'x', reason: 'a test', body: {} } as const;
  return opens ? { ...common, restoresTraffic: opens } : common;
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

describe('the actions that one reconcile executes', () => {
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

test('what was refused comes last, the longest ago first, so that others have their turn', () => {
  const actions = updates(130);
  const turns = new Map<string, number>();
  const tried = new Set<string>();
  // All are refused, in each of three batches.
  for (let turn = 0; turn < 3; turn += 1)
    for (const name of names(writeBatch(actions, 100, (each) => turns.get(each) ?? 0))) {
      tried.add(name);
      turns.set(name, turns.size + turn * 1000 + 1);
    }
  expect(tried.size).toBe(130);
});

test('a refused opening comes before all that opens nothing, and copies are not limited', () => {
  const actions = [...updates(64), ...openings(1)];
  expect(names(writeBatch(actions, 100, (name) => (name === 'open0' ? 1 : 0)))).toContain('open0');
  const copies = updates(100).map((each): Action => ({ ...each, isCopy: true }));
  expect(writeBatch(copies, 100)).toEqual(copies);
});

test('the batch grows with the number of pods, because each reconcile iterates all of them', () => {
  const sizes = [1_000, 5_000, 10_000].map((pods) => writeBatch(updates(1_000), pods).length);
  expect(sizes).toEqual([64, 125, 250]);
});

describe('Events of many pods', () => {
  test('are sent up to a rate, then one Event states how many were suppressed', async () => {
    const clock = createVirtualClock(0);
    const limiter = createEventLimiter(clock);
    const send = (reason: string, count: number): string[] =>
      limiter
        .admitted(
          Array.from({ length: count }, (_, index) => ({ type: 'Normal', reason, message: `pod ${index}` })),
        )
        .map((event) => event.message);
    expect(send('Updated', 30)).toHaveLength(25);
    expect(send('Updated', 1)).toEqual([]);
    expect(send('Created', 3)).toHaveLength(3);
    await clock.advance(10_000);
    expect(send('Updated', 2)).toEqual(['pod 0; 6 more suppressed before it']);
    await clock.advance(600_000);
    expect(send('Updated', 30)).toHaveLength(25);
  });

  test('an ongoing fact is sent when its message changes, and once a minute', async () => {
    const clock = createVirtualClock(0);
    const limiter = createEventLimiter(clock);
    const send = (message: string, reason = 'ScaleUpLimited'): number =>
      limiter.changed([{ type: 'Warning', reason, message }]).length;
    expect([send('1 of 3'), send('1 of 3'), send('1 of 2'), send('1 of 3', 'Other')]).toEqual([1, 0, 1, 1]);
    await clock.advance(59_000);
    expect(send('1 of 2')).toBe(0);
    await clock.advance(2_000);
    expect(send('1 of 2')).toBe(1);
    // With other words every time it is rationed as all else.
    const sent = Array.from({ length: 60 }, (_, index) => send(`${index} of 60`));
    expect(sent.filter((count) => count > 0).length).toBeLessThan(30);
  });

  test.each([
    [patch('a', false), 'FailedUpdatePodInPlace'],
    [{ ...patch('a', false), verb: 'mark for recreation' }, 'FailedUpdatePodReCreate'],
    [removal('a'), 'FailedDelete'],
  ])('a refusal has a reason of its own: %#', (action, reason) => {
    expect(refusalEvent(action, 'no')).toEqual({ type: 'Warning', reason, message: `${action.verb}: no` });
  });
});
