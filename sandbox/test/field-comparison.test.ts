import { describe, expect, test } from 'vitest';
import { compare } from '../fields/compare.ts';
import { fieldsOf, withNamedFields } from '../fields/members.ts';
import { pathsOf } from '../fields/set.ts';
import { readRows } from './rows.ts';
import { set, shape, tcp } from './field-shape.ts';

describe('the fields of a configuration', () => {
  const cases: [string, object, object | undefined][] = [
    ['a scalar', { text: 'x' }, { 'f:text': {} }],
    ['a named map is no member, its fields are', { inner: { a: '1' } }, { 'f:inner': { 'f:a': {} } }],
    ['an empty map is one', { inner: {} }, { 'f:inner': {} }],
    ['entries of a map of anything', { labels: { a: '1' } }, { 'f:labels': { 'f:a': {} } }],
    ['an atomic map as a whole', { whole: { a: '1' } }, { 'f:whole': {} }],
    ['an atomic list as a whole', { list: ['a'] }, { 'f:list': {} }],
    ['items of a set', { set: ['b', 'a'] }, { 'f:set': { 'v:"a"': {}, 'v:"b"': {} } }],
    ['an empty set is nothing', { set: [] }, undefined],
    [
      'items of a list with keys, defaults of keys filled in',
      { ports: [{ port: 80 }] },
      { 'f:ports': { [tcp(80)]: { '.': {}, 'f:port': {} } } },
    ],
    ['null is a member', { text: null, labels: null }, { 'f:labels': {}, 'f:text': {} }],
    [
      'of unknown fields, maps are granular and lists atomic',
      { free: { a: { b: 1 }, c: [1] } },
      { 'f:free': { 'f:a': { '.': {}, 'f:b': {} }, 'f:c': {} } },
    ],
    ['int-or-string', { share: '10%' }, { 'f:share': {} }],
    ['an object without fields of its own as a whole', { opaque: { a: 1 } }, { 'f:opaque': {} }],
  ];
  test.each(cases)('%s', (_what, value, expected) => {
    expect(fieldsOf(shape, value)).toEqual(expected);
  });

  test('named fields on the way are added, entries and items are not', () => {
    const found = withNamedFields(
      shape,
      set({
        'f:inner': { 'f:a': {} },
        'f:labels': { 'f:x': {} },
        'f:named': { 'k:{"name":"a"}': { 'f:value': {} } },
      }),
    );
    expect(pathsOf(found)).toEqual([
      '.inner',
      '.labels',
      '.named',
      '.inner.a',
      '.labels.x',
      '.named[name="a"].value',
    ]);
  });
});

describe('comparison', () => {
  const cases: [string, object, object, { added?: object; modified?: object; removed?: object } | null][] =
    readRows('field-comparisons');
  test.each(cases)('%s', (_what, before, after, expected) => {
    const found = compare(shape, before, after, undefined);
    expect(found).toEqual(
      expected === null
        ? undefined
        : { added: undefined, modified: undefined, removed: undefined, ...expected },
    );
  });

  test('ignored fields are omitted with their descendants', () => {
    const ignored = set({ 'f:inner': {} });
    expect(compare(shape, { inner: { a: '1' } }, { inner: { a: '2' } }, ignored)).toBeUndefined();
  });
});
