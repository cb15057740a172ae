import { describe, expect, test } from 'vitest';
import * as fc from '../../property.ts';
import { readScatter, scattered } from '../../../semantics/pod/scatter.ts';
import type { Pod } from '../../../semantics/pod/types.ts';

function pods(count: number, labels: Record<string, string>, first = 0): Pod[] {
  return Array.from({ length: count }, (_, n) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `${Object.values(labels).join('')}${first + n}`, labels },
    spec: { containers: [] },
  }));
}

const M = { app: 'm' };
const term = readScatter([{ key: 'app', value: 'm' }]);
const pattern = (order: readonly Pod[], letter = 'M'): string =>
  order.map(({ metadata }) => (metadata.labels?.['app'] === 'm' ? letter : 'u')).join('');
const waitingOf = (matched: number, total: number): Pod[] => [
  ...pods(matched, M),
  ...pods(total - matched, { app: 'u' }),
];

describe('scattering pods over the update order (OpenKruise inplace-update, rule 6.7; IU-41)', () => {
  test.each([
    [3, 10, 'MuuuuMuuuM'],
    [4, 12, 'MuuuMuuuMuuM'],
    [6, 9, 'MMuMMuMuM'],
    [5, 10, 'MuMuMuMuuM'],
    [2, 8, 'MuuuuuuM'],
    [1, 8, 'Muuuuuuu'],
    [7, 8, 'MMMMMMMu'],
    [0, 3, 'uuu'],
  ])('%i of %i (CS-40)', (matched, total, wanted) => {
    const waiting = waitingOf(matched, total);
    expect(pattern(scattered(waiting, waiting, term))).toBe(wanted);
  });

  test('is computed from all pods while matching ones are rarer among those that wait', () => {
    const waiting = waitingOf(2, 10);
    const all = [...waiting, ...pods(2, M, 90)];
    expect(pattern(scattered(waiting, all, term))).toBe('uuuuuMuuuM');
  });

  test.each([
    [3, 5, 'MuMuM'],
    [2, 4, 'MuuM'],
    [1, 4, 'Muuu'],
    [7, 8, 'MMMMMMMu'],
  ])('pods that are updated one by one come in the same order: %i of %i', (matched, total, wanted) => {
    const all = waitingOf(matched, total);
    let waiting = all;
    const updated: Pod[] = [];
    while (waiting.length > 0) {
      const [next] = scattered(waiting, all, term);
      updated.push(...(next === undefined ? [] : [next]));
      waiting = waiting.filter((pod) => pod !== next);
    }
    expect(pattern(updated)).toBe(wanted);
  });

  test('of several terms those without a match are left out, and the one with the most matches comes first', () => {
    const waiting = [...pods(2, { app: 'a' }), ...pods(3, { app: 'm' }), ...pods(5, { app: 'u' })];
    const of = (...values: string[]): string =>
      scattered(waiting, waiting, readScatter(values.map((value) => ({ key: 'app', value }))))
        .map(({ metadata }) => metadata.name)
        .join(' ');
    expect(of('m', 'a', 'x')).toBe(of('a', 'm'));
    expect(of('a', 'm')).not.toBe(of('a'));
    // Spread once by m and then by a: the first and the last of a stand at the two ends.
    expect(of('a', 'm')).toMatch(/^a0 .* a1$/);
  });

  test('loses no pod, duplicates none, and keeps the order within each side', () => {
    const sizes = fc.record({
      matched: fc.nat(12),
      unmatched: fc.nat(12),
      doneMatched: fc.nat(6),
      doneUnmatched: fc.nat(6),
    });
    fc.assert(
      fc.property(sizes, ({ matched, unmatched, doneMatched, doneUnmatched }) => {
        const waiting = waitingOf(matched, matched + unmatched);
        const all = [...waiting, ...pods(doneMatched, M, 90), ...pods(doneUnmatched, { app: 'u' }, 90)];
        const order = scattered(waiting, all, term);
        const side = (of: readonly Pod[], value: string): string[] =>
          of
            .filter(({ metadata }) => metadata.labels?.['app'] === value)
            .map(({ metadata }) => metadata.name);
        expect(order).toHaveLength(waiting.length);
        expect(side(order, 'm')).toEqual(side(waiting, 'm'));
        expect(side(order, 'u')).toEqual(side(waiting, 'u'));
      }),
    );
  });
});
