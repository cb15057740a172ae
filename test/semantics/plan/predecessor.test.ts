import { describe, expect, test } from 'vitest';
import type { Accepted } from '../../../semantics/plan/memory.ts';
import {
  type Predecessor,
  predecessorsTimeoutAt,
  waitsForPredecessor,
} from '../../../semantics/plan/predecessor.ts';
import { accepted, NEW, NEWER, NOW, OLD, planObject, spec, view } from './rollout.ts';

const after = [{ kind: 'CloneSet', name: 'db' }];
const plan = planObject(spec({ digest: 'h1:bbbb', after }));
const settled = view({ name: 'db', stable: NEW });
const under = (
  phase: Accepted['progress']['phase'],
  parts: Partial<Accepted['progress']> = {},
): Accepted[] => [accepted(spec(), { phase, ...parts })];

function why(parts: Partial<Predecessor>, now = NOW): string | undefined {
  const [reference = { kind: '', name: '' }] = after;
  const db: Predecessor = { reference, view: settled, plans: [], memory: [], ...parts };
  return waitsForPredecessor(plan, [db], now);
}

describe('a plan that comes after another target waits until that one is settled', () => {
  test.each([
    ['it is on the revision of its manifest, without any plan', {}],
    ['its plan has succeeded', { memory: under('Succeeded'), plans: [planObject(spec())] }],
    [
      'its plan was reverted by git',
      { view: view({ liveHash: OLD }), memory: under('Reverted', { cause: 'git' }) },
    ],
    [
      'a failed plan leads to another revision than the manifest',
      { view: view({ liveHash: OLD }), memory: under('Halted') },
    ],
    [
      'an obsolete plan leads to another revision',
      { plans: [planObject(spec({ digest: 'h1:9999', to: { hash: NEWER, bound: {} } }))] },
    ],
  ] as [string, Partial<Predecessor>][])('starts if %s', (_, parts) => {
    expect(why(parts)).toBeUndefined();
  });

  const waits: [string, Partial<Predecessor>, string][] = [
    ['does not exist', { view: undefined }, 'which is not there'],
    ['has not followed its manifest', { view: view() }, 'which is not at the revision of its manifest'],
    [
      'was reverted by git, and has not started again',
      { view: view(), memory: under('Reverted', { cause: 'git' }) },
      'which is not at the revision of its manifest',
    ],
    [
      'has an invalid plan, to any revision',
      {
        plans: [
          {
            ...planObject(spec({ to: { hash: NEWER, bound: {} } })),
            refused: { reason: 'Unverified', message: '' },
          },
        ],
      },
      'whose plan plan-aaaa is not active yet',
    ],
    ['runs', { memory: under('Running') }, 'whose rollout is Running'],
    ['waits for an approval', { memory: under('AwaitingApproval') }, 'whose rollout is AwaitingApproval'],
    ['soaks', { memory: under('Soaking') }, 'whose rollout is Soaking'],
    ['is checked', { memory: under('Checking') }, 'whose rollout is Checking'],
    ['goes back', { memory: under('Reverting', { cause: 'git' }) }, 'whose rollout is Reverting'],
    ['is halted', { memory: under('Halted') }, 'whose rollout is Halted'],
    ['was aborted', { memory: under('Aborted') }, 'whose rollout is Aborted'],
    [
      'was reverted after a failure',
      { memory: under('Reverted', { cause: 'failure' }) },
      'whose rollout is Reverted',
    ],
    [
      'was reverted by a command',
      { memory: under('Reverted', { cause: 'person' }) },
      'whose rollout is Reverted',
    ],
    [
      'has a plan to the revision of its manifest',
      { plans: [planObject(spec())] },
      'whose plan plan-aaaa is not active yet',
    ],
    [
      'has a plan that cannot be believed',
      { plans: [{ ...planObject(spec()), refused: { reason: 'Unverified', message: '' } }] },
      'whose plan plan-aaaa is not active yet',
    ],
  ];
  test.each(waits)('waits if it %s', (_, parts, message) => {
    expect(why(parts)).toContain(`comes after CloneSet db, ${message}`);
  });

  test('a plan that only got commands before acceptance is not active', () => {
    const said = under('Pending', { paused: { by: 'mona' } });
    expect(why({ memory: said, plans: [planObject(spec())] })).toContain('is not active yet');
  });

  test('all of several must be settled, and the first that is not is named', () => {
    const there: Predecessor = {
      reference: { kind: 'CloneSet', name: 'cache' },
      view: settled,
      plans: [],
      memory: [],
    };
    const gone: Predecessor = { ...there, reference: { kind: 'CloneSet', name: 'db' }, view: undefined };
    expect(waitsForPredecessor(plan, [there, there], NOW)).toBeUndefined();
    expect(waitsForPredecessor(plan, [there, gone], NOW)).toContain('comes after CloneSet db, which is not');
  });

  test('it waits ten seconds for the plans of its predecessors', () => {
    const fresh = { ...plan, since: NOW };
    const db: Predecessor = {
      reference: { kind: 'CloneSet', name: 'db' },
      view: settled,
      plans: [],
      memory: [],
    };
    const said = 'waits 10s for the plans of its predecessors';
    expect(waitsForPredecessor(fresh, [db], NOW)).toBe(said);
    expect(waitsForPredecessor(fresh, [db], NOW + 9_999)).toBe(said);
    expect(waitsForPredecessor(fresh, [db], NOW + 10_000)).toBeUndefined();
    expect(predecessorsTimeoutAt(fresh)).toBe(NOW + 10_000);
  });

  test('a plan that comes after nothing waits for nothing', () => {
    const free = { ...planObject(spec()), since: NOW };
    expect(waitsForPredecessor(free, [], NOW)).toBeUndefined();
    expect(predecessorsTimeoutAt(free)).toBeUndefined();
    expect(predecessorsTimeoutAt({ ...planObject(spec({ group: '1' })), since: NOW })).toBe(NOW + 10_000);
  });
});
