import { describe, expect, test } from 'vitest';
import { compareElements, keyElement, showElement, valueElement } from '../fields/element.ts';
import {
  difference,
  intersection,
  pathsOf,
  readSet,
  union,
  within,
  without,
  type MaybeSet,
} from '../fields/set.ts';
import { set } from './field-shape.ts';

describe('elements', () => {
  test('keys are written in the order of their names, whatever order they come in', () => {
    expect(
      keyElement([
        ['protocol', 'TCP'],
        ['port', 80],
      ]),
    ).toBe('k:{"port":80,"protocol":"TCP"}');
  });

  test('what HTML could take for its own is escaped', () => {
    expect(valueElement('a<b>&c')).toBe('v:"a\\u003cb\\u003e\\u0026c"');
  });

  test('the order is fields, items by keys, by value, by index; numbers by size', () => {
    const elements = [
      'i:10',
      'i:2',
      'v:10',
      'v:9',
      'v:"a"',
      'k:{"port":443}',
      'k:{"port":80}',
      'f:b',
      'f:a',
      '.',
    ];
    expect(elements.toSorted(compareElements)).toEqual([
      '.',
      'f:a',
      'f:b',
      'k:{"port":80}',
      'k:{"port":443}',
      'v:9',
      'v:10',
      'v:"a"',
      'i:2',
      'i:10',
    ]);
  });

  const shown: [string, string][] = [
    ['f:spec', '.spec'],
    ['k:{"port":80,"protocol":"TCP"}', '[port=80,protocol="TCP"]'],
    ['v:"a"', '[="a"]'],
    ['i:3', '[3]'],
  ];
  test.each(shown)('%s is shown as %s', (element, as) => {
    expect(showElement(element)).toBe(as);
  });
});

describe('sets', () => {
  const a = set({ 'f:x': { '.': {}, 'f:y': {} }, 'f:z': {} });
  const b = set({ 'f:x': { 'f:y': {} }, 'f:w': {} });
  const cases: [string, MaybeSet, object | undefined][] = [
    ['union', union(a, b), { 'f:w': {}, 'f:x': { '.': {}, 'f:y': {} }, 'f:z': {} }],
    ['difference keeps the parent of what goes', difference(a, b), { 'f:x': {}, 'f:z': {} }],
    [
      'difference keeps what lies below a member that goes',
      difference(a, set({ 'f:x': {} })),
      { 'f:x': { 'f:y': {} }, 'f:z': {} },
    ],
    ['without takes what lies below, too', without(a, set({ 'f:x': {} })), { 'f:z': {} }],
    ['within is the other half', within(a, set({ 'f:x': {} })), { 'f:x': { '.': {}, 'f:y': {} } }],
    ['intersection', intersection(a, b), { 'f:x': { 'f:y': {} } }],
    [
      'nothing left is undefined, and no member',
      difference(set({ 'f:x': {} }), set({ 'f:x': {} })),
      undefined,
    ],
  ];
  test.each(cases)('%s', (_what, result, expected) => {
    expect(result).toEqual(expected);
  });

  test('what changes nothing gives back the very set', () => {
    expect(union(a, set({ 'f:z': {} }))).toBe(a);
    expect(difference(a, set({ 'f:q': {} }))).toBe(a);
    expect(without(a, set({ 'f:q': {} }))).toBe(a);
  });

  test('paths name the members, own members of a node first', () => {
    expect(pathsOf(set({ 'f:a': { '.': {}, 'k:{"n":"x"}': { 'f:y': {} } }, 'f:b': {} }))).toEqual([
      '.a',
      '.b',
      '.a[n="x"].y',
    ]);
  });

  const read: [string, unknown, unknown][] = [
    ['sorts what a client wrote', { 'f:b': {}, 'f:a': {} }, ['f:a', 'f:b']],
    ['rewrites keys', { 'k:{"b":1,"a":2}': {} }, ['k:{"a":2,"b":1}']],
    ['passes over elements of no known kind', { 'x:a': {}, 'f:b': {} }, ['f:b']],
    ['refuses keys that are no JSON', { 'k:{': {} }, null],
    ['refuses what is no tree', { 'f:a': 1 }, null],
  ];
  test.each(read)('reading %s', (_what, value, elements) => {
    const found = readSet(value);
    expect(found === null ? null : Object.keys(found ?? {})).toEqual(elements);
  });
});
