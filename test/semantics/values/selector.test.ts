import { describe, expect, it } from 'vitest';
import * as fc from '../../property.ts';
import type { LabelSelector } from '../../../semantics/values/selector.ts';
import {
  formatSelector,
  isSameSelector,
  selectorPredicate,
  validateSelector,
} from '../../../semantics/values/selector.ts';

const mixed: LabelSelector = {
  matchLabels: { tier: 'web', app: 'shop' },
  matchExpressions: [
    { key: 'zone', operator: 'In', values: ['b', 'a'] },
    { key: 'legacy', operator: 'DoesNotExist' },
    { key: 'app', operator: 'Exists' },
    { key: 'env', operator: 'NotIn', values: ['dev'] },
  ],
};

describe('string form', () => {
  it.each([
    [{}, ''],
    [undefined, ''],
    [{ matchLabels: { app: 'web' } }, 'app=web'],
    [{ matchLabels: { app: '' } }, 'app='],
    [mixed, 'app=shop,app,env notin (dev),!legacy,tier=web,zone in (a,b)'],
  ])('of %j is %j', (selector, text) => {
    expect(formatSelector(selector)).toBe(text);
  });

  it('does not depend on the order of keys and values', () => {
    const turned = {
      matchLabels: { app: 'shop', tier: 'web' },
      matchExpressions: [...(mixed.matchExpressions ?? [])].reverse(),
    };
    expect(formatSelector(turned)).toBe(formatSelector(mixed));
  });
});

describe('matching', () => {
  const requirement = (operator: string, values?: string[]): LabelSelector => ({
    matchExpressions: [{ key: 'k', operator, ...(values ? { values } : {}) }],
  });
  it.each<[LabelSelector | undefined, Record<string, string> | undefined, boolean]>([
    [undefined, { a: 'b' }, false],
    [{}, { a: 'b' }, true],
    [{}, undefined, true],
    [{ matchLabels: { k: 'v' } }, { k: 'v', other: 'x' }, true],
    [{ matchLabels: { k: 'v' } }, { k: 'w' }, false],
    [{ matchLabels: { k: '' } }, {}, false],
    [requirement('In', ['a', 'b']), { k: 'b' }, true],
    [requirement('In', ['a']), {}, false],
    [requirement('NotIn', ['a']), {}, true],
    [requirement('NotIn', ['a']), { k: 'a' }, false],
    [requirement('Exists'), { k: '' }, true],
    [requirement('Exists'), {}, false],
    [requirement('DoesNotExist'), { k: '' }, false],
    [requirement('DoesNotExist'), {}, true],
    [requirement('Gt', ['1']), { k: '2' }, false],
    [{ matchLabels: { toString: 'x' } }, {}, false],
    [{ matchExpressions: [{ key: 'constructor', operator: 'DoesNotExist' }] }, {}, true],
  ])('%j on %j: %s', (selector, labels, matches) => {
    expect(selectorPredicate(selector)(labels)).toBe(matches);
  });

  it('In and NotIn, Exists and DoesNotExist are opposites', () => {
    const labels = fc.dictionary(fc.constantFrom('k', 'l'), fc.constantFrom('a', 'b', ''));
    fc.assert(
      fc.property(labels, (set) => {
        expect(selectorPredicate(requirement('In', ['a']))(set)).not.toBe(
          selectorPredicate(requirement('NotIn', ['a']))(set),
        );
        expect(selectorPredicate(requirement('Exists'))(set)).not.toBe(
          selectorPredicate(requirement('DoesNotExist'))(set),
        );
      }),
    );
  });
});

describe('validation', () => {
  it('accepts what Kubernetes accepts', () => {
    expect(validateSelector(mixed)).toEqual([]);
    expect(
      validateSelector({
        matchLabels: { 'apps.kruise.io/x_y.Z': '', ['a'.repeat(63)]: 'b'.repeat(63) },
      }),
    ).toEqual([]);
  });

  it.each<[LabelSelector, string[]]>([
    [{ matchLabels: { 'a b': 'c' } }, ['matchLabels', 'a b']],
    [{ matchLabels: { a: 'b c' } }, ['matchLabels', 'a']],
    [{ matchLabels: { a: 'x'.repeat(64) } }, ['matchLabels', 'a']],
    [{ matchLabels: { ['x'.repeat(64)]: 'a' } }, ['matchLabels', 'x'.repeat(64)]],
    [{ matchLabels: { '/a': 'b' } }, ['matchLabels', '/a']],
    [{ matchLabels: { 'A.io/a': 'b' } }, ['matchLabels', 'A.io/a']],
    [{ matchLabels: { 'a/b/c': 'd' } }, ['matchLabels', 'a/b/c']],
    [{ matchLabels: { [`${'a'.repeat(254)}/a`]: 'b' } }, ['matchLabels', `${'a'.repeat(254)}/a`]],
    [
      { matchExpressions: [{ key: 'a', operator: 'in', values: ['b'] }] },
      ['matchExpressions', '0', 'operator'],
    ],
    [{ matchExpressions: [{ key: 'a', operator: 'In' }] }, ['matchExpressions', '0', 'values']],
    [
      { matchExpressions: [{ key: 'a', operator: 'NotIn', values: [] }] },
      ['matchExpressions', '0', 'values'],
    ],
    [
      { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
      ['matchExpressions', '0', 'values'],
    ],
    [{ matchExpressions: [{ key: '', operator: 'Exists' }] }, ['matchExpressions', '0', 'key']],
    [
      { matchExpressions: [{ key: 'a', operator: 'In', values: ['ok', '-'] }] },
      ['matchExpressions', '0', 'values', '1'],
    ],
  ])('%j is wrong at %j', (selector, path) => {
    expect(validateSelector(selector).map((problem) => problem.path)).toEqual([path]);
  });
});

it('compares selectors whatever their order, and an absent one is no empty one', () => {
  const of = (...values: string[]) => ({ matchExpressions: [{ key: 'track', operator: 'In', values }] });
  expect(isSameSelector(of('a', 'b'), of('b', 'a'))).toBe(true);
  expect(isSameSelector(of('a', 'b'), of('a'))).toBe(false);
  expect(isSameSelector(undefined, {})).toBe(false);
  expect(isSameSelector(undefined, undefined)).toBe(true);
});
