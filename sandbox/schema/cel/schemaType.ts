import type { StructuralSchema } from '../structural.ts';
import { escapeName } from './escape.ts';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  timestampType,
  type Type,
} from './types.ts';

const text: StructuralSchema = { type: 'string' };
const metadata: StructuralSchema = { type: 'object', properties: { name: text, generateName: text } };

const completed = new WeakMap<StructuralSchema, StructuralSchema>();

/** The schema of a resource, with apiVersion, kind and metadata. */
export function withEnvelope(schema: StructuralSchema): StructuralSchema {
  let made = completed.get(schema);
  if (made === undefined) {
    made = { ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata } };
    completed.set(schema, made);
  }
  return made;
}

const formats: Readonly<Record<string, Type>> = {
  byte: bytesType,
  duration: durationType,
  date: timestampType,
  'date-time': timestampType,
};

/**
 * The CEL type of a schema; undefined for values that expressions cannot access. `name`: the type name for objects.
 * `isRoot`: whether it is a resource.
 */
export function schemaType(
  schema: StructuralSchema,
  name: string,
  isRoot = schema['x-kubernetes-embedded-resource'] === true,
): Type | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return dynType;
  switch (schema.type) {
    case 'array': {
      const item = schema.items === undefined ? undefined : schemaType(schema.items, `${name}.@idx`);
      return item === undefined ? undefined : listType(item);
    }
    case 'object':
      return objectType(isRoot ? withEnvelope(schema) : schema, name);
    case 'string':
      return formats[schema.format ?? ''] ?? stringType;
    case 'boolean':
      return boolType;
    case 'number':
      return doubleType;
    case 'integer':
      return intType;
    case undefined:
    default:
      return undefined;
  }
}

function objectType(schema: StructuralSchema, name: string): Type | undefined {
  const { additionalProperties, properties = {} } = schema;
  if (typeof additionalProperties === 'object') {
    const value = schemaType(additionalProperties, `${name}.@elem`);
    return value === undefined ? undefined : mapType(stringType, value);
  }
  const fields = new Map<string, Type>();
  for (const [key, property] of Object.entries(properties)) {
    const own = escapeName(key);
    const type = own === undefined ? undefined : schemaType(property, `${name}.${own}`);
    if (own !== undefined && type !== undefined) fields.set(own, type);
  }
  return { kind: 'struct', name, params: [], fields };
}
