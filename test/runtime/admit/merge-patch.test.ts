import { expect, test } from 'vitest';
import { joinedPatches, merged } from '../../../runtime/admit/merge-patch.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import * as fc from '../../property.ts';

const { value: object } = fc.letrec<{ value: JsonObject; field: unknown }>((tie) => ({
  value: fc.dictionary(fc.constantFrom('a', 'b'), tie('field'), { maxKeys: 2 }) as fc.Arbitrary<JsonObject>,
  field: fc.oneof({ maxDepth: 3 }, fc.constantFrom(null, 1, 'x'), fc.constant([1]), tie('value')),
}));

test('property: one patch in place of two does the same, or there is none', () => {
  let joined = 0;
  fc.assert(
    fc.property(object, object, object, (before, first, next) => {
      const both = joinedPatches(first, next);
      if (both === undefined) return;
      joined += 1;
      expect(merged(merged(before, both), {})).toEqual(merged(merged(before, first), next));
    }),
  );
  expect(joined).toBeGreaterThan(10);
});

test('a patch that removes what the next one adds to is not joined with it', () => {
  expect(joinedPatches({ a: null }, { a: { b: 1 } })).toBeUndefined();
  expect(joinedPatches({ a: { b: 1 } }, { a: { c: 2 }, d: null })).toEqual({ a: { b: 1, c: 2 }, d: null });
});
