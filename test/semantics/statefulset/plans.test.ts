import { describe, expect, test } from 'vitest';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import { actions, back, decide, type Given, hashes, step } from './model.ts';

type Row = readonly [what: string, given: Given, envelope: Envelope, acts: readonly string[]];

const ordered = (pods: string, more: Partial<Given> = {}): Given => ({
  policy: 'OrderedReady',
  replicas: 5,
  pods,
  ...more,
});
const parallel = (pods: string, more: Partial<Given> = {}): Given => ({ replicas: 5, pods, max: 2, ...more });
const old = (pods: string, more: Partial<Given> = {}): Given => parallel(pods, { live: 'old', ...more });
/** Nothing is planned: lost pods are created at the stable revision. */
const held = step(5, { goal: hashes.old });
/** A way back that may have begun at any time. */
const unknown = back([], { back: { broken: [] } });

const rows: readonly Row[] = [
  ['a step of one', parallel('0 1 2 3 4'), step(1), ['delete 4']],
  ['a step of three, within the budget', parallel('0 1 2 3 4'), step(3), ['delete 4', 'delete 3']],
  [
    'a window lower than the budget',
    parallel('0 1 2 3 4'),
    step(3, { window: { maxUnavailable: 1 } }),
    ['delete 4'],
  ],
  [
    'marked pods have the budget of the manifest, an update has what is left of the lower one',
    parallel('0 1 2 3x 4x'),
    step(3, { window: { maxUnavailable: 1 } }),
    ['delete 4', 'delete 3'],
  ],
  [
    'a marked pod within the budget of both leaves nothing to the update',
    parallel('0 1 2 3 4x'),
    step(3, { window: { maxUnavailable: 1 } }),
    ['delete 4'],
  ],
  ['a step that is done', parallel('0 1 2 3 4n'), step(1), []],
  ['a gate: no pod is updated', parallel('0 1 2 3 4n'), step(3, { moving: false }), []],
  ['an updated pod is lost in a step that is done', parallel('0 1 2 3'), step(1), ['create 4@new']],
  ['an old pod is lost then', parallel('0 1 2 4n'), step(1), ['create 3@old']],
  ['one of each is lost: the highest is new', parallel('0 2 3'), step(1), ['create 1@old', 'create 4@new']],
  ['held: lost pods are old', parallel('0 1 2'), held, ['create 3@old', 'create 4@old']],
  [
    'scale-out in a step: the step is taken',
    parallel('0 1 2 3 4n', { replicas: 6 }),
    step(1),
    ['create 5@old'],
  ],
  ['partition below the step', parallel('0 1 2 3 4', { partition: 4 }), step(3), ['delete 4']],
  ['a bound of the plan', parallel('0 1 2 3 4'), step(5, { bound: 4 }), ['delete 4']],
  ['pods on a third revision first', parallel('0m 1 2 3 4', { max: 1 }), step(5), ['delete 0']],
  ['a broken pod first, though others are whole', parallel('0! 1 2 3 4', { max: 1 }), step(1), ['delete 0']],
  ['and its share of the step is used', parallel('1 2 3 4', { max: 1 }), step(1), ['create 0@new']],
  ['a broken pod below the partition stays', parallel('0! 1 2 3 4', { partition: 3, max: 1 }), step(5), []],
  ['broken pods one at a time', parallel('0! 1! 2! 3 4', { max: 1 }), step(5), ['delete 2']],
  ['not while one is missing', parallel('0! 1! 3 4', { max: 1 }), step(5), ['create 2@new']],
  ['ordered: the lowest broken pod first', ordered('0! 1 2! 3 4'), step(5), ['delete 0']],
  ['ordered: it comes back', ordered('1 2! 3 4'), step(5), ['create 0@new']],
  ['ordered: the next one waits for it', ordered('0n! 1 2! 3 4'), step(5), []],
  ['ordered: it is available', ordered('0n 1 2! 3 4'), step(5), ['delete 2']],
  ['ordered: a fix of the fix', ordered('0m! 1 3 4'), step(5), ['delete 0']],
  ['back: the broken pod first (AS-57)', old('0 1 2n! 3n 4n', { max: 1 }), back(), ['delete 2']],
  [
    'back: every broken pod',
    old('0 1n! 2n! 3n! 4n', { max: 1 }),
    back(),
    ['delete 3', 'delete 2', 'delete 1'],
  ],
  ['back: then the highest', old('0 1 2 3n 4n', { max: 1 }), back(), ['delete 4']],
  ['back: partition does not count', old('0 1 2 3n 4n', { partition: 5 }), back(), ['delete 4', 'delete 3']],
  [
    'back: what was broken before uses no budget',
    old('0! 1 2 3 4n', { max: 1 }),
    back(['web-0']),
    ['delete 4'],
  ],
  ['back: what breaks by itself uses no budget', old('0b 1 2 3n 4n', { max: 1 }), back(), ['delete 4']],
  ['back: what it has taken itself, and breaks, does', old('0 1 2 3n 4br', { max: 1 }), back(), []],
  ['back: the quorum of three is not lost', old('0n 1n 2br', { replicas: 3, max: 1 }), back(), []],
  [
    'back: what breaks by itself does where it is not known when it began',
    old('0b 1 2 3n 4n', { max: 1 }),
    unknown,
    [],
  ],
  ['back: what breaks by itself keeps a marked pod', old('0b 1x 2 3 4', { max: 1 }), back(), []],
  ['back: and pods that are displaced', old('0b 3 4 5 6 1', { reserve: [1, 2] }), back(), []],
  ['back: two of five that break do', old('0b 1b 2 3n 4n', { max: 1 }), back(), []],
  ['back: and what was never ready does', old('0! 1 2 3n 4n', { max: 1 }), back(), []],
  [
    'back, ordered: what breaks by itself stops nothing',
    ordered('0b 1 2 3 4n', { live: 'old' }),
    back(),
    ['delete 4'],
  ],
  [
    'back, ordered: what breaks by itself stops no creation',
    ordered('0b 1 2 3', { live: 'old' }),
    back(),
    ['create 4@old'],
  ],
  [
    'back, ordered: nor a broken pod of the change',
    ordered('0b 1 2n! 3 4n', { live: 'old' }),
    back(),
    ['delete 2'],
  ],
  ['back, ordered: but a scale-in', ordered('0b 1 2 3 4 5', { live: 'old' }), back(), []],
  ['back, ordered: and a marked pod', ordered('0b 1x 2 3 4', { live: 'old' }), back(), []],
  ['a step: what breaks by itself uses budget', parallel('0b 1 2 3 4', { max: 1 }), step(1), ['delete 0']],
  ['back, ordered: past the broken pod', ordered('0 1 2n! 3n 4n', { live: 'old' }), back(), ['delete 2']],
  [
    'back, ordered: what was broken before stops nothing',
    ordered('0! 1 2 3', { live: 'old' }),
    back(['web-0']),
    ['create 4@old'],
  ],
  [
    'a standing partition: its pods come back where they were',
    parallel('1 2n 3n 4n', { partition: 2 }),
    step(3, { goal: hashes.new, stable: hashes.new, retained: { hash: hashes.old, n: 2 } }),
    ['create 0@old'],
  ],
  [
    'a standing partition of two slots, and the next change has taken none: slot 1 is old, slot 2 stable',
    parallel('0 3n 4n', { partition: 2 }),
    step(0, { goal: hashes.mid, stable: hashes.new, retained: { hash: hashes.old, n: 2 } }),
    ['create 1@old', 'create 2@new'],
  ],
  [
    'the same while nothing is planned: slots 2 and 3 are not retained',
    parallel('0 4n', { partition: 2 }),
    step(3, { goal: hashes.new, stable: hashes.new, retained: { hash: hashes.old, n: 2 } }),
    ['create 1@old', 'create 2@new', 'create 3@new'],
  ],
  [
    'a standing partition of two slots: the broken slot 1 stays, and slot 2 is updated',
    parallel('0 1! 2 3n 4n'),
    step(3, { goal: hashes.new, stable: hashes.new, retained: { hash: hashes.old, n: 2 } }),
    ['delete 2'],
  ],
  [
    'a standing partition counts slots, not ordinals: with the first one reserved it retains ordinals 1 and 2',
    parallel('4n 5n', { partition: 2, reserve: [0] }),
    step(0, { goal: hashes.mid, stable: hashes.new, retained: { hash: hashes.old, n: 2 } }),
    ['create 1@old', 'create 2@old', 'create 3@new'],
  ],
  [
    'the partition is lowered under a plan',
    parallel('0 1 2n 3n 4n'),
    step(5, { goal: hashes.new, stable: hashes.new, retained: { hash: hashes.old, n: 2 } }),
    ['delete 1', 'delete 0'],
  ],
  [
    'a reservation displaces pods one at a time',
    parallel('0n 1n 2n 3n 4n 5n 6n', { reserve: [1, 2] }),
    step(5),
    ['delete 2'],
  ],
  [
    'and only once the new ones are whole',
    parallel('0n 1n 2n 3n 4n 5n 6n!', { reserve: [1, 2] }),
    step(5),
    [],
  ],
  ['the next when it is gone', parallel('0n 1n 2nt 3n 4n 5n 6n', { reserve: [1, 2] }), step(5), []],
  ['scale-in is not gated', parallel('0 1 2 3 4 5 6'), held, ['delete 6', 'delete 5']],
  ['being deleted (AS-55)', parallel('0 1! 2 3 4 5', { deleting: true }), step(5), []],
  ['paused', parallel('0 1 2 3 4', { rolling: { paused: true } }), step(5), []],
  ['OnDelete: nothing is updated', parallel('0 1 2 3 4', { onDelete: true }), step(2), []],
  [
    'OnDelete: as many as the step allows, others as before',
    parallel('1 2', { onDelete: true }),
    step(2),
    ['create 0@old', 'create 3@new', 'create 4@new'],
  ],
];

describe('within the envelope of a plan', () => {
  test.each(rows)('%s', (_what, given, envelope, acts) => {
    expect(actions(given, envelope)).toEqual(acts);
  });
});

const grace = { inPlaceUpdateStrategy: { gracePeriodSeconds: 10 } };
const inPlace = { podUpdatePolicy: 'InPlaceIfPossible' };

describe('in place', () => {
  test.each<Row>([
    [
      'the highest is drained first (AS-31)',
      ordered('0 1 2 3 4', { rolling: inPlace }),
      step(5),
      ['drain 4'],
    ],
    [
      'a grace period: out of traffic at once (AS-34)',
      parallel('0 1 2 3 4', { max: 1, rolling: { ...inPlace, ...grace } }),
      step(5),
      ['drain 4'],
    ],
    [
      'the image stays as long as it lasts (AS-34)',
      parallel('0 1 2 3 4d~', { max: 1, rolling: { ...inPlace, ...grace } }),
      step(5),
      [],
    ],
    [
      'it changes when it is over (AS-34)',
      parallel('0 1 2 3 4d', { max: 1, rolling: { ...inPlace, ...grace } }),
      step(5),
      ['update in place 4'],
    ],
    ['then changed (AS-31)', ordered('0 1 2 3 4d', { rolling: inPlace }), step(5), ['update in place 4']],
    ['then the next', ordered('0 1 2 3 4n', { rolling: inPlace }), step(5), ['drain 3']],
    [
      'as many as the budget (AS-35)',
      parallel('0 1 2 3 4', { rolling: inPlace }),
      step(5),
      ['drain 4', 'drain 3'],
    ],
    [
      'a pod that still runs its old image counts (AS-35)',
      parallel('0 1 2 3 4ni', { max: 1, rolling: inPlace }),
      step(5),
      [],
    ],
    [
      'a changed environment makes a new pod (AS-32)',
      parallel('0 1 2 3 4m', { max: 1, rolling: inPlace }),
      step(5),
      ['delete 4'],
    ],
    [
      'under InPlaceOnly nothing does (AS-33)',
      parallel('0 1 2 3 4m', { max: 1, rolling: { podUpdatePolicy: 'InPlaceOnly' } }),
      step(5),
      [],
    ],
    [
      'a drained pod comes before others',
      parallel('0 1 2 3d 4', { max: 1, rolling: inPlace }),
      step(5),
      ['update in place 3'],
    ],
    [
      'a drained pod that may not be updated any more gets its traffic back',
      parallel('0 1 2 3d 4n', { rolling: inPlace }),
      step(1),
      ['set InPlaceUpdateReady=True 3'],
    ],
    [
      'a plan that allows no recreation stops at the first pod',
      parallel('0 1 2 3 4'),
      step(5, { mode: 'InPlace' }),
      [],
    ],
  ])('%s', (_what, given, envelope, acts) => {
    expect(actions(given, envelope)).toEqual(acts);
  });
});

test('a pod that is changed in place gets the new image and the label of the new revision (AS-31)', () => {
  const [action] = decide(ordered('0 1 2 3 4d', { rolling: inPlace }), step(5)).actions;
  expect(action).toMatchObject({
    verb: 'update in place',
    name: 'web-4',
    body: {
      metadata: { labels: { 'controller-revision-hash': 'web-new' } },
      spec: { containers: [{ name: 'main', image: 'web:2' }] },
    },
  });
});

test('a pod that the selector does not match is released, and its name is taken (AS-51)', () => {
  const given = parallel('0n 1n', { replicas: 2, labels: { 1: { app: 'db' } } });
  expect(actions(given, step(2))).toEqual(['release 1']);
});
