import { describe, expect, test } from 'vitest';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import { actions, back, type Given, hashOf, NOW, ownStrategy, reasons, snapshotOf, step } from './model.ts';

type Row = readonly [what: string, given: Given, envelope: Envelope, acts: readonly string[]];

const FIVE = 'n1 n2 n3 n4 n5';
const five = (pods: string, more: Partial<Given> = {}): Given => ({
  nodes: FIVE,
  pods,
  rolling: { maxUnavailable: 2 },
  ...more,
});
const old = (pods: string, more: Partial<Given> = {}): Given => five(pods, { live: 'old', ...more });
const surging = (pods: string, more: Partial<Given> = {}): Given =>
  five(pods, { rolling: { maxUnavailable: 0, maxSurge: 3 }, ...more });
const gpu = { matchLabels: { pool: 'gpu' } };
/** Nothing is planned: lost pods are created at the stable revision. */
const held = step(5, { goal: hashOf('old') });
/** The new revision is stable, and a bound has left two nodes at the old one. */
const standing = step(3, {
  goal: hashOf('new'),
  stable: hashOf('new'),
  retained: { hash: hashOf('old'), n: 2 },
});

const steps: readonly Row[] = [
  ['a step of one node', five(FIVE), step(1), ['delete n5']],
  ['a step of three, within the budget', five(FIVE), step(3), ['delete n5', 'delete n4']],
  [
    'a window lower than the budget',
    five(FIVE),
    step(3, { window: { maxUnavailable: 1, maxSurge: 0 } }),
    ['delete n5'],
  ],
  ['a step that is done', five('n1 n2 n3 n4 n5n'), step(1), []],
  ['a gate: no pod is updated', five('n1 n2 n3 n4 n5n'), step(3, { moving: false }), []],
  ['an updated pod is lost: it comes back new', five('n1 n2 n3 n4'), step(1), ['create n5@new']],
  ['an old one is lost then', five('n1 n2 n3 n5n'), step(1), ['create n4@old']],
  ['one of each: the last by name is new', five('n1 n2 n4'), step(1), ['create n3@old', 'create n5@new']],
  ['an updated pod that is being deleted still uses the step', five('n1 n2 n3 n4 n5nt'), step(1), []],
  ['held: lost pods are old', five('n1 n2 n3'), held, ['create n4@old', 'create n5@old']],
  ['a node joins in a step that is taken', five('n1 n2 n3 n5n'), step(1), ['create n4@old']],
  ['a node joins in the step of all', five('n1n n2n n3n n5n'), step(5), ['create n4@new']],
  [
    'a node has joined since the step started: it gets the stable revision, and takes nothing of the step',
    five('n1 n2 n3 n4', { nodes: 'n1 n2 n3 n4 n5j' }),
    step(1, { joinedUntil: NOW - 60_000 }),
    ['delete n4', 'create n5@old'],
  ],
  [
    'nor is it moved',
    five(FIVE, { nodes: 'n1 n2 n3 n4 n5j' }),
    step(1, { joinedUntil: NOW - 60_000 }),
    ['delete n4'],
  ],
  [
    'where the step leads to all nodes it gets the new one',
    five('n1n n2n n3n n4n', { nodes: 'n1 n2 n3 n4 n5j' }),
    step(5, { joinedUntil: NOW - 60_000, newPods: 100 }),
    ['create n5@new'],
  ],
  [
    'and has no room for it: that keeps no other node back',
    five('n1 n2 n3 n4 n5nu', { nodes: 'n1 n2 n3 n4 n5j', rolling: {} }),
    step(5, { joinedUntil: NOW - 60_000, newPods: 100 }),
    ['delete n4'],
  ],
  [
    'a node that was there does',
    five('n1 n2 n3 n4 n5nu', { rolling: {} }),
    step(5, { joinedUntil: NOW - 60_000, newPods: 100 }),
    [],
  ],
  [
    'the partition of the target',
    five(FIVE, { rolling: { maxUnavailable: 5, partition: 4 } }),
    step(3),
    ['delete n5'],
  ],
  [
    'a partition of 50 % retains two of five, as its kind rounds',
    five(FIVE, { rolling: { maxUnavailable: 5, partition: '50%' } }),
    step(5),
    ['delete n5', 'delete n4', 'delete n3'],
  ],
  [
    'a bound of the plan is rounded alike',
    five(FIVE, { rolling: { maxUnavailable: 5 } }),
    step(5, { bound: '50%' }),
    ['delete n5', 'delete n4', 'delete n3'],
  ],
  [
    'a selector of the plan',
    five(FIVE, { nodes: 'n1 n2l n3 n4 n5' }),
    step(5, { selector: gpu }),
    ['delete n2'],
  ],
  [
    'a node that it does not select gets its lost pod back',
    five('n2n n3 n4 n5', { nodes: 'n1 n2l n3 n4 n5' }),
    step(5, { selector: gpu }),
    ['create n1@old'],
  ],
  [
    'a selector of the target, too',
    five(FIVE, { nodes: 'n1l n2 n3 n4 n5', rolling: { maxUnavailable: 5, selector: gpu } }),
    step(5),
    ['delete n1'],
  ],
  ['nodes on a third revision first', five('n1m n2 n3 n4 n5', { rolling: {} }), step(5), ['delete n1']],
  ['a node that is not ready is not taken', five(FIVE, { nodes: 'n1 n2 n3 n4 n5d' }), step(1), ['delete n4']],
  ['and uses no budget', five('n1 n2 n3 n4n! n5n!', { nodes: 'n1 n2 n3 n4 n5d' }), step(5), ['delete n3']],
  [
    'what has ended with its node keeps the place of the node in the step',
    five('n1 n2 n3 n4 n5nf', { nodes: 'n1 n2 n3 n4 n5d' }),
    step(1),
    [],
  ],
  ['until the node can have a new pod', five('n1 n2 n3 n4 n5nf', { nodes: 'n1 n2 n3 n4 n5r' }), step(1), []],
  ['which it then gets', five('n1 n2 n3 n4 n5nf'), step(1), ['delete n5']],
  [
    'without a plan what has ended goes at once, as with OpenKruise',
    five('n1n n2n n3n n4n n5nf', { nodes: 'n1 n2 n3 n4 n5d' }),
    ownStrategy(),
    ['delete n5'],
  ],
  ['a broken node needs no budget', five('n1 n2 n3! n4n! n5n!'), step(3), ['delete n3']],
  [
    'a broken old pod uses the budget of others, as long as it is not replaced',
    five('n1 n2 n3 n4! n5!', { rolling: {} }),
    step(5),
    ['delete n5', 'delete n4'],
  ],
  ['but no more nodes are taken for it', five('n1! n2 n3 n4n! n5n!'), step(3), []],
  ['paused', five(FIVE, { rolling: { maxUnavailable: 2, paused: true } }), step(3), []],
  ['OnDelete: nothing is updated', five(FIVE, { onDelete: true }), step(3), []],
  [
    'OnDelete: as many as the step allows',
    five('n1 n2', { onDelete: true }),
    step(2),
    ['create n3@old', 'create n4@new', 'create n5@new'],
  ],
  ['being deleted', five('n1 n2 n3', { deleting: true }), step(5), []],
  ['all is held', five('n1 n2 n3f'), step(5, { touch: false }), []],
];

const surges: readonly Row[] = [
  ['as many extra pods as the step allows', surging(FIVE), step(2), ['create n4@new', 'create n5@new']],
  [
    'as the window allows',
    surging(FIVE),
    step(4, { window: { maxUnavailable: 0, maxSurge: 1 } }),
    ['create n5@new'],
  ],
  [
    'git has changed the limit of the step to extra pods: no node is updated',
    surging(FIVE),
    step(4, { window: { maxUnavailable: 1, maxSurge: 0 } }),
    [],
  ],
  [
    'a node whose pod has ended gets the one that the step allows',
    surging('n1f n2 n3 n4 n5'),
    step(1),
    ['delete n1', 'create n1@new'],
  ],
  [
    'a node is taken while its new pod is being deleted',
    surging('n1 n2 n3 n3nt n4'),
    step(1),
    ['create n3@new', 'create n5@old'],
  ],
  [
    'what goes on a node that is down keeps no other node back',
    five('n1 n2 n3 n4 n5t', { nodes: 'n1 n2 n3 n4 n5d' }),
    step(1),
    ['delete n4'],
  ],
  ['a node with both is taken', surging('n1 n2 n3 n4 n4n!y n5 n5n!y'), step(2), []],
  [
    'going back: the new pod goes once the old one is available again',
    surging('n1 n2 n3 n4 n5n n5y', { live: 'old' }),
    back(),
    ['delete n5'],
  ],
  [
    'going back: an old pod beside each new one',
    surging('n1 n2 n3 n4n n5n', { live: 'old' }),
    back(),
    ['create n4@old', 'create n5@old'],
  ],
];

const ways: readonly Row[] = [
  ['back: the last by name first', old('n1 n2 n3n n4n n5n', { rolling: {} }), back(), ['delete n5']],
  [
    'back: broken nodes first, without budget',
    old('n1n! n2n! n3n n4n n5n', { rolling: {} }),
    back(),
    ['delete n2', 'delete n1'],
  ],
  [
    'back: the pod of a node that is down goes, too, as it may be what keeps the node down',
    old('n1 n2 n3 n4 n5n!', { nodes: 'n1 n2 n3 n4 n5d' }),
    back(),
    ['delete n5'],
  ],
  [
    'back: the partition does not count',
    old('n1 n2 n3 n4n n5n', { rolling: { maxUnavailable: 2, partition: 5 } }),
    back(),
    ['delete n5', 'delete n4'],
  ],
  [
    'back: what was broken before uses no budget',
    old('n1! n2 n3 n4 n5n', { rolling: {} }),
    back(['n1']),
    ['delete n5'],
  ],
  [
    'back: nodes that a bound had left at their revision stay',
    old('n1m n2m n3n n4n n5n'),
    back([], { back: { broken: [], taken: { left: [hashOf('mid')], planned: [hashOf('new')] } } }),
    ['delete n5', 'delete n4'],
  ],
  [
    'a standing bound: lost pods come back where they were',
    five('n1 n3n n4n n5n'),
    standing,
    ['create n2@old'],
  ],
  [
    'and of the others one on a third revision is updated first',
    five('n1m n2 n3 n4n n5n', { rolling: {} }),
    standing,
    ['delete n1'],
  ],
  ['and no node is updated', five('n1 n2 n3n n4n n5n'), standing, []],
  [
    'a standing bound by labels',
    five('n2n n3n n4n n5n', { nodes: 'n1 n2l n3l n4l n5l' }),
    step(5, { ...standing, allowed: 'unbounded', selector: gpu }),
    ['create n1@old'],
  ],
  [
    'in Auto, too, while the manifest is that of the plan',
    five('n2n n3n n4n n5n', { nodes: 'n1 n2l n3l n4l n5l', rolling: { selector: gpu } }),
    { ...ownStrategy(), stable: hashOf('new'), retained: { hash: hashOf('old'), n: 1 }, selector: gpu },
    ['create n1@old'],
  ],
];

const created: readonly Row[] = [
  [
    'partitionedScaling at first contact: the first by name',
    five('', {
      live: 'old',
      rolling: { partition: 4 },
      spec: { scaleStrategy: { partitionedScaling: true } },
    }),
    step(5, { goal: hashOf('old') }),
    ['create n1@old'],
  ],
  [
    'partitionedScaling in a plan: held-back nodes get lost pods back at the stable revision',
    five('n2 n3 n4 n5n', {
      rolling: { partition: 4 },
      spec: { scaleStrategy: { partitionedScaling: true } },
    }),
    step(5),
    ['create n1@old'],
  ],
];

describe('within the envelope of a plan', () => {
  describe.each<[string, readonly Row[]]>([
    ['steps', steps],
    ['with surge', surges],
    ['the way back, and bounds that stand', ways],
    ['creation', created],
  ])('%s', (_title, rows) => {
    test.each(rows)('%s', (_what, given, envelope, acts) => {
      expect(actions(given, envelope)).toEqual(acts);
    });
  });

  test('a pod that would have to be recreated stays, where the plan allows less', () => {
    const given = five(FIVE, { rolling: { rollingUpdateType: 'InPlaceIfPossible' } });
    expect(actions(given, step(1, { mode: 'InPlace' }))).toEqual([]);
    expect(reasons(given, step(1, { mode: 'InPlace' }))['n5']).toBe(
      'stays: it would have to be recreated, as it lacks the readiness gate InPlaceUpdateReady, and the plan allows InPlace',
    );
  });

  test('a pod that the node controller has marked fails no step, though its node is not observed yet', () => {
    const { pods } = snapshotOf(five('n1 n2! n3k n4kg n5dk')).rollout;
    const rows = pods.map(({ unit, available, foreignCause }) => [unit, available, foreignCause]);
    expect(rows).toEqual([
      ['n1', true, false],
      ['n2', false, false],
      ['n3', false, true],
      ['n4', false, true],
      // Its gate is closed: an update has drained it.
      ['n5', false, false],
    ]);
  });
});
