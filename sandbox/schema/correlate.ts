import { isFields, ownField, sameValue } from '../../schemas/pods/fields.ts';
import { fieldSchema, type StructuralSchema } from './structural.ts';

/** The value before an update; absent if there is nothing to compare with. */
export type Before = { value: unknown } | undefined;

/** A value with its previous value. */
export interface Compared {
  schema: StructuralSchema;
  value: unknown;
  before: Before;
}

/** The identity of a list item: its keys, or the item itself. */
export function idOf(keys: readonly string[] | undefined, item: unknown): unknown {
  if (keys === undefined) return item;
  return Object.fromEntries(
    keys.filter((key) => ownField(item, key) !== undefined).map((key) => [key, ownField(item, key)]),
  );
}

/** The previous item for an item of a list; for lists of type map by key. */
export function itemBefore(schema: StructuralSchema, item: unknown, before: Before): Before {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (before === undefined || !Array.isArray(before.value)) return undefined;
  if (schema['x-kubernetes-list-type'] !== 'map' || keys === undefined) return undefined;
  const id = idOf(keys, item);
  const found = (before.value as unknown[]).find((other) => sameValue(idOf(keys, other), id));
  return found === undefined ? undefined : { value: found };
}

/** The correlation of a child; a child without counterpart counts as changed only if its parent changed. */
export function correlate(
  outer: Compared,
  before: Before,
  schema: StructuralSchema,
  value: unknown,
): Compared {
  return before === undefined ? outer : { schema, value, before };
}

/** Whether a value is unchanged, as far as its schema defines its parts. */
export function isUnchanged({ schema, value, before }: Compared): boolean {
  if (before === undefined) return false;
  const old = before.value;
  if (Array.isArray(value) && Array.isArray(old)) {
    if (value.length !== old.length) return false;
    const { items } = schema;
    if (schema['x-kubernetes-list-type'] !== 'map' || items === undefined) return sameValue(value, old);
    return (value as unknown[]).every((item) =>
      isUnchanged({ schema: items, value: item, before: itemBefore(schema, item, before) }),
    );
  }
  if (!isFields(value) || !isFields(old)) return sameValue(value, old);
  const keys = Object.keys(value);
  return (
    keys.length === Object.keys(old).length &&
    keys.every((key) => {
      const part = fieldSchema(schema, key);
      if (part === undefined || !Object.hasOwn(old, key)) return false;
      return isUnchanged({ schema: part, value: value[key], before: { value: old[key] } });
    })
  );
}
