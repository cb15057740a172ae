import { describe, expect, test } from 'vitest';
import type { FieldType } from '../fields/atom.ts';
import { typeErrors } from '../fields/check.ts';
import { readRows } from './rows.ts';
import { shape } from './field-shape.ts';

describe('types of a configuration', () => {
  const cases: [string, unknown, string][] = readRows('field-types');
  test.each(cases)('%s', (_what, value, expected) => {
    expect(typeErrors(shape, value)).toBe(expected);
  });

  test('without a schema everything is of its type', () => {
    const unknown: FieldType = undefined;
    expect(typeErrors(unknown, { a: [1, { b: null }] })).toBe('');
  });
});
