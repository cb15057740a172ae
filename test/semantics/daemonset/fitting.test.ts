import { describe, expect, test } from 'vitest';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import { actions, type Given, hashOf, statusOf, step } from './model.ts';

type Row = readonly [what: string, given: Given, envelope: Envelope, acts: readonly string[]];

const FIVE = 'n1 n2 n3 n4 n5';
const five = (pods: string, more: Partial<Given> = {}): Given => ({
  nodes: FIVE,
  pods,
  rolling: { maxUnavailable: 2 },
  ...more,
});
const surging = (pods: string, more: Partial<Given> = {}): Given =>
  five(pods, { rolling: { maxUnavailable: 0, maxSurge: 3 }, ...more });
const gpu = { matchLabels: { pool: 'gpu' } };
/** The new revision fits the nodes of one pool. */
const of = { pool: 'gpu' };
/** It is stable. */
const standing = { goal: hashOf('new', of), stable: hashOf('new', of) };

const pools: readonly Row[] = [
  [
    'a node selector that came with the template deletes nothing before its plan',
    five('n1 n2 n3 n4 n5', { pool: 'gpu', nodes: 'n1 n2 n3 n4l n5l' }),
    step(5, { goal: hashOf('old') }, { pool: 'gpu' }),
    [],
  ],
  [
    'nor in a step that not all may take; only nodes that the new revision fits are updated',
    five('n1 n2 n3 n4 n5', { pool: 'gpu', nodes: 'n1l n2l n3 n4 n5' }),
    step(1, {}, { pool: 'gpu' }),
    ['delete n2'],
  ],
  [
    'the others lose their pods in the step of all',
    five('n1n n2n n3 n4', { pool: 'gpu', nodes: 'n1l n2l n3 n4 n5' }),
    step(5, {}, { pool: 'gpu' }),
    ['delete n3', 'delete n4'],
  ],
  [
    'a taken node that the goal does not fit any more loses its pod at once',
    five('n1 n2 n3n n4 n5', { pool: 'gpu', nodes: 'n1l n2l n3 n4 n5' }),
    step(1, {}, { pool: 'gpu' }),
    ['delete n3'],
  ],
  [
    'a node keeps the pod of a third revision until it is taken, whatever the stable one fits',
    five('n1 n2 n3m n4m n5m', { oldPool: 'gpu', nodes: 'n1l n2l n3 n4 n5' }),
    step(1, {}, { oldPool: 'gpu' }),
    ['delete n5'],
  ],
  [
    'nodes that a bound has left at another revision keep their pods, whatever the stable one fits',
    five('n1 n2 n3n n4n n5n', { pool: 'gpu', nodes: 'n1 n2 n3l n4l n5l' }),
    step(
      3,
      { stable: hashOf('new', { pool: 'gpu' }), retained: { hash: hashOf('old'), n: 2 } },
      { pool: 'gpu' },
    ),
    [],
  ],
  [
    'a lost pod comes back on a node that only the stable revision fits',
    five('n1n n2 n4 n5', { pool: 'gpu', nodes: 'n1l n2l n3 n4 n5' }),
    step(1, {}, { pool: 'gpu' }),
    ['create n3@old'],
  ],
  [
    'a node that admits no new pod any more is not taken',
    five('n1 n2 n3 n4 n5', { nodes: 'n1 n2 n3 n4 n5!' }),
    step(4),
    ['delete n4', 'delete n3'],
  ],
  [
    'it loses its pod in the step of all, as with OpenKruise',
    five('n1 n2 n3 n4 n5', { nodes: 'n1 n2 n3 n4 n5!' }),
    step(5),
    ['delete n5', 'delete n4'],
  ],
  [
    'it is updated in place, where that is possible',
    five('n1g n2g n3g n4g n5g', {
      nodes: 'n1 n2 n3 n4 n5!',
      rolling: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 1 },
    }),
    step(1),
    ['drain n5'],
  ],
  [
    'with surge it loses its pod without another one',
    surging('n1n n2n n3n n4n n5', { nodes: 'n1 n2 n3 n4 n5!' }),
    step(5),
    ['delete n5'],
  ],
];

const lost: readonly Row[] = [
  [
    'a lost pod comes back on a node that only the revision fits which the bound had left there',
    five('n1 n3n n4n n5n', { pool: 'gpu', nodes: 'n1 n2 n3l n4l n5l' }),
    step(2, { ...standing, retained: { hash: hashOf('old'), n: 2 } }, of),
    ['create n2@old'],
  ],
  [
    'one that the bound had not left there does not',
    five('n1 n3n n4n n5n', { pool: 'gpu', nodes: 'n1 n2 n3l n4l n5l' }),
    step(3, { ...standing, retained: { hash: hashOf('old'), n: 1 } }, of),
    [],
  ],
  [
    'and so does one on a node that the selector of the bound does not select',
    five('n2n n3n n4n n5n', { pool: 'gpu', nodes: 'n1 n2l n3l n4l n5l' }),
    step(
      5,
      { ...standing, retained: { hash: hashOf('old'), n: 1 }, allowed: 'unbounded', selector: gpu },
      of,
    ),
    ['create n1@old'],
  ],
];

describe('where the revisions fit different nodes', () => {
  describe.each<[string, readonly Row[]]>([
    ['within a plan', pools],
    ['pods that are lost under a bound that stands', lost],
  ])('%s', (_title, rows) => {
    test.each(rows)('%s', (_what, given, envelope, acts) => {
      expect(actions(given, envelope)).toEqual(acts);
    });
  });

  test('which nodes are wanted is judged by the revision that they are meant to have', () => {
    const given = five(FIVE, { pool: 'gpu', nodes: 'n1l n2 n3 n4 n5' });
    const wanted = (envelope: Envelope): number => statusOf(given, envelope).desiredNumberScheduled;
    expect(wanted(step(5, { goal: hashOf('old') }, of))).toBe(5);
    expect(wanted(step(1, {}, of))).toBe(5);
    expect(wanted(step(5, {}, of))).toBe(1);
  });
});
