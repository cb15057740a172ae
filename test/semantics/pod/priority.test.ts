import { describe, expect, test } from 'vitest';
import { byPriority, readPriorities } from '../../../semantics/pod/priority.ts';
import type { Pod } from '../../../semantics/pod/types.ts';

function pod(name: string, labels?: Record<string, string>): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...(labels === undefined ? {} : { labels }) },
    spec: { containers: [] },
  };
}

function ordered(strategy: object, ...pods: Pod[]): string {
  const read = readPriorities(strategy);
  if (read === undefined) throw new Error('it says nothing');
  return byPriority(pods, read)
    .map(({ metadata }) => metadata.name)
    .join(' ');
}

describe('priorities among pods to update (OpenKruise inplace-update, rule 6.7)', () => {
  const weights = {
    weightPriority: [
      { weight: 50, matchSelector: { matchLabels: { a: '1' } } },
      { weight: 30, matchSelector: { matchLabels: { b: '1' } } },
    ],
  };

  test('weights add up, the heaviest first (CS-39, IU-39)', () => {
    expect(
      ordered(
        weights,
        pod('none'),
        pod('b', { b: '1' }),
        pod('a', { a: '1' }),
        pod('both', { a: '1', b: '1' }),
      ),
    ).toBe('both a b none');
  });

  test('those of equal weight keep their order', () => {
    expect(
      ordered(weights, pod('z'), pod('a'), pod('y', { a: '1', b: '2' }), pod('x', { a: '1' }), pod('n')),
    ).toBe('y x z a n');
  });

  const keys = { orderPriority: [{ orderedKey: 'k1' }, { orderedKey: 'k2' }] };

  test('pods with none of the keys come first, then key by key, numbers from high to low (CS-39, IU-40)', () => {
    expect(
      ordered(
        keys,
        pod('k2-1', { k2: '1' }),
        pod('k1-2', { k1: 'sts-2' }),
        pod('k1-10', { k1: 'sts-10', k2: 'sts-99' }),
        pod('none', { other: '7' }),
        pod('bare'),
        pod('k2-3', { k2: '3' }),
      ),
    ).toBe('none bare k1-10 k1-2 k2-3 k2-1');
  });

  test.each([
    ['x7', 7],
    ['7x', 0],
    ['a1b22', 22],
    ['', 0],
    ['v-03', 3],
    ['2147483647', 2147483647],
    ['99999999999', 0],
  ])('the number of %j is %i', (text, number) => {
    const beats = (a: string, b: string): boolean =>
      ordered(keys, pod('b', { k1: b }), pod('a', { k1: a })) === 'a b';
    expect(beats(text, String(Math.max(number - 1, 0)))).toBe(number > 0);
    expect(beats(String(number + 1), text)).toBe(number < 2147483647);
  });

  test.each([undefined, null, {}, { weightPriority: [], orderPriority: [] }])(
    '%j prefers nobody',
    (value) => {
      expect(readPriorities(value)).toBeUndefined();
    },
  );

  test('a key of every object is no label', () => {
    const strategy = { orderPriority: [{ orderedKey: 'constructor' }] };
    expect(ordered(strategy, pod('a', { constructor: '1' }), pod('b', {}))).toBe('b a');
  });
});
