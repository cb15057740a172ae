import { describe, expect, test } from 'vitest';
import { isWithinSelection } from '../../../semantics/values/pod-selection.ts';
import { type LabelSelector, selectorPredicate } from '../../../semantics/values/selector.ts';
import { isWithinSelector } from '../../../semantics/values/selector-within.ts';
import * as fc from '../../property.ts';

const value = fc.constantFrom('a', 'b', 'c');
const key = fc.constantFrom('x', 'y');
const labels = fc.dictionary(key, value);
const term = fc.oneof(
  fc.record({
    key,
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.uniqueArray(value, { minLength: 1 }),
  }),
  fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
);
const selector: fc.Arbitrary<LabelSelector> = fc.record(
  { matchLabels: labels, matchExpressions: fc.array(term, { maxLength: 3 }) },
  { requiredKeys: [] },
);

describe('a selector within another one', () => {
  test('matches nothing that the other does not', () => {
    fc.assert(
      fc.property(selector, selector, labels, (one, other, found) => {
        fc.pre(isWithinSelector(one, other) && selectorPredicate(one)(found));
        expect(selectorPredicate(other)(found)).toBe(true);
      }),
    );
  });

  test('is each with further requirements', () => {
    fc.assert(
      fc.property(selector, fc.array(term, { maxLength: 3 }), (one, more) => {
        const further = { ...one, matchExpressions: [...(one.matchExpressions ?? []), ...more] };
        expect(isWithinSelector(further, one)).toBe(true);
      }),
    );
  });

  test.each<[LabelSelector, LabelSelector, boolean]>([
    [{ matchLabels: { x: 'a' } }, {}, true],
    [{}, { matchLabels: { x: 'a' } }, false],
    [
      { matchLabels: { x: 'a' } },
      { matchExpressions: [{ key: 'x', operator: 'In', values: ['a', 'b'] }] },
      true,
    ],
    [
      { matchExpressions: [{ key: 'x', operator: 'In', values: ['a', 'b'] }] },
      { matchLabels: { x: 'a' } },
      false,
    ],
    [{ matchLabels: { x: 'a' } }, { matchExpressions: [{ key: 'x', operator: 'Exists' }] }, true],
    [
      { matchLabels: { x: 'a' } },
      { matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['b'] }] },
      true,
    ],
    [{ matchLabels: { x: 'a' } }, { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] }, false],
    [
      { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] },
      { matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['a'] }] },
      true,
    ],
    [
      { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] },
      { matchExpressions: [{ key: 'x', operator: 'Exists' }] },
      false,
    ],
    [
      { matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['a', 'b'] }] },
      { matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['a'] }] },
      true,
    ],
    [
      { matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['a'] }] },
      { matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['a', 'b'] }] },
      false,
    ],
    [{ matchExpressions: [{ key: 'x', operator: 'Unknown' }] }, { matchLabels: { x: 'a' } }, false],
  ])('%j in %j: %s', (one, other, is) => {
    expect(isWithinSelector(one, other)).toBe(is);
  });
});

test.each<[string, LabelSelector | undefined, LabelSelector | undefined, boolean]>([
  ['all namespaces in all', undefined, undefined, true],
  ['one in all', { matchLabels: { x: 'a' } }, undefined, true],
  ['all in one', undefined, { matchLabels: { x: 'a' } }, false],
  ['all in those that are found', undefined, {}, false],
])('a selection of %s', (_what, one, other, is) => {
  const of = (namespaceSelector: LabelSelector | undefined) => ({ selector: {}, namespaceSelector });
  expect(isWithinSelection(of(one), of(other))).toBe(is);
});
