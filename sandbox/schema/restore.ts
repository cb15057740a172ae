import type { StructuralSchema } from './structural.ts';

/** The reflect.Kind of a value. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'string' ? 'string' : 'map';
}

/** The reflect.Kind of a scalar type; undefined for types with their own unmarshaler. */
function scalarKind({ type, format }: StructuralSchema): string | undefined {
  switch (type) {
    case 'boolean':
      return 'bool';
    case 'integer':
      return format ?? 'int64';
    case 'number':
      return 'float64';
    case 'string':
      return format === undefined ? 'string' : undefined;
    case undefined:
    default:
      return undefined;
  }
}

/**
 * The error for a value of the wrong type when an object is restored from memory instead of JSON, as after a
 * strategic merge patch. undefined for types with their own unmarshaler.
 */
export function restoreFault(schema: StructuralSchema, value: unknown): string | undefined {
  const kind = kindOf(value);
  if (schema.type === 'array' || schema.format === 'byte') return `cannot restore slice from ${kind}`;
  if (schema.type === 'object')
    return typeof schema.additionalProperties === 'object'
      ? `cannot restore map from ${kind}`
      : `cannot restore struct from: ${kind}`;
  const wanted = scalarKind(schema);
  if (wanted === undefined) return undefined;
  // Go could convert numbers, and integers to strings, but the server does not.
  const isConvertible =
    kind === 'int64' ? wanted === 'string' : kind === 'float64' && wanted.startsWith('int');
  return isConvertible ? `cannot convert ${kind} to ${wanted}` : `unrecognized type: ${wanted}`;
}
