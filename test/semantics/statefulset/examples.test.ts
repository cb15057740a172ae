import { describe, expect, test } from 'vitest';
import { actions, type Given } from './model.ts';

type Row = readonly [n: string, what: string, given: Given, acts: readonly string[]];

const ordered = (replicas: number, pods: string, more: Partial<Given> = {}): Given => ({
  policy: 'OrderedReady',
  replicas,
  pods,
  ...more,
});
const parallel = (replicas: number, pods: string, more: Partial<Given> = {}): Given => ({
  policy: 'Parallel',
  replicas,
  pods,
  ...more,
});
const reverted = (pods: string, more: Partial<Given> = {}): Given =>
  parallel(5, pods, { live: 'old', ...more });
const two = { partition: 2, max: 2, reserve: [1] };
const nine = { partition: 5, max: 9, reserve: [3, 4] };
const weights = (...terms: readonly [weight: number, label: string][]): Given['rolling'] => ({
  unorderedUpdate: {
    priorityStrategy: {
      weightPriority: terms.map(([weight, label]) => ({
        weight,
        matchSelector: { matchLabels: { [label]: 'is' } },
      })),
    },
  },
});

const rows: readonly Row[] = [
  ['1', 'none exist (AS-1)', ordered(3, ''), ['create 0@new']],
  ['1', 'then 1', ordered(3, '0n'), ['create 1@new']],
  [
    '1',
    'all at once (AS-2)',
    parallel(5, ''),
    ['create 0@new', 'create 1@new', 'create 2@new', 'create 3@new', 'create 4@new'],
  ],
  [
    '1',
    'one ordinal is reserved (AS-5)',
    parallel(4, '', { reserve: [1] }),
    ['create 0@new', 'create 2@new', 'create 3@new', 'create 4@new'],
  ],
  [
    '1',
    'a range and a number are reserved (AS-6)',
    parallel(4, '', { reserve: ['2-5', 7] }),
    ['create 0@new', 'create 1@new', 'create 6@new', 'create 8@new'],
  ],
  [
    '1',
    'from the first ordinal (AS-9)',
    parallel(3, '', { start: 3 }),
    ['create 3@new', 'create 4@new', 'create 5@new'],
  ],
  [
    '1',
    'a first ordinal that is left out is 0, as where the gate is off',
    parallel(3, ''),
    ['create 0@new', 'create 1@new', 'create 2@new'],
  ],
  ['2', 'one not ready', ordered(3, '0!'), []],
  ['3', 'a new template', ordered(3, '0 1 2'), ['delete 2']],
  ['3', 'one at a time, whatever may be unavailable (AS-15)', ordered(3, '0 1 2', { max: 3 }), ['delete 2']],
  ['3', 'it is gone', ordered(3, '0 1'), ['create 2@new']],
  ['3', 'it is starting', ordered(3, '0 1 2n!'), []],
  ['3', 'it is available', ordered(3, '0 1 2n'), ['delete 1']],
  ['4', 'a broken pod stops it all (AS-21)', ordered(3, '0! 1 2'), []],
  ['4', 'and so does the pod that is first in the order (AS-21)', ordered(3, '0 1 2!'), []],
  ['5', 'reverted, and the new pod is broken', ordered(3, '0 1 2n!', { live: 'old' }), []],
  ['5', 'that one is deleted by hand', ordered(3, '0 1', { live: 'old' }), ['create 2@old']],
  ['6', 'partition', ordered(5, '0 1 2 3 4', { partition: 3 }), ['delete 4']],
  ['6', 'then', ordered(5, '0 1 2 3 4n', { partition: 3 }), ['delete 3']],
  ['6', 'the end', ordered(5, '0 1 2 3n 4n', { partition: 3 }), []],
  [
    '6',
    'in parallel (AS-11)',
    parallel(5, '0 1 2 3 4', { partition: 2, max: 5 }),
    ['delete 4', 'delete 3', 'delete 2'],
  ],
  ['6', 'the partition is raised (AS-14)', parallel(5, '0n 1n 2n 3n 4n', { partition: 3 }), []],
  ['7', 'minReadySeconds', ordered(3, '0 1 2n~', { rolling: { minReadySeconds: 10 } }), []],
  ['8', 'three at once', parallel(5, '0 1 2 3 4', { max: 3 }), ['delete 4', 'delete 3', 'delete 2']],
  ['8', 'one is available', parallel(5, '0 1 2n! 3n! 4n', { max: 3 }), ['delete 1']],
  ['8', 'another is', parallel(5, '0 1n! 2n! 3n 4n', { max: 3 }), ['delete 0']],
  ['9', 'a percentage', parallel(10, '0 1 2 3 4 5 6 7 8 9', { max: '25%' }), ['delete 9', 'delete 8']],
  ['9', 'never none (AS-17)', parallel(3, '0 1 2', { max: '20%' }), ['delete 2']],
  ['9', 'it rounds down (AS-17)', parallel(3, '0 1 2', { max: '60%' }), ['delete 2']],
  ['10', 'the budget is used by 2 (AS-18)', parallel(5, '0 1 2! 3 4'), []],
  ['11', 'the broken one is first', parallel(5, '0 1 2 3 4!'), ['delete 4']],
  ['12', 'one below is broken', parallel(5, '0 1! 2 3 4', { max: 2 }), ['delete 4']],
  ['12', 'blocked at 3', parallel(5, '0 1! 2 3 4n!', { max: 2 }), []],
  [
    '13',
    'all are broken (AS-19)',
    parallel(5, '0! 1! 2! 3! 4!'),
    ['delete 4', 'delete 3', 'delete 2', 'delete 1', 'delete 0'],
  ],
  ['14', 'three are broken', parallel(5, '0! 1! 2 3! 4'), []],
  ['15', 'one below the partition is broken (AS-20)', parallel(5, '0! 1 2 3 4', { partition: 3 }), []],
  ['16', 'a reserved ordinal', parallel(4, '0 2 3 4', two), ['delete 4', 'delete 3']],
  ['16', 'the end', parallel(4, '0 2 3n 4n', two), []],
  ['17', 'an old pod is lost (AS-13)', parallel(4, '0 3n 4n', two), ['create 2@old']],
  ['18', 'a new pod is lost (AS-13)', parallel(4, '0 2 4n', two), ['create 3@new']],
  [
    '19',
    'two reserved ordinals (AS-12)',
    parallel(9, '0 1 2 5 6 7 8 9 10', nine),
    ['delete 10', 'delete 9', 'delete 8', 'delete 7'],
  ],
  [
    '20',
    'and a first ordinal',
    parallel(9, '2 5 6 7 8 9 10 11 12', { ...nine, start: 2 }),
    ['delete 12', 'delete 11', 'delete 10', 'delete 9'],
  ],
  [
    '21',
    'a reservation below it',
    parallel(4, '2 4 5 6', { start: 2, reserve: [1, 3], partition: 1, max: 2 }),
    ['delete 6', 'delete 5'],
  ],
  [
    '22',
    'an ordinal becomes reserved (AS-8)',
    parallel(4, '0n 1n 2n 3n', { reserve: [1] }),
    ['create 4@new', 'delete 1'],
  ],
  ['23', 'one after the other', ordered(4, '0n 1n 2n 3n', { reserve: [1] }), ['create 4@new']],
  ['23', 'then', ordered(4, '0n 1n 2n 3n 4n', { reserve: [1] }), ['delete 1']],
  ['24', 'one more', parallel(4, '0n 2n 3n 4n', { reserve: [1, 3] }), ['create 5@new', 'delete 3']],
  ['24', 'and one replica less', parallel(3, '0n 2n 3n 4n', { reserve: [1, 3] }), ['delete 3']],
  ['25', 'a reservation ends', ordered(4, '0n 2n 3n 4n'), ['create 1@new']],
  ['25', 'then', ordered(4, '0n 1n 2n 3n 4n'), ['delete 4']],
  [
    '26',
    'another first ordinal (AS-10)',
    parallel(3, '0n 1n', { start: 2 }),
    ['create 2@new', 'create 3@new', 'create 4@new', 'delete 1', 'delete 0'],
  ],
  ['26', 'one by one', ordered(3, '0n 1n 2n 3n 4n', { start: 2 }), ['delete 1']],
  ['27', 'scale-in, 3 broken', ordered(3, '0n 1n 2n 3n! 4n'), ['delete 4']],
  ['27', 'wait until it is gone', ordered(3, '0n 1n 2n 3n! 4nt'), []],
  ['27', 'then (AS-56)', ordered(3, '0n 1n 2n 3n!'), ['delete 3']],
  ['28', 'scale-in, both broken (AS-56)', ordered(3, '0n 1n 2n 3n! 4n!'), []],
  ['28', 'both at once (AS-56)', parallel(3, '0n 1n 2n 3n! 4n!'), ['delete 4', 'delete 3']],
  ['29', 'scale-in before the update', ordered(3, '0 1 2 3 4'), ['delete 4']],
  ['29', 'it is gone', ordered(3, '0 1 2 3'), ['delete 3']],
  ['29', 'only then', ordered(3, '0 1 2'), ['delete 2']],
  ['30', 'scale-out in a rollout', parallel(6, '0 1 2'), ['create 3@new', 'create 4@new', 'create 5@new']],
  ['30', 'the update waits', parallel(6, '0 1 2 3n 4n! 5n'), []],
  ['31', 'paused, one lost (AS-22)', parallel(5, '0 2 3 4', { rolling: { paused: true } }), ['create 1@new']],
  ['31', 'paused (AS-22)', parallel(5, '0 1 2 3 4', { rolling: { paused: true } }), []],
  [
    '32',
    'unordered: updated pods anywhere count',
    parallel(5, '0 1n 2 3 4', { partition: 2, max: 5, rolling: { unorderedUpdate: {} } }),
    ['delete 4', 'delete 3'],
  ],
  [
    '32',
    'unordered: a lost pod is new if enough others are old',
    parallel(5, '0 1 3n 4n', { partition: 2, rolling: { unorderedUpdate: {} } }),
    ['create 2@new'],
  ],
  [
    '32',
    'unordered: a lost pod is old if too few others are',
    parallel(5, '1n 2 3n 4n', { partition: 2, rolling: { unorderedUpdate: {} } }),
    ['create 0@old'],
  ],
  [
    '32',
    'ordered',
    parallel(5, '0 1n 2 3 4', { partition: 2, max: 5 }),
    ['delete 4', 'delete 3', 'delete 2'],
  ],
  [
    '33',
    'orderPriority (AS-27)',
    parallel(5, '0 1 2 3 4', {
      max: 5,
      rolling: { unorderedUpdate: { priorityStrategy: { orderPriority: [{ orderedKey: 'key' }] } } },
      labels: { 1: { key: 'z-2' }, 3: { key: 'z-10' } },
    }),
    ['delete 4', 'delete 2', 'delete 0', 'delete 3', 'delete 1'],
  ],
  [
    '34',
    'weightPriority (AS-28)',
    parallel(5, '0 1 2 3 4', {
      partition: 1,
      max: 3,
      rolling: weights([50, 'first'], [30, 'second']),
      labels: { 0: { first: 'is' }, 2: { second: 'is' } },
    }),
    ['delete 0', 'delete 2', 'delete 4'],
  ],
  [
    '34',
    'weights add up (AS-28)',
    parallel(3, '0 1 2', {
      max: 2,
      rolling: weights([50, 'first'], [60, 'second'], [30, 'third']),
      labels: { 0: { first: 'is', third: 'is' }, 1: { second: 'is' } },
    }),
    ['delete 0', 'delete 1'],
  ],
  [
    '35',
    'marked pods (AS-24, AS-25)',
    parallel(5, '0n 1n! 2n!x 3nx 4nx', { max: 3 }),
    ['delete 4', 'delete 2'],
  ],
  ['36', 'a marked pod beside a broken one (AS-24)', parallel(3, '0n! 1n 2nx'), []],
  ['36', 'the broken one is marked (AS-24)', parallel(3, '0n!x 1n 2n'), ['delete 0']],
  ['36', 'marked, and paused (AS-23)', parallel(3, '0n 1n 2nx', { rolling: { paused: true } }), []],
  ['36', 'marked, with OnDelete (AS-23)', parallel(3, '0n 1n 2nx', { onDelete: true }), []],
  ['37', 'a limit on creation (AS-39)', parallel(5, '', { scale: 2 }), ['create 0@new', 'create 1@new']],
  [
    '37',
    'a percentage, which rounds down',
    parallel(5, '', { scale: '50%' }),
    ['create 0@new', 'create 1@new'],
  ],
  ['37', 'one more', parallel(5, '0n 1n!', { scale: 2 }), ['create 2@new']],
  ['38', 'the limit is spent', parallel(10, '0n! 1n! 2n! 3n! 4n 5n', { scale: 3 }), []],
  ['39', 'one is charged twice (AS-39)', parallel(5, '0n 1n!t 2n', { scale: 3 }), ['create 3@new']],
  ['39', 'it is still ready', parallel(5, '0n 1nt 2n', { scale: 3 }), ['create 3@new', 'create 4@new']],
  ['41', 'reverted, the budget is used', reverted('0 1 2n! 3n 4n'), []],
  ['41', 'a larger budget', reverted('0 1 2n! 3n 4n', { max: 2 }), ['delete 4']],
  ['42', 'reverted, the broken pod is first', reverted('0 1 2 3 4n!'), ['delete 4']],
  ['43', 'one terminates for long', parallel(5, '0 1t 2 3 4'), []],
  ['43', 'a larger budget', parallel(5, '0 1t 2 3 4', { max: 2 }), ['delete 4']],
  [
    '44',
    'two limits (AS-40)',
    parallel(10, '0 1 2 3 4 5 6', { max: 6, scale: 2 }),
    ['create 7@new', 'create 8@new', 'delete 6', 'delete 5', 'delete 4'],
  ],
  ['45', 'partition above replicas', parallel(3, '0 1 2', { partition: 10 }), []],
];

describe('the worked examples of OpenKruise (advanced-statefulset, 6.15), with its own strategy', () => {
  test.each(rows)('%s: %s', (_n, _what, given, acts) => {
    expect(actions(given)).toEqual(acts);
  });
});

test('40: a pod that has ended is deleted whatever the limit on creation is (AS-52, not as OpenKruise)', () => {
  for (const policy of ['OrderedReady', 'Parallel'] as const)
    for (const scale of [undefined, 1, 2])
      expect(
        actions({ policy, replicas: 3, pods: '0n 1nf 2n', ...(scale !== undefined && { scale }) }),
      ).toEqual(['delete 1']);
});
