import { describe, expect, it } from 'vitest';
import * as fc from '../../property.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { chooseSubset } from '../../../semantics/workloadspread/choose.ts';
import { matchedOf } from '../../../semantics/workloadspread/matched.ts';
import { normalizeSpread } from '../../../semantics/workloadspread/normalize.ts';
import { type Caps, chosen, ownerOf, podIn, podsIn, spreadOf, withClosed } from './spreads.ts';

const adaptive = { scheduleStrategy: { type: 'Adaptive' } };
const web = (ordinals: number[]): string[] => ordinals.map((each) => `web-${each}`);
const any = (count: number): string[] => Array.from({ length: count }, (_, index) => `web-x${index}y`);
const running = (of: Caps) => Object.entries(of).flatMap(([name, count]) => podsIn(name, Number(count)));

describe('the subset of a new pod of a CloneSet (OpenKruise workloadspread, rule 6.2)', () => {
  it.each<[string, Caps, Caps, number, (string | undefined)[]]>([
    ['example 1: the first one has room', { a: 3, b: 3 }, {}, 1, ['a']],
    ['example 2: the first one is full', { a: 3, b: 3 }, { a: 3 }, 1, ['b']],
    ['example 3, WS-6: both are full', { a: 3, b: 3 }, { a: 3, b: 3 }, 1, [undefined]],
    ['example 4: the last one has no cap', { a: 2, b: null }, { a: 2 }, 1, ['b']],
    ['example 5: a cap of none', { a: 0, b: null }, {}, 1, ['b']],
    ['example 13: one more pod than wanted', { a: 2, b: null }, { a: 2, b: 4 }, 1, ['b']],
    ['example 14: a pod of the first one is gone', { a: 2, b: null }, { a: 1, b: 4 }, 1, ['a']],
    ['example 16: one subset without a cap', { a: null }, { a: 9 }, 2, ['a', 'a']],
    ['several of one decision', { a: 2, b: 1, c: null }, { a: 1 }, 4, ['a', 'b', 'c', 'c']],
  ])('%s', (_what, caps, present, count, expected) => {
    expect(chosen(spreadOf(caps), { present: running(present), names: any(count) })).toEqual(expected);
  });

  it.each([
    [10, 3],
    [11, 4],
  ])('example 6, WS-8: 30%% of %i is %i', (size, most) => {
    const subsets = chosen(spreadOf({ a: '30%', b: null }), { owner: ownerOf(size), names: any(size) });
    expect(subsets.filter((each) => each === 'a')).toHaveLength(most);
    expect(subsets.slice(most)).toEqual(Array.from({ length: size - most }, () => 'b'));
  });

  it('example 7: two halves of five', () => {
    const subsets = chosen(spreadOf({ a: '50%', b: '50%' }), { owner: ownerOf(5), names: any(5) });
    expect(subsets).toEqual(['a', 'a', 'a', 'b', 'b']);
  });

  it('example 8: the first one is left out', () => {
    const spread = withClosed(spreadOf({ a: 2, b: null }, adaptive), ['a']);
    expect(chosen(spread, { names: any(1) })).toEqual(['b']);
  });

  it('a subset that was left out counts again under Fixed', () => {
    expect(chosen(withClosed(spreadOf({ a: 2, b: null }), ['a']), { names: any(1) })).toEqual(['a']);
  });

  it('example 17, WS-41: without a selector all pods of the target are spread', () => {
    const filter = { targetFilter: { replicasPathList: ['spec.replicas'] } };
    expect(chosen(spreadOf({ a: 2, b: null }, filter), { names: any(1) })).toEqual(['a']);
  });

  it('example 18: a percentage of a target without a size', () => {
    const spread = spreadOf({ a: '20%', b: null }, { targetFilter: { replicasPathList: ['spec.none'] } });
    expect(chosen(spread, { names: any(1) })).toEqual(['b']);
  });

  it('the size is the sum of the numbers at the paths, by index where they lead through lists', () => {
    const owner = { ...ownerOf(1), spec: { parts: [{ size: 3 }, { size: 1 }], more: 2 } };
    const paths = ['spec.parts.0.size', 'spec.more', 'spec.parts.7.size', 'spec.parts.x.size'];
    const spread = spreadOf({ a: '40%', b: null }, { targetFilter: { replicasPathList: paths } });
    expect(chosen(spread, { owner, names: any(3) })).toEqual(['a', 'a', 'b']);
  });

  it('pods of others, of other labels, and of another WorkloadSpread are left alone', () => {
    const spread = spreadOf({ a: 1, b: null }, { targetFilter: { selector: { matchLabels: { app: 'x' } } } });
    expect(chosen(spread, { names: any(1) })).toEqual([undefined]);
    expect(chosen(spreadOf({ a: 1 }), { owner: ownerOf(1, 'StatefulSet'), names: any(1) })).toEqual([
      undefined,
    ]);
  });

  it('pods that end or are deleted have left their subset', () => {
    const ended = podIn('e', 'a', { status: { phase: 'Succeeded' } });
    const { metadata } = podIn('d', 'a');
    const deleted = podIn('d', 'a', {
      metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    });
    expect(chosen(spreadOf({ a: 1, b: null }), { present: [ended, deleted], names: any(1) })).toEqual(['a']);
  });

  it('no subset ever gets more than its cap, in one decision or in many', () => {
    const caps = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 0, max: 4 }));
    fc.assert(
      fc.property(caps, fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 5 }), (cap, batches) => {
        const spread = spreadOf(cap);
        const present: Pod[] = [];
        for (const [round, count] of batches.entries())
          for (const [index, subset] of chosen(spread, {
            present,
            names: any(count).map((name) => `${name}${round}`),
          }).entries())
            if (subset !== undefined) present.push(podIn(`${round}-${index}`, subset));
        for (const [name, most] of Object.entries(cap)) {
          const own = present.filter((pod) => matchedOf(pod)?.subset === name);
          expect(own.length).toBeLessThanOrEqual(most);
        }
      }),
    );
  });
});

describe('the subset of a new pod of a StatefulSet (OpenKruise workloadspread, rule 6.2)', () => {
  const owner = ownerOf(13, 'StatefulSet');
  const of = (caps: Caps, spec = {}) => spreadOf(caps, spec, 'StatefulSet');

  it('example 9: its ordinal says it', () => {
    expect(chosen(of({ a: 5, b: 5, c: null }), { owner, names: web([4, 5, 12]) })).toEqual(['a', 'b', 'c']);
  });

  it('example 10: the others share the ordinals of one that is left out', () => {
    const spread = withClosed(of({ a: 5, b: 5, c: null }, adaptive), ['a']);
    expect(chosen(spread, { owner, names: web([4, 7]) })).toEqual(['b', 'c']);
  });

  it('example 11: an ordinal beyond all caps', () => {
    expect(chosen(of({ a: 2, b: 2 }), { owner, names: web([4]) })).toEqual([undefined]);
  });

  it('WS-19: caps 2, 2 and none of five', () => {
    expect(chosen(of({ a: 2, b: 2, c: null }), { owner, names: web([0, 1, 2, 3, 4]) })).toEqual([
      ...['a', 'a', 'b', 'b', 'c'],
    ]);
  });

  it('a name without a number is of no subset', () => {
    const choice = {
      spread: normalizeSpread(of({ a: 2, b: null })),
      ...{ size: 2, counted: new Map(), closed: new Set<string>() },
    };
    expect(chooseSubset('web', choice)).toBeUndefined();
  });
});
