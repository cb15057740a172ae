import { describe, expect, it } from 'vitest';
import { deletionCosts } from '../../../semantics/workloadspread/costs.ts';
import { type Caps, ownerOf, podIn, podsIn, SETTLED, spreadOf } from './spreads.ts';

/** How many pods have each cost, by subset. */
function costsOf(caps: Caps, present: Readonly<Record<string, number>>, size = 60): Record<string, string> {
  const pods = Object.entries(present).flatMap(([subset, count]) => podsIn(subset, count));
  const costs = deletionCosts(spreadOf(caps), ownerOf(size), pods, SETTLED);
  return Object.fromEntries(
    Object.keys(present).map((subset) => {
      const counts = new Map<number, number>();
      for (const pod of pods)
        if (pod.metadata.name.startsWith(`${subset}-`)) {
          const cost = costs.get(pod) ?? NaN;
          counts.set(cost, (counts.get(cost) ?? 0) + 1);
        }
      const sorted = [...counts].sort(([a], [b]) => b - a);
      return [subset, sorted.map(([cost, count]) => `${count} at ${cost}`).join(', ')];
    }),
  );
}

describe('the costs of deleting pods (OpenKruise workloadspread, rule 6.5)', () => {
  it('WS-24: 20 pods each, caps 10, 10 and none', () => {
    expect(costsOf({ a: 10, b: 10, c: null }, { a: 20, b: 20, c: 20 })).toEqual({
      a: '10 at 300, 10 at -100',
      b: '10 at 200, 10 at -200',
      c: '20 at 100',
    });
  });

  it('WS-1: three in each of two, within their caps', () => {
    expect(costsOf({ a: 3, b: 3 }, { a: 3, b: 3 })).toEqual({ a: '3 at 200', b: '3 at 100' });
  });

  it('WS-23: pods of a subset that is gone go first', () => {
    expect(costsOf({ a: 3, b: null }, { a: 1, gone: 2 })).toEqual({ a: '1 at 200', gone: '2 at -300' });
  });

  it('WS-39: the order of the subsets decides', () => {
    expect(costsOf({ b: 3, a: 3 }, { a: 3, b: 3 })).toEqual({ a: '3 at 100', b: '3 at 200' });
  });

  it('percentages are of the present size', () => {
    expect(costsOf({ a: '50%', b: null }, { a: 3, b: 1 }, 4)).toEqual({
      a: '2 at 200, 1 at -100',
      b: '1 at 100',
    });
  });

  it('beyond a cap, pods without a node go before those that run', () => {
    const waiting = podIn('w', 'a', { status: { phase: 'Pending' } });
    const runs = podIn('r', 'a', { spec: { ...waiting.spec, nodeName: 'n' } });
    const costs = deletionCosts(spreadOf({ a: 1, b: null }), ownerOf(2), [runs, waiting], SETTLED);
    expect([costs.get(runs), costs.get(waiting)]).toEqual([200, -100]);
  });
});
