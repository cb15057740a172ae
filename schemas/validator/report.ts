import type { SchemaError } from './error.ts';

/** A function compiled by ajv: returns true, or false with errors as a property of the function. */
export interface CompiledSchema {
  (data: unknown): boolean;
  errors?: CompiledError[] | null;
}

/** An error of ajv. */
export interface CompiledError {
  instancePath: string;
  keyword: string;
  params: Record<string, unknown>;
}

/**
 * Runs a compiled schema and converts its errors: paths as keys, one short sentence each, sorted by path and
 * keyword.
 */
export function report(compiled: CompiledSchema, data: unknown): SchemaError[] {
  if (compiled(data)) return [];
  return (compiled.errors ?? []).map(toSchemaError).sort(compareErrors);
}

/**
 * The same with null treated as absent, like in Kubernetes. Every field has a type and null matches none, so valid
 * data is valid without its nulls, too: only invalid data is copied.
 */
export function reportNullAsAbsence(compiled: CompiledSchema, data: unknown): SchemaError[] {
  return compiled(data) ? [] : report(compiled, withoutNulls(data));
}

/** Copies `data` without null fields. List items are kept, and a `__proto__` key stays an ordinary key. */
function withoutNulls(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(withoutNulls);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    Object.entries(data)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, withoutNulls(value)]),
  );
}

function toSchemaError({ instancePath, keyword, params }: CompiledError): SchemaError {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return { path, keyword, params, message: sentence(keyword, params) };
}

function sentence(keyword: string, params: Record<string, unknown>): string {
  const list = (values: unknown): string => [values].flat().join(', ');
  const limit = String(params['limit']);
  switch (keyword) {
    case 'additionalProperties':
      return `unknown field ${JSON.stringify(params['additionalProperty'])}`;
    case 'required':
      return `missing field ${JSON.stringify(params['missingProperty'])}`;
    case 'enum':
      return `must be one of ${list(params['allowedValues'])}`;
    case 'type':
      return `must be ${[params['type']].flat().join(' or ')}`;
    case 'exactlyOne':
      return `must have exactly one of ${list(params['choices'])}`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'minLength':
      return `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minItems':
      return `must have at least ${limit} items`;
    case 'maxItems':
      return `must have at most ${limit} items`;
    case 'maxProperties':
      return `must have at most ${limit} keys`;
    case 'pattern':
      return `must match ${String(params['pattern'])}`;
    default:
      return `does not satisfy ${keyword}`;
  }
}

function compareErrors(a: SchemaError, b: SchemaError): number {
  return (
    compareLists(a.path, b.path) ||
    compare(a.keyword, b.keyword) ||
    compare(JSON.stringify(a.params), JSON.stringify(b.params))
  );
}

function compareLists(a: readonly string[], b: readonly string[]): number {
  for (const [index, key] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = compareKeys(key, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareKeys(a: string, b: string): number {
  const numbers = /^\d+$/.test(a) && /^\d+$/.test(b);
  return numbers ? Number(a) - Number(b) : compare(a, b);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
