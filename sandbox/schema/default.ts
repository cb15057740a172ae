import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { setOwn } from '../store/value.ts';
import { fieldSchema, type StructuralSchema } from './structural.ts';

/**
 * Applies schema defaults to absent fields, recursively through existing values (a default inside an absent object
 * without default is not applied). A null counts as absent if the field is not nullable and has a default. Returns
 * the same reference if nothing changes.
 */
export function applyDefaults(schema: StructuralSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return value;
    const filled = value.map((item) => applyDefaults(items, item));
    return filled.every((item, index) => item === value[index]) ? value : filled;
  }
  if (!isFields(value)) return value;
  let result: Fields | undefined;
  const put = (key: string, field: unknown) => {
    result ??= { ...value };
    setOwn(result, key, field);
  };
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined) continue;
    const absent = !Object.hasOwn(value, key) || value[key] === undefined;
    if (absent || (value[key] === null && property.nullable !== true))
      put(key, applyDefaults(property, property.default));
  }
  for (const key of Object.keys(value)) {
    const property = fieldSchema(schema, key);
    if (property === undefined || value[key] === undefined || value[key] === null) continue;
    const filled = applyDefaults(property, value[key]);
    if (filled !== value[key]) put(key, filled);
  }
  return result ?? value;
}
