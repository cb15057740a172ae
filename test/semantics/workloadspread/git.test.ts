import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { spreadGit } from '../../../semantics/workloadspread/git.ts';
import { type Caps, spreadOf } from './spreads.ts';

const effect = (before: Caps, after: Caps): string | undefined =>
  spreadGit.effect(spreadOf(before), spreadOf(after));
const target = (more: JsonObject) => ({
  targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', ...more },
});

describe('a changed WorkloadSpread in git', () => {
  it.each<[string, Caps, Caps, string | undefined]>([
    ['nothing', { a: 2, b: null }, { a: 2, b: null }, undefined],
    ['a cap', { a: 2, b: null }, { a: 3, b: null }, 'a takes at most 3, before 2'],
    ['a first cap', { a: null }, { a: '50%' }, 'a takes at most 50%, before any number'],
    ['a cap that goes', { a: 2, b: null }, { a: null, b: null }, 'a has no cap any more'],
    ['a new subset', { a: 2 }, { a: 2, b: 3 }, 'new pods may go to b, at most 3'],
    ['a subset that goes', { a: 2, b: null }, { b: null }, 'pods of a are the first that a scale-in deletes'],
    [
      'the order',
      { a: 2, b: null },
      { b: null, a: 2 },
      'new pods take the subsets in another order, and a scale-in the reverse',
    ],
  ])('%s', (_what, before, after, expected) => {
    expect(effect(before, after)).toBe(expected && `${expected}; running pods do not move`);
  });

  it('other nodes of a subset', () => {
    const [one, other] = ['x', 'y'].map((key) =>
      spreadOf({}, { subsets: [{ name: 'a', tolerations: [{ key, operator: 'Exists' }] }] }),
    );
    expect(one && other && spreadGit.effect(one, other)).toBe(
      'new pods of a get other rules; running pods do not move',
    );
  });

  it('WS-16: the target cannot change, but for its version', () => {
    const forever = (more: JsonObject) =>
      spreadGit.changedForever(spreadOf({ a: 1 }), spreadOf({ a: 1 }, target(more)));
    expect(forever({ name: 'other' })).toEqual([['spec', 'targetRef']]);
    expect(forever({ apiVersion: 'apps/v1', kind: 'StatefulSet' })).toEqual([['spec', 'targetRef']]);
    expect(forever({ apiVersion: 'apps.kruise.io/v1alpha1' })).toEqual([]);
  });

  it('WS-15: two of one target exclude each other', () => {
    const conflict = (more: JsonObject) =>
      spreadGit.conflict(spreadOf({ a: 1 }), spreadOf({ b: 1 }, target(more)));
    expect(conflict({ apiVersion: 'apps.kruise.io/v1alpha1' })?.rule).toBe('names the same workload');
    expect(conflict({ name: 'other' })).toBeUndefined();
  });
});
