import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import { actions, back, type Given, hashes, ownStrategy, step } from './model.ts';

type Row = readonly [item: string, what: string, given: Given, envelope: Envelope, acts: readonly string[]];

const parallel = (replicas: number, pods: string, more: Partial<Given> = {}): Given => ({
  replicas,
  pods,
  max: 2,
  ...more,
});
const ordered = (replicas: number, pods: string, more: Partial<Given> = {}): Given => ({
  policy: 'OrderedReady',
  replicas,
  pods,
  ...more,
});
const own = ownStrategy();
/** The rollout is complete under its partition. */
const standing = (n: number, replicas: number): Envelope =>
  step(replicas - n, { stable: hashes.new, retained: { hash: hashes.old, n } });
const all: JsonObject = { podUpdatePolicy: 'InPlaceIfPossible' };

/** OpenKruise was about to delete web-1. */
const leaving: Partial<Given> = {
  rolling: { paused: true },
  labels: { 1: { 'lifecycle.apps.kruise.io/state': 'PreparingDelete' } },
};

/** Section 10 and rule 6.14, as far as the worked examples and the rules of plans do not have them. */
const rows: readonly Row[] = [
  [
    '6.14',
    'a dead node: its pod is not deleted again, and its ordinal waits',
    parallel(3, '0n 1nt 2n'),
    own,
    [],
  ],
  ['6.14', 'and in a step, too', parallel(3, '0 1t 2', { max: 1 }), step(3), []],
  ['6.14', 'with OrderedReady a fix above it waits for its ordinal', ordered(3, '0t 1! 2'), step(3), []],
  [
    '6.14',
    'going back passes two broken pods that are scaled in',
    ordered(2, '0 1n 2n! 3n!', { live: 'old' }),
    back(),
    ['delete 3'],
  ],
  ['6.14', 'so that the rest goes back', ordered(2, '0 1n', { live: 'old' }), back(), ['delete 1']],
  ['6.14', 'a step passes them as well', ordered(2, '0 1 2! 3!'), step(2), ['delete 3']],
  [
    '10.5',
    'a pod that has ended is replaced in a step',
    parallel(3, '0n 1nf 2n', { scale: 1 }),
    step(3),
    ['delete 1'],
  ],
  ['10.6', 'a marked pod that is being deleted is left alone', parallel(3, '0n 1ntx 2n'), own, []],
  [
    '10.3',
    'a pod that OpenKruise was about to delete is wanted again: it becomes Normal',
    parallel(2, '0n 1n', leaving),
    own,
    ['set lifecycle Normal 1'],
  ],
  ['10.3', 'it is marked, and stays so', parallel(2, '0n 1nx', leaving), own, []],
  ['10.3', 'it waits for its scale-in, and stays so', ordered(1, '0n! 1n', leaving), own, []],
  [
    '10.7',
    'a reservation below a standing partition: the new pod is on what is stable',
    parallel(4, '0 1 2n 3n', { partition: 2, reserve: [0] }),
    standing(2, 4),
    ['create 4@new'],
  ],
  [
    '10.7',
    'and no pod goes back for it',
    parallel(4, '1 2n 3n 4n', { partition: 2, reserve: [0] }),
    standing(2, 4),
    [],
  ],
  [
    '10.10',
    'a name with a leading zero is no pod of the ordinal',
    parallel(2, '0n 01n'),
    own,
    ['create 1@new'],
  ],
  ['10.11', 'a reservation that ends beyond the last ordinal adds no pod', parallel(2, '0n 1n'), own, []],
  ['10.11', 'nor is one added by it', parallel(2, '0n 1n', { reserve: [5] }), own, []],
  ['10.11', 'unavailable pods later in the order count', parallel(3, '0! 1 2', { max: 1 }), own, []],
  [
    '10.11',
    'broken pods are replaced whatever may be missing at a time',
    parallel(2, '0! 1!', { scale: '100%' }),
    own,
    ['delete 1', 'delete 0'],
  ],
  [
    '10.12',
    'the budget is of the wanted pods, not of the present',
    parallel(10, '0 1 2 3', { max: '70%', scale: 1 }),
    own,
    ['create 4@new', 'delete 3'],
  ],
  [
    '10.15',
    'from zero, reservations apply',
    parallel(2, '', { reserve: [0, 2] }),
    own,
    ['create 1@new', 'create 3@new'],
  ],
  ['10.18', 'all at once', parallel(3, '0 1 2', { max: '100%' }), own, ['delete 2', 'delete 1', 'delete 0']],
  [
    '10.20',
    'a pod without a lifecycle label counts',
    parallel(2, '0 1', { max: 1, rolling: all, labels: { 1: { 'lifecycle.apps.kruise.io/state': '' } } }),
    step(2),
    ['drain 1'],
  ],
];

describe('edge cases (OpenKruise advanced-statefulset, 6.14 and 10)', () => {
  test.each(rows)('%s: %s', (_item, _what, given, envelope, acts) => {
    expect(actions(given, envelope)).toEqual(acts);
  });
});
