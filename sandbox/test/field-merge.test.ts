import { describe, expect, test } from 'vitest';
import { merge } from '../fields/merge.ts';
import { removeFields } from '../fields/remove.ts';
import { set, shape } from './field-shape.ts';

describe('merging', () => {
  const names = (...list: string[]) => ({ named: list.map((name) => ({ name })) });
  const cases: [string, object, object, object][] = [
    [
      'what is named is taken, the rest stays',
      { text: 'a', count: 1 },
      { text: 'b' },
      { text: 'b', count: 1 },
    ],
    ['maps are joined', { labels: { a: '1' } }, { labels: { b: '2' } }, { labels: { a: '1', b: '2' } }],
    ['an atomic map is replaced', { whole: { a: '1' } }, { whole: {} }, { whole: {} }],
    ['an atomic list is replaced', { list: ['a'] }, { list: ['b'] }, { list: ['b'] }],
    ['sets are joined', { set: ['a', 'b'] }, { set: ['c', 'a'] }, { set: ['c', 'a', 'b'] }],
    ['live items come before what is new', names('x', 'y'), names('a'), names('x', 'y', 'a')],
    ['shared items keep the order of the configuration', names('a', 'b'), names('b', 'a'), names('b', 'a')],
    [
      'live items keep their place between shared ones',
      names('a', 'x', 'b'),
      names('a', 'b'),
      names('a', 'x', 'b'),
    ],
    [
      'new items go where the configuration has them',
      names('a', 'b'),
      names('a', 'n', 'b'),
      names('a', 'n', 'b'),
    ],
    [
      'a reordered list with strangers',
      names('a', 'x', 'b', 'y'),
      names('b', 'n', 'a'),
      names('x', 'b', 'y', 'n', 'a'),
    ],
    ['an empty map over an empty one', { labels: {} }, { labels: {} }, { labels: {} }],
    ['null over a scalar', { text: 'a' }, { text: null }, { text: null }],
    ['null over a map takes nothing', { labels: { a: '1' } }, { labels: null }, { labels: { a: '1' } }],
    [
      'null over an unknown map takes nothing',
      { free: { a: { b: 1 } } },
      { free: { a: null } },
      { free: { a: { b: 1 } } },
    ],
  ];
  test.each(cases)('%s', (_what, live, config, expected) => {
    expect(merge(shape, live, config)).toEqual(expected);
  });
});

describe('removing', () => {
  const cases: [string, object, object, object][] = [
    ['a field', { text: 'a', count: 1 }, { 'f:text': {} }, { count: 1 }],
    ['an entry', { labels: { a: '1', b: '2' } }, { 'f:labels': { 'f:a': {} } }, { labels: { b: '2' } }],
    ['the last entry leaves null', { labels: { a: '1' } }, { 'f:labels': { 'f:a': {} } }, { labels: null }],
    ['an item', { set: ['a', 'b'] }, { 'f:set': { 'v:"a"': {} } }, { set: ['b'] }],
    ['the last item leaves null', { set: ['a'] }, { 'f:set': { 'v:"a"': {} } }, { set: null }],
    [
      'something in an item',
      { named: [{ name: 'a', value: '1' }] },
      { 'f:named': { 'k:{"name":"a"}': { 'f:value': {} } } },
      { named: [{ name: 'a' }] },
    ],
    [
      'nothing within an atomic map',
      { whole: { a: '1' } },
      { 'f:whole': { 'f:a': {} } },
      { whole: { a: '1' } },
    ],
  ];
  test.each(cases)('%s', (_what, value, fields, expected) => {
    expect(removeFields(shape, value, set(fields))).toEqual(expected);
  });
});
