import type { StructuralSchema } from './structural.ts';

/** A value's kind as Go's reflection calls it. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'string' ? 'string' : 'map';
}

/** The kind of a scalar's type; undefined for types that read themselves. */
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
 * What is wrong with a value that a type cannot take, where it is not read from JSON but put together from an object
 * in memory, as the result of a strategic merge patch is. undefined for types that read themselves.
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
  // Numbers are convertible to each other, and whole ones to text, but that is not done.
  const isConvertible =
    kind === 'int64' ? wanted === 'string' : kind === 'float64' && wanted.startsWith('int');
  return isConvertible ? `cannot convert ${kind} to ${wanted}` : `unrecognized type: ${wanted}`;
}
