import { field, type FieldError } from '../api/errors.ts';
import { isFields, ownField, sameValue } from '../store/value.ts';
import { fieldSchema, type StructuralSchema } from './structural.ts';

const int32Limit = 2 ** 31;
const dateTime = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function hasType(type: string, value: unknown): boolean {
  return typeName(value) === type || (type === 'number' && typeof value === 'number');
}

function checkType(schema: StructuralSchema, value: unknown, path: string): FieldError | undefined {
  if (value === null && schema.nullable === true) return undefined;
  const wanted = schema['x-kubernetes-int-or-string'] === true ? ['integer', 'string'] : schema.type;
  if (wanted === undefined) return undefined;
  const types = typeof wanted === 'string' ? [wanted] : wanted;
  if (types.some((type) => hasType(type, value))) return undefined;
  const shown = path === '' ? '<nil>' : path;
  const found = typeName(value);
  return field.typeInvalid(shown, found, `${path} in body must be of type ${types.join(',')}: "${found}"`);
}

function checkNumber(schema: StructuralSchema, value: number, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { minimum, maximum, multipleOf } = schema;
  if (minimum !== undefined && (schema.exclusiveMinimum === true ? value <= minimum : value < minimum)) {
    const relation = schema.exclusiveMinimum === true ? 'greater than' : 'greater than or equal to';
    errors.push(field.invalid(path, value, `${path} in body should be ${relation} ${minimum}`));
  }
  if (maximum !== undefined && (schema.exclusiveMaximum === true ? value >= maximum : value > maximum)) {
    const relation = schema.exclusiveMaximum === true ? 'less than' : 'less than or equal to';
    errors.push(field.invalid(path, value, `${path} in body should be ${relation} ${maximum}`));
  }
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf))
    errors.push(field.invalid(path, value, `${path} in body should be a multiple of ${multipleOf}`));
  if (schema.format === 'int32' && (value < -int32Limit || value >= int32Limit))
    errors.push(field.invalid(path, value, `${path} in body must be of type int32: "${value}"`));
  return errors;
}

function checkString(schema: StructuralSchema, value: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { minLength, maxLength, pattern, format } = schema;
  const length = [...value].length;
  if (minLength !== undefined && length < minLength)
    errors.push(field.invalid(path, value, `${path} in body should be at least ${minLength} chars long`));
  if (maxLength !== undefined && length > maxLength) errors.push(field.tooLong(path, maxLength));
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value))
    errors.push(field.invalid(path, value, `${path} in body should match '${pattern}'`));
  if (format === 'date-time' && !(dateTime.test(value) && Number.isFinite(Date.parse(value))))
    errors.push(field.invalid(path, value, `${path} in body must be of type date-time: "${value}"`));
  return errors;
}

function checkList(schema: StructuralSchema, value: readonly unknown[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { minItems, maxItems, items } = schema;
  if (minItems !== undefined && value.length < minItems)
    errors.push(field.invalid(path, value.length, `${path} in body should have at least ${minItems} items`));
  if (maxItems !== undefined && value.length > maxItems)
    errors.push(field.tooMany(path, value.length, maxItems));
  if (items !== undefined)
    for (const [index, item] of value.entries()) errors.push(...validate(items, item, `${path}[${index}]`));
  const keys = schema['x-kubernetes-list-map-keys'];
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set' || (listType === 'map' && keys !== undefined)) {
    const idOf = (item: unknown) =>
      listType === 'set' || keys === undefined
        ? item
        : Object.fromEntries(keys.map((key) => [key, ownField(item, key)]));
    const seen: unknown[] = [];
    for (const [index, item] of value.entries()) {
      const id = idOf(item);
      if (seen.some((other) => sameValue(other, id))) errors.push(field.duplicate(`${path}[${index}]`, id));
      seen.push(id);
    }
  }
  return errors;
}

function checkFields(schema: StructuralSchema, value: Record<string, unknown>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const under = (key: string) => (path === '' ? key : `${path}.${key}`);
  for (const key of schema.required ?? [])
    if (!Object.hasOwn(value, key) || value[key] === undefined) errors.push(field.required(under(key)));
  const keys = Object.keys(value);
  const { minProperties, maxProperties } = schema;
  if (minProperties !== undefined && keys.length < minProperties)
    errors.push(
      field.invalid(path, keys.length, `${path} in body should have at least ${minProperties} properties`),
    );
  if (maxProperties !== undefined && keys.length > maxProperties)
    errors.push(field.tooMany(path, keys.length, maxProperties));
  for (const key of keys) {
    const property = fieldSchema(schema, key);
    if (property !== undefined) errors.push(...validate(property, value[key], under(key)));
  }
  return errors;
}

function checkCombinations(schema: StructuralSchema, value: unknown, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const holds = (part: StructuralSchema) => validate(part, value, path).length === 0;
  const { anyOf, oneOf, allOf, not } = schema;
  // The int-or-string marker already says what its conventional anyOf [integer, string] repeats.
  if (anyOf !== undefined && schema['x-kubernetes-int-or-string'] !== true && !anyOf.some(holds))
    errors.push(field.invalid(path, value, `${path} in body must validate at least one schema (anyOf)`));
  if (oneOf !== undefined && oneOf.filter(holds).length !== 1)
    errors.push(field.invalid(path, value, `${path} in body must validate one and only one schema (oneOf)`));
  for (const part of allOf ?? []) errors.push(...validate(part, value, path));
  if (not !== undefined && holds(not))
    errors.push(field.invalid(path, value, `${path} in body must not validate the schema (not)`));
  return errors;
}

/** Everything in a value that its schema forbids, in the words of the API server. CEL rules are not evaluated. */
export function validate(schema: StructuralSchema, value: unknown, path = ''): FieldError[] {
  const wrongType = checkType(schema, value, path);
  if (wrongType !== undefined) return [wrongType];
  if (value === null) return [];
  const errors: FieldError[] = [];
  if (schema.enum !== undefined && !schema.enum.some((each) => sameValue(each, value)))
    errors.push(field.notSupported(path, value, schema.enum));
  if (typeof value === 'number') errors.push(...checkNumber(schema, value, path));
  else if (typeof value === 'string') errors.push(...checkString(schema, value, path));
  else if (Array.isArray(value)) errors.push(...checkList(schema, value, path));
  else if (isFields(value)) errors.push(...checkFields(schema, value, path));
  errors.push(...checkCombinations(schema, value, path));
  return errors;
}
