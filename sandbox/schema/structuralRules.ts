import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { isFields, ownField, type Fields } from '../../schemas/pods/fields.ts';
import { applyDefaults } from './default.ts';
import { patternOf } from './pattern.ts';
import { checkRuleDefinitions } from './rulesCheck.ts';
import type { StructuralSchema } from './structural.ts';
import { validate } from './validate.ts';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const listTypes = ['atomic', 'set', 'map'];
const combinators = ['allOf', 'anyOf', 'oneOf'] as const;
/** Keywords that define structure, which must not be nested in value validations. */
const structure = [
  'type',
  'default',
  'additionalProperties',
  'nullable',
  'description',
  'title',
  'x-kubernetes-validations',
];

function checkPattern(schema: Fields, path: string): FieldError[] {
  const pattern = ownField(schema, 'pattern');
  const fault = typeof pattern === 'string' ? patternOf(pattern).fault : undefined;
  if (fault === undefined) return [];
  return [
    field.invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${fault}`),
  ];
}

/** Inside anyOf and similar only value validations are allowed. */
function checkValueOnly(schema: Fields, path: string): FieldError[] {
  const errors: FieldError[] = checkPattern(schema, path);
  for (const key of structure) {
    const isMark = key === 'type' && ownField(schema, 'x-kubernetes-int-or-string') === true;
    if (ownField(schema, key) !== undefined && !isMark)
      errors.push(field.forbidden(`${path}.${key}`, 'must be empty to be structural'));
  }
  const properties = ownField(schema, 'properties');
  if (isFields(properties))
    for (const [name, each] of Object.entries(properties))
      if (isFields(each)) errors.push(...checkValueOnly(each, `${path}.properties[${name}]`));
  const items = ownField(schema, 'items');
  if (isFields(items)) errors.push(...checkValueOnly(items, `${path}.items`));
  return [...errors, ...checkCombinators(schema, path)];
}

function checkCombinators(schema: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const isMark = ownField(schema, 'x-kubernetes-int-or-string') === true;
  for (const name of combinators) {
    const parts = ownField(schema, name);
    if (!Array.isArray(parts)) continue;
    for (const [index, part] of (parts as unknown[]).entries()) {
      // int-or-string is commonly written together with its anyOf.
      const isCustom = isMark && isFields(part) && Object.keys(part).every((key) => key === 'type');
      if (isFields(part) && !isCustom) errors.push(...checkValueOnly(part, `${path}.${name}[${index}]`));
    }
  }
  const not = ownField(schema, 'not');
  if (isFields(not)) errors.push(...checkValueOnly(not, `${path}.not`));
  return errors;
}

function checkListType(schema: Fields, path: string): FieldError[] {
  const listType = ownField(schema, 'x-kubernetes-list-type');
  if (listType === undefined) return [];
  const errors: FieldError[] = [];
  const type = ownField(schema, 'type');
  if (!listTypes.some((each) => each === listType))
    errors.push(field.notSupported(`${path}.x-kubernetes-list-type`, listType, listTypes));
  if (type !== 'array') {
    const detail = 'must be array if x-kubernetes-list-type is specified';
    return [...errors, field.invalid(`${path}.type`, type ?? '', detail)];
  }
  const items = ownField(schema, 'items');
  if (
    listType === 'set' &&
    ownField(items, 'type') === 'object' &&
    ownField(items, 'x-kubernetes-map-type') !== 'atomic'
  )
    errors.push(
      field.invalid(
        `${path}.items.x-kubernetes-map-type`,
        ownField(items, 'x-kubernetes-map-type') ?? null,
        'must be atomic as item of a list with x-kubernetes-list-type=set',
      ),
    );
  return listType === 'map' ? [...errors, ...checkMapKeys(schema, items, path)] : errors;
}

function checkMapKeys(schema: Fields, items: unknown, path: string): FieldError[] {
  const keys = ownField(schema, 'x-kubernetes-list-map-keys');
  if (!Array.isArray(keys) || keys.length === 0)
    return [
      field.required(
        `${path}.x-kubernetes-list-map-keys`,
        'must not be empty if x-kubernetes-list-type is map',
      ),
    ];
  const properties = ownField(items, 'properties');
  if (keys.some((key) => ownField(properties, String(key)) === undefined))
    return [
      field.invalid(
        `${path}.x-kubernetes-list-map-keys`,
        keys,
        'entries must all be names of item properties',
      ),
    ];
  const required = ownField(items, 'required');
  return keys
    .map(String)
    .filter(
      (key) =>
        !(Array.isArray(required) && required.includes(key)) &&
        ownField(ownField(properties, key), 'default') === undefined,
    )
    .map((key) =>
      field.required(
        `${path}.items.properties[${key}].default`,
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      ),
    );
}

function checkForbidden(schema: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (ownField(schema, '$ref') !== undefined)
    errors.push(field.forbidden(`${path}.$ref`, '$ref is not supported'));
  if (ownField(schema, 'uniqueItems') === true)
    errors.push(
      field.forbidden(
        `${path}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    );
  if (ownField(schema, 'additionalProperties') !== undefined && ownField(schema, 'properties') !== undefined)
    errors.push(
      field.forbidden(
        `${path}.additionalProperties`,
        'additionalProperties and properties are mutual exclusive',
      ),
    );
  errors.push(...checkPattern(schema, path));
  return errors;
}

function checkType(schema: Fields, path: string, where: string): FieldError[] {
  const type = ownField(schema, 'type');
  if (type !== undefined && type !== '')
    return types.some((each) => each === type) ? [] : [field.notSupported(`${path}.type`, type, types)];
  const isFree =
    ownField(schema, 'x-kubernetes-int-or-string') === true ||
    ownField(schema, 'x-kubernetes-preserve-unknown-fields') === true;
  return isFree ? [] : [field.required(`${path}.type`, `must not be empty for specified ${where}`)];
}

function checkNode(schema: Fields, path: string): FieldError[] {
  const errors = [
    ...checkForbidden(schema, path),
    ...checkListType(schema, path),
    ...checkCombinators(schema, path),
  ];
  const { properties, additionalProperties, items } = schema;
  if (schema['type'] === 'array' && !isFields(items))
    errors.push(field.required(`${path}.items`, 'must be specified'));
  if (
    schema['x-kubernetes-embedded-resource'] === true &&
    schema['x-kubernetes-preserve-unknown-fields'] !== true &&
    properties === undefined
  )
    errors.push(
      field.required(
        `${path}.properties`,
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    );
  if (schema['default'] !== undefined) errors.push(...checkDefault(schema, path));
  const visit = (child: unknown, at: string, where: string) => {
    if (!isFields(child)) return;
    errors.push(...checkType(child, at, where), ...checkNode(child, at));
  };
  if (isFields(properties))
    for (const name of Object.keys(properties).sort())
      visit(properties[name], `${path}.properties[${name}]`, 'object fields');
  visit(additionalProperties, `${path}.additionalProperties`, 'object fields');
  visit(items, `${path}.items`, 'array items');
  return errors;
}

function checkDefault(schema: Fields, path: string): FieldError[] {
  const value = applyDefaults(schema, schema['default']);
  return validate(schema as StructuralSchema, value).map((error) => ({
    ...error,
    field: [`${path}.default`, ...(error.field === '<nil>' || error.field === '' ? [] : [error.field])].join(
      '.',
    ),
  }));
}

/** Cache of valid frozen schemas, which all worlds share. */
const structural = new WeakSet<object>();

/** Why a schema is not structural; all errors. `path`: its location. */
export function checkStructural(schema: unknown, path: string): FieldError[] {
  if (!isFields(schema)) return [field.required(path)];
  if (structural.has(schema)) return [];
  const errors: FieldError[] = [];
  const { type, properties } = schema;
  if (type === undefined || type === '')
    errors.push(field.required(`${path}.type`, 'must not be empty at the root'));
  else if (type !== 'object') errors.push(field.invalid(`${path}.type`, type, 'must be object at the root'));
  if (schema['additionalProperties'] !== undefined)
    errors.push(field.forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
  if (schema['nullable'] === true)
    errors.push(field.forbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  const metadata = ownField(ownField(properties, 'metadata'), 'properties');
  if (isFields(metadata) && Object.keys(metadata).some((name) => name !== 'name' && name !== 'generateName'))
    errors.push(
      field.forbidden(
        `${path}.properties[metadata]`,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      ),
    );
  if (errors.length === 0) errors.push(...checkNode(schema, path));
  if (errors.length === 0) errors.push(...checkRuleDefinitions(schema, path));
  if (errors.length === 0 && Object.isFrozen(schema)) structural.add(schema);
  return errors;
}
