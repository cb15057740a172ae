import { describe, expect, it } from 'vitest';
import { activeInfluence, deletionCosts } from '../../../semantics/influence/active.ts';
import { unjudgedInfluence } from '../../../semantics/influence/unjudged.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { cap, caps, create, decided, NOW, pod, remove, resource } from './caps.ts';

describe('an object whose rules end in an error', () => {
  const others = cap('y', { of: 'b', left: 1 });
  const failed = (name: string): string =>
    `Cap shop/x (not judged: its rules failed with TypeError: no ${name})`;

  it.each([
    ['onDisrupt', ['reserve y for b1', 'delete b1 by y', 'create a3']],
    ['record', ['reserve y for b1', 'delete b1 by y', 'create a3']],
    ['onCreate', ['reserve y for b1', 'delete b1 by y', 'create a3']],
    // About new pods it is asked all the same.
    ['takesSlot', ['reserve x for a3', 'reserve y for b1', 'delete b1 by y', 'create a3 by x']],
  ])('by %s keeps its own pods available, and stops no other', (fails, wanted) => {
    const actions = [remove('a1'), remove('b1'), create('a3')];
    const { words, found } = decided([cap('x', { of: 'a', left: 9, made: 9, fails }), others], actions);
    expect(words).toEqual(wanted);
    expect(found.decision.explanations).toEqual([
      { about: 'a1', reason: `waits: ${failed(fails)} allows 0 unavailable pods` },
    ]);
  });

  it('waits for a change of the object, by its name', () => {
    const x = cap('x', { of: 'a', fails: 'onDisrupt' });
    const { found } = decided([x], [remove('a1')], undefined, { waitsSince: 0 });
    expect(found.waitsFor).toEqual([x]);
    expect(found.held).toEqual({
      reason: 'DisruptionNotAllowed',
      message: `1 pod may not become unavailable now: ${failed('onDisrupt')} allows 0 unavailable pods`,
    });
  });

  it('covers no pod where it cannot tell, and has no deletion costs', () => {
    expect(decided([cap('x', { of: 'a', fails: 'covers' })], [remove('a1')]).words).toEqual(['delete a1']);
    const costs = (fails: string): number | undefined =>
      deletionCosts(
        () => [activeInfluence({ rules: caps, resource }, cap('x', { of: 'a', fails }), NOW)],
        pod('owner'),
        { pods: [], nodes: undefined },
      )?.(pod('a1'));
    expect(['', 'cost', 'deletionCost', 'covers'].map(costs)).toEqual([1, undefined, undefined, undefined]);
  });

  it('lets unavailable pods go, as does one that is invalid', () => {
    const invalid = unjudgedInfluence({ rules: caps, resource }, cap('x', { of: 'a' }), 'spec.of is bad');
    const broken: Pod = { ...pod('a1'), status: { phase: 'Pending' } };
    expect([broken, pod('a1'), pod('b1')].map((each) => invalid.limitOf(each, 'Delete')?.name)).toEqual([
      undefined,
      'Cap shop/x (not judged: spec.of is bad)',
      undefined,
    ]);
  });
});
