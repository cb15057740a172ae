import { setOwn, isFields, type Fields } from '../store/value.ts';
import { decodeScalar } from './scalar.ts';
import { fieldSchema, type StructuralSchema } from './structural.ts';

/** What decoding found besides the value. */
export interface Findings {
  /** `unknown field "spec.foo"` and `duplicate field "spec.replicas"`, in the order of the object. */
  problems: string[];
}

/** Thrown for a value that a type cannot take; the message is that of Go's JSON decoder. */
export class DecodeFault extends Error {}

/** How Go calls things of a schema. */
export interface TypeNames {
  /** `core.v1.PodSpec`; undefined for what has no name. */
  nameOf(schema: StructuralSchema): string | undefined;
}

interface Walk {
  names: TypeNames;
  /** Keys and indices from the root down. */
  path: (string | number)[];
  duplicates: ReadonlySet<string>;
  problems: string[];
}

/** `spec.containers[0].name`. */
export function pathText(path: readonly (string | number)[]): string {
  let text = '';
  for (const part of path)
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? part : `.${part}`;
  return text;
}

/** A JSON value's type as Go's decoder calls it; of numbers that are not whole the number, too. */
export function goTypeOf(value: unknown, withNumber = false): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return withNumber ? `number ${value}` : 'number';
  return typeof value === 'string' ? 'string' : 'object';
}

function typeName(schema: StructuralSchema, names: TypeNames): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'intstr.IntOrString';
  if (schema.format === 'quantity') return 'resource.Quantity';
  if (schema.format === 'byte') return '[]uint8';
  switch (schema.type) {
    case 'array':
      return `[]${schema.items === undefined ? 'interface {}' : typeName(schema.items, names)}`;
    case 'object': {
      if (typeof schema.additionalProperties === 'object')
        return `map[string]${typeName(schema.additionalProperties, names)}`;
      const name = names.nameOf(schema);
      return name === undefined ? 'map[string]interface {}' : name.split('.').slice(-2).join('.');
    }
    case 'boolean':
      return 'bool';
    case 'number':
      return 'float64';
    case 'integer':
      return schema.format ?? 'int64';
    case undefined:
    default:
      return 'string';
  }
}

/** The innermost struct on the way to a path, and the field names from the root; map keys and indices are left out. */
function structField(root: StructuralSchema, walk: Walk): string | undefined {
  let schema: StructuralSchema | undefined = root;
  let struct = root;
  const fields: string[] = [];
  for (const part of walk.path) {
    if (schema === undefined) break;
    if (typeof part === 'number') {
      schema = schema.items;
      continue;
    }
    if (schema.properties !== undefined) {
      struct = schema;
      fields.push(part);
    }
    schema = fieldSchema(schema, part);
  }
  if (fields.length === 0) return undefined;
  return [walk.names.nameOf(struct)?.split('.').at(-1) ?? '', ...fields].join('.');
}

function misfit(root: StructuralSchema, walk: Walk, value: unknown, type: string): DecodeFault {
  const field = structField(root, walk);
  const isNumberType = /^(int|float)/.test(type);
  const found = `json: cannot unmarshal ${goTypeOf(value, isNumberType)} into Go`;
  return new DecodeFault(
    field === undefined ? `${found} value of type ${type}` : `${found} struct field ${field} of type ${type}`,
  );
}

/** What stands for a null in a map or list: Go's zero value. */
function zeroValue(schema: StructuralSchema): unknown {
  switch (schema.type) {
    case 'string':
      return schema.format === 'date-time' || schema.format === 'micro-time' ? null : '';
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case undefined:
    default:
      return schema.format === 'quantity' ? '0' : {};
  }
}

/** An empty list or map of a field that may be absent is not told from an absent one. */
function isOmitted(
  parent: StructuralSchema,
  property: StructuralSchema,
  key: string,
  value: unknown,
): boolean {
  const isEmptyList = Array.isArray(value) && value.length === 0;
  const isMap = typeof property.additionalProperties === 'object';
  if (!isEmptyList && !(isMap && isFields(value) && Object.keys(value).length === 0)) return false;
  return parent.properties?.[key] !== undefined && parent.required?.includes(key) !== true;
}

/**
 * A JSON value as the type of a built-in kind takes it: unknown fields and nulls dropped, times in UTC. What is
 * `previous` by identity has been decoded before and is taken as it is. `value` itself is left alone; it comes back
 * when nothing changes. `at`: where `value` stands in the object, for paths of problems.
 *
 * Throws DecodeFault at the first value of a wrong type, in the order of the object.
 */
export function decodeTyped(
  schema: StructuralSchema,
  value: unknown,
  options: {
    names: TypeNames;
    previous?: unknown;
    at?: readonly string[];
    duplicates?: ReadonlySet<string>;
  },
): { value: unknown } & Findings {
  const { names, previous, at = [], duplicates = new Set() } = options;
  const walk: Walk = { names, path: [], duplicates, problems: [] };
  const root = schema;
  const prefix = at.length === 0 ? '' : `${at.join('.')}.`;
  const here = () => prefix + pathText(walk.path);

  function decode(part: StructuralSchema, found: unknown, before: unknown): unknown {
    if (found === before && (typeof found !== 'object' || found !== null)) return found;
    if (Array.isArray(found)) return decodeList(part, found, before);
    if (isFields(found)) return decodeFields(part, found, before);
    if (part['x-kubernetes-preserve-unknown-fields'] === true && part.type === undefined) return found;
    if (part.type === 'array' || part.type === 'object')
      throw misfit(root, walk, found, typeName(part, names));
    const decoded = decodeScalar(part, found);
    if ('value' in decoded) return decoded.value;
    throw 'text' in decoded ? new DecodeFault(decoded.text) : misfit(root, walk, found, decoded.type);
  }

  function decodeList(part: StructuralSchema, found: readonly unknown[], before: unknown): unknown {
    const { items } = part;
    if (part.type !== 'array' || items === undefined) return decodeLoose(part, found);
    const old = Array.isArray(before) ? (before as unknown[]) : undefined;
    let changed = false;
    const result = found.map((item, index) => {
      walk.path.push(index);
      const decoded = item === null ? zeroValue(items) : decode(items, item, old?.[index]);
      walk.path.pop();
      if (decoded !== item) changed = true;
      return decoded;
    });
    return changed ? result : found;
  }

  function decodeLoose(part: StructuralSchema, found: unknown): unknown {
    const isOpen = part['x-kubernetes-preserve-unknown-fields'] === true;
    if (isOpen && (part.type === undefined || isFields(found))) return found;
    const decoded = decodeScalar(part, found);
    if ('text' in decoded) throw new DecodeFault(decoded.text);
    const type = 'type' in decoded ? decoded.type : typeName(part, names);
    throw misfit(root, walk, found, type);
  }

  function decodeFields(part: StructuralSchema, found: Fields, before: unknown): unknown {
    const isOpen = part['x-kubernetes-preserve-unknown-fields'] === true;
    if (part.type !== 'object' || isOpen) return decodeLoose(part, found);
    const old = isFields(before) ? before : undefined;
    const result: Fields = {};
    let changed = false;
    for (const key of Object.keys(found)) {
      const own = found[key];
      const property = fieldSchema(part, key);
      walk.path.push(key);
      if (property === undefined) {
        walk.problems.push(`unknown field "${here()}"`);
        changed = true;
      } else {
        const decoded = decodeField(part, property, own, old?.[key]);
        if (decoded !== undefined && !isOmitted(part, property, key, decoded)) setOwn(result, key, decoded);
        else changed = true;
        if (decoded !== own) changed = true;
        if (duplicates.size > 0 && duplicates.has(here())) walk.problems.push(`duplicate field "${here()}"`);
      }
      walk.path.pop();
    }
    return changed ? result : found;
  }

  /** A null is an absent field, a zero value where a map's own entry is null; times are kept as they are printed. */
  function decodeField(
    parent: StructuralSchema,
    property: StructuralSchema,
    own: unknown,
    old: unknown,
  ): unknown {
    if (own === undefined) return undefined;
    if (own !== null) return decode(property, own, old);
    if (typeof parent.additionalProperties === 'object') return zeroValue(property);
    return property.format === 'date-time' && walk.path.at(-1) !== 'creationTimestamp' ? null : undefined;
  }

  return { value: decode(schema, value, previous), problems: walk.problems };
}
