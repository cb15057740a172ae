import { describe, expect, test } from 'vitest';
import type { FieldType } from '../fields/atom.ts';
import { typeErrors } from '../fields/check.ts';
import { shape } from './field-shape.ts';

describe('types of a configuration', () => {
  const cases: [string, unknown, string][] = [
    ['all is well', { text: 'a', count: 1, flag: true, share: 1, set: ['a'], any: [1, { a: 2 }] }, ''],
    ['null is of every type', { text: null, named: null }, ''],
    ['an unknown field', { nope: 1 }, '.nope: field not declared in schema'],
    [
      'no string',
      { text: { a: [1, null] } },
      '.text: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":[]interface {}{1, interface {}(nil)}}}',
    ],
    ['no number', { count: true }, '.count: expected numeric (int or float), got bool'],
    ['no boolean', { flag: 'no' }, '.flag: expected boolean, got &{no}'],
    ['no map', { inner: [1, 'a', { b: null }] }, '.inner: expected map, got &{[1 a map[b:<nil>]]}'],
    ['no list', { set: 'x' }, '.set: expected list, got &{x}'],
    [
      'an item of an atomic list',
      { list: ['a', 1] },
      '.list[1]: expected string, got &value.valueUnstructured{Value:1}',
    ],
    [
      'an item without its key',
      { named: [{ value: 'x' }] },
      '.named: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
    [
      'an item that is no map',
      { named: [5] },
      '.named: element 0: associative list with keys may not have non-map elements',
    ],
    [
      'an item of a set that is one',
      { set: [{}] },
      ".set: element 0: associative list without keys has an element that's a map type",
    ],
    ['the same item twice', { set: ['a', 'a'] }, '.set: duplicate entries for key [="a"]'],
    [
      'the same key twice, once by default',
      { ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] },
      '.ports: duplicate entries for key [port=1,protocol="TCP"]',
    ],
    [
      'within an item',
      { named: [{ name: 'a', zip: 1 }] },
      '.named[name="a"].zip: field not declared in schema',
    ],
    [
      'several at once',
      { text: 1, nope: 1 },
      'errors:\n  .nope: field not declared in schema\n  .text: expected string, got &value.valueUnstructured{Value:1}',
    ],
  ];
  test.each(cases)('%s', (_what, value, expected) => {
    expect(typeErrors(shape, value)).toBe(expected);
  });

  test('without a schema everything is of its type', () => {
    const unknown: FieldType = undefined;
    expect(typeErrors(unknown, { a: [1, { b: null }] })).toBe('');
  });
});
