import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { isFields, sameValue } from '../../schemas/pods/fields.ts';
import { idOf, itemBefore, type Before } from './correlate.ts';
import { hasFormat } from './formats.ts';
import { patternOf } from './pattern.ts';
import { fieldSchema, type StructuralSchema } from './structural.ts';

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function hasType(type: string, value: unknown): boolean {
  if (type === 'number') return typeof value === 'number';
  // The server treats integers beyond 64 bits as numbers.
  if (type === 'integer') return Number.isInteger(value) && Math.abs(Number(value)) <= 2 ** 63;
  return typeName(value) === type;
}

function checkType(schema: StructuralSchema, value: unknown, path: string): FieldError[] {
  if (value === null && schema.nullable === true) return [];
  const types =
    schema['x-kubernetes-int-or-string'] === true
      ? ['integer', 'string']
      : schema.type === undefined
        ? []
        : [schema.type];
  if (types.length === 0 || types.some((type) => hasType(type, value))) return [];
  const name = typeName(value);
  const found = name === 'integer' && types.includes('integer') ? 'number' : name;
  return [
    field.typeInvalid(
      path || '<nil>',
      found,
      `${path} in body must be of type ${types.join(',')}: "${found}"`,
    ),
  ];
}

function checkNumber(schema: StructuralSchema, value: number, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { minimum, maximum, multipleOf } = schema;
  const refuse = (detail: string) =>
    errors.push(field.invalid(path, value, `${path} in body should be ${detail}`));
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf))
    refuse(`a multiple of ${multipleOf}`);
  if (maximum !== undefined) {
    if (schema.exclusiveMaximum === true && value >= maximum) refuse(`less than ${maximum}`);
    else if (value > maximum) refuse(`less than or equal to ${maximum}`);
  }
  if (minimum !== undefined) {
    if (schema.exclusiveMinimum === true && value <= minimum) refuse(`greater than ${minimum}`);
    else if (value < minimum) refuse(`greater than or equal to ${minimum}`);
  }
  return errors;
}

/** The first error of a string; the server reports no further ones. */
function checkString(schema: StructuralSchema, value: string, path: string): FieldError[] {
  const { minLength, maxLength, pattern } = schema;
  const length = minLength === undefined && maxLength === undefined ? 0 : [...value].length;
  if (maxLength !== undefined && length > maxLength) return [field.tooLong(path, maxLength)];
  if (minLength !== undefined && length < minLength)
    return [field.invalid(path, value, `${path} in body should be at least ${minLength} chars long`)];
  if (pattern !== undefined && patternOf(pattern).pattern?.test(value) === false)
    return [field.invalid(path, value, `${path} in body should match '${pattern}'`)];
  return [];
}

function checkFormat({ format }: StructuralSchema, value: string, path: string): FieldError[] {
  if (format === undefined || hasFormat(format, value)) return [];
  return [field.invalid(path, value, `${path} in body must be of type ${format}: ${JSON.stringify(value)}`)];
}

function checkUnique(schema: StructuralSchema, value: readonly unknown[], path: string): FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'];
  if (listType !== 'set' && (listType !== 'map' || keys === undefined)) return [];
  const errors: FieldError[] = [];
  const counts = new Map<string, number>();
  for (const [index, item] of value.entries()) {
    const at = `${path}[${index}]`;
    if (listType === 'map' && !isFields(item)) {
      errors.push(field.invalid(at, item, 'must be an object for an array of list-type map'));
      continue;
    }
    const id = idOf(listType === 'map' ? keys : undefined, item);
    const text = JSON.stringify(id);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    if (count === 2) errors.push(field.duplicate(at, id));
  }
  return errors;
}

function checkList(
  schema: StructuralSchema,
  value: readonly unknown[],
  path: string,
  before: Before,
  unchanged: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  const { minItems, maxItems, items } = schema;
  if (items !== undefined)
    for (const [index, item] of value.entries()) {
      const old = unchanged ? { value: item } : itemBefore(schema, item, before);
      errors.push(...validate(items, item, `${path}[${index}]`, old));
    }
  if (unchanged) return errors;
  if (maxItems !== undefined && value.length > maxItems)
    errors.push(field.tooMany(path, value.length, maxItems));
  if (minItems !== undefined && value.length < minItems)
    errors.push(field.invalid(path, value.length, `${path} in body should have at least ${minItems} items`));
  return errors;
}

function checkFields(
  schema: StructuralSchema,
  value: Record<string, unknown>,
  path: string,
  before: Before,
  unchanged: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  const under = (key: string) => (path === '' ? key : `${path}.${key}`);
  const keys = Object.keys(value);
  if (!unchanged) {
    const { minProperties, maxProperties } = schema;
    if (minProperties !== undefined && keys.length < minProperties)
      errors.push(
        field.invalid(path, keys.length, `${path} in body should have at least ${minProperties} properties`),
      );
    if (maxProperties !== undefined && keys.length > maxProperties)
      errors.push(field.tooMany(path, keys.length, maxProperties));
    for (const key of schema.required ?? [])
      if (!Object.hasOwn(value, key) || value[key] === undefined) errors.push(field.required(under(key)));
  }
  const old = isFields(before?.value) ? before.value : undefined;
  for (const key of keys) {
    const property = fieldSchema(schema, key);
    if (property === undefined) continue;
    const was = old !== undefined && Object.hasOwn(old, key) ? { value: old[key] } : undefined;
    errors.push(...validate(property, value[key], under(key), was));
  }
  return errors;
}

/** anyOf, oneOf, allOf and not. Ratcheting does not apply to them, like in the server. */
function checkCombinations(schema: StructuralSchema, value: unknown, path: string): FieldError[] {
  const { anyOf, oneOf, allOf, not } = schema;
  if (anyOf === undefined && oneOf === undefined && allOf === undefined && not === undefined) return [];
  const errors: FieldError[] = [];
  const refuse = (detail: string) =>
    errors.push(field.invalid('<nil>', '', `${JSON.stringify(path)} ${detail}`));
  const failures = (parts: readonly StructuralSchema[]) => parts.map((part) => validate(part, value, path));
  if (anyOf !== undefined) {
    const each = failures(anyOf);
    if (each.every((some) => some.length > 0)) {
      refuse('must validate at least one schema (anyOf)');
      errors.push(...(each[0] ?? []));
    }
  }
  if (oneOf !== undefined) {
    const each = failures(oneOf);
    const valid = each.filter((some) => some.length === 0).length;
    if (valid !== 1)
      refuse(
        `must validate one and only one schema (oneOf). Found ${valid === 0 ? 'none valid' : `${valid} valid alternatives`}`,
      );
    if (valid === 0) errors.push(...(each[0] ?? []));
  }
  const unmet = failures(allOf ?? []).flat();
  if (unmet.length > 0) {
    errors.push(...unmet);
    refuse('must validate all the schemas (allOf)');
  }
  if (not !== undefined && validate(not, value, path).length === 0)
    refuse('must not validate the schema (not)');
  return errors;
}

/**
 * All schema violations of a value, in the API server's wording. `before` is the value before an update: unchanged
 * parts are not reported.
 */
export function validate(schema: StructuralSchema, value: unknown, path = '', before?: Before): FieldError[] {
  const unchanged = before !== undefined && sameValue(before.value, value);
  const errors = unchanged ? [] : checkType(schema, value, path);
  const fits = unchanged || errors.length === 0;
  if (schema.enum !== undefined && !unchanged && !schema.enum.some((each) => sameValue(each, value)))
    errors.push(field.notSupported(path, value, schema.enum.map(enumText)));
  if (value === null) return errors;
  if (!fits) return [...errors, ...checkCombinations(schema, value, path)];
  if (typeof value === 'number' && !unchanged) errors.push(...checkNumber(schema, value, path));
  else if (typeof value === 'string' && !unchanged)
    errors.push(...checkString(schema, value, path), ...checkFormat(schema, value, path));
  else if (Array.isArray(value)) errors.push(...checkList(schema, value, path, before, unchanged));
  else if (isFields(value)) errors.push(...checkFields(schema, value, path, before, unchanged));
  errors.push(...checkCombinations(schema, value, path));
  if (Array.isArray(value) && !unchanged) errors.push(...checkUniqueNow(schema, value, path, before));
  return errors;
}

/** Lists that already had duplicate items may keep them. */
function checkUniqueNow(
  schema: StructuralSchema,
  value: readonly unknown[],
  path: string,
  before: Before,
): FieldError[] {
  const errors = checkUnique(schema, value, path);
  if (errors.length === 0 || before === undefined || !Array.isArray(before.value)) return errors;
  return checkUnique(schema, before.value as unknown[], path).length > 0 ? [] : errors;
}

function enumText(value: unknown): unknown {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
