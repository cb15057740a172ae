import { setOwn } from '../store/value.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { countedQuantity } from './quantity.ts';
import { restoreFault } from './restore.ts';
import { decodeScalar } from './scalar.ts';
import { fieldSchema, type StructuralSchema } from './structural.ts';

/** Warnings of decoding. */
export interface Findings {
  /** `unknown field "spec.foo"` and `duplicate field "spec.replicas"`, in the order of the object. */
  problems: string[];
}

/** Thrown for a value of the wrong type, with the message of Go's JSON decoder. */
export class DecodeFault extends Error {}

/** Fields of a struct that are not serialized as they were written. */
export interface StructPresence {
  /** How a null is decoded: dropped, null, or the zero value; undefined if it is kept. */
  nothing: ReadonlyMap<string, 'omitted' | 'null' | 'zero'>;
  /** Fields that are always serialized. */
  always: readonly string[];
}

/** The Go type of a schema. */
export interface GoTypes {
  /** `core.v1.PodSpec`; undefined for unnamed types. */
  nameOf(schema: StructuralSchema): string | undefined;
  /** undefined if it is not a struct. */
  presenceOf(schema: StructuralSchema): StructPresence | undefined;
}

interface Traversal {
  types: GoTypes;
  /** Keys and indices from the root. */
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

/** The JSON type of a value in the wording of Go's decoder, including the number if it is not an integer. */
export function goTypeOf(value: unknown, withNumber = false): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return withNumber ? `number ${value}` : 'number';
  return typeof value === 'string' ? 'string' : 'object';
}

function typeName(schema: StructuralSchema, types: GoTypes): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'intstr.IntOrString';
  if (schema.format === 'quantity') return 'resource.Quantity';
  if (schema.format === 'byte') return '[]uint8';
  switch (schema.type) {
    case 'array':
      return `[]${schema.items === undefined ? 'interface {}' : typeName(schema.items, types)}`;
    case 'object': {
      if (typeof schema.additionalProperties === 'object')
        return `map[string]${typeName(schema.additionalProperties, types)}`;
      const name = types.nameOf(schema);
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

/** The innermost Go struct on a path, and the field names from the root, without map keys and indices. */
function structField(root: StructuralSchema, traversal: Traversal): string | undefined {
  let schema: StructuralSchema | undefined = root;
  let struct = root;
  const fields: string[] = [];
  for (const part of traversal.path) {
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
  return [traversal.types.nameOf(struct)?.split('.').at(-1) ?? '', ...fields].join('.');
}

function misfit(root: StructuralSchema, traversal: Traversal, value: unknown, type: string): DecodeFault {
  const field = structField(root, traversal);
  const isNumberType = /^(int|float)/.test(type);
  const found = `json: cannot unmarshal ${goTypeOf(value, isNumberType)} into Go`;
  return new DecodeFault(
    field === undefined ? `${found} value of type ${type}` : `${found} struct field ${field} of type ${type}`,
  );
}

/** Go's zero value of a type that is not a struct. */
function plainZero(schema: StructuralSchema): unknown {
  if (schema['x-kubernetes-int-or-string'] === true) return 0;
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

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isZero(value: unknown): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  return isEmptyList(value) || (isFields(value) && Object.keys(value).length === 0);
}

/** `found` with other fields, the new ones last. A field that becomes undefined is dropped. */
function withChanges(found: Fields, changes: ReadonlyMap<string, unknown>): Fields {
  const result: Fields = {};
  for (const key of Object.keys(found)) {
    const value = changes.has(key) ? changes.get(key) : found[key];
    if (value !== undefined) setOwn(result, key, value);
  }
  for (const [key, value] of changes)
    if (value !== undefined && !Object.hasOwn(found, key)) setOwn(result, key, value);
  return result;
}

/**
 * Decodes and normalizes a JSON value like the Go type of a built-in kind: drops unknown fields, nulls and omitted
 * zeros; adds fields that are always serialized; converts times to UTC and quantities to canonical form. Parts
 * identical to `previous` are already decoded and returned as they are. The input is not modified, and returned if
 * nothing changes. `at`: the path of `value`, for messages; `restored`: report errors as for values from memory
 * instead of JSON.
 *
 * Throws DecodeFault at the first value of a wrong type, in object order.
 */
export function decodeTyped(
  schema: StructuralSchema,
  value: unknown,
  options: {
    types: GoTypes;
    previous?: unknown;
    at?: readonly string[];
    duplicates?: ReadonlySet<string>;
    restored?: boolean;
  },
): { value: unknown } & Findings {
  const { types, previous, at = [], duplicates = new Set(), restored = false } = options;
  const traversal: Traversal = { types, path: [], duplicates, problems: [] };
  const root = schema;
  const prefix = at.length === 0 ? '' : `${at.join('.')}.`;
  const here = () => prefix + pathText(traversal.path);

  function fault(part: StructuralSchema, found: unknown, type: string): DecodeFault {
    const text = restored ? restoreFault(part, found) : undefined;
    return text === undefined ? misfit(root, traversal, found, type) : new DecodeFault(text);
  }

  function decode(part: StructuralSchema, found: unknown, before: unknown): unknown {
    if (found === before && (typeof found !== 'object' || found !== null)) return found;
    if (Array.isArray(found)) return decodeList(part, found, before);
    if (isFields(found)) return decodeFields(part, found, before);
    if (part['x-kubernetes-preserve-unknown-fields'] === true && part.type === undefined) return found;
    if (part.type === 'array' || part.type === 'object') throw fault(part, found, typeName(part, types));
    const decoded = decodeScalar(part, found);
    if ('value' in decoded) return decoded.value;
    throw 'text' in decoded ? new DecodeFault(decoded.text) : fault(part, found, decoded.type);
  }

  function decodeList(part: StructuralSchema, found: readonly unknown[], before: unknown): unknown {
    const { items } = part;
    if (part.type !== 'array' || items === undefined) return decodeLoose(part, found);
    const old = Array.isArray(before) ? (before as unknown[]) : undefined;
    let changed = false;
    const result = found.map((item, index) => {
      traversal.path.push(index);
      const decoded = item === null ? zeroOf(items) : decode(items, item, old?.[index]);
      traversal.path.pop();
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
    const type = 'type' in decoded ? decoded.type : typeName(part, types);
    throw fault(part, found, type);
  }

  function decodeFields(part: StructuralSchema, found: Fields, before: unknown): unknown {
    const isOpen = part['x-kubernetes-preserve-unknown-fields'] === true;
    if (part.type !== 'object' || isOpen) return decodeLoose(part, found);
    const old = isFields(before) ? before : undefined;
    const presence = types.presenceOf(part);
    /** What becomes of the fields that change; undefined if they are dropped. */
    let changes: Map<string, unknown> | undefined;
    for (const key of Object.keys(found)) {
      const own = found[key];
      const property = fieldSchema(part, key);
      traversal.path.push(key);
      if (property === undefined) {
        traversal.problems.push(`unknown field "${here()}"`);
        (changes ??= new Map()).set(key, undefined);
      } else {
        const decoded = decodeField(property, key, own, old?.[key], presence);
        if (decoded !== own) (changes ??= new Map()).set(key, decoded);
        if (duplicates.size > 0 && duplicates.has(here()))
          traversal.problems.push(`duplicate field "${here()}"`);
      }
      traversal.path.pop();
    }
    if (presence !== undefined)
      for (const key of presence.always) {
        if ((changes?.has(key) === true ? changes.get(key) : found[key]) !== undefined) continue;
        const property = part.properties?.[key];
        const isNull = presence.nothing.get(key) === 'null' || property === undefined;
        (changes ??= new Map()).set(key, isNull ? null : zeroOf(property));
      }
    return changes === undefined ? found : withChanges(found, changes);
  }

  /** undefined for an omitted field. */
  function decodeField(
    property: StructuralSchema,
    key: string,
    own: unknown,
    old: unknown,
    presence: StructPresence | undefined,
  ): unknown {
    if (own === undefined) return undefined;
    if (presence === undefined) return decodeEntry(property, own, old);
    const nothing = presence.nothing.get(key);
    if (own === null) return nothing === 'null' ? null : undefined;
    const decoded = decode(property, own, old);
    if (nothing === 'omitted' && isZero(decoded)) return undefined;
    return nothing === 'null' && isEmptyList(decoded) ? null : decoded;
  }

  /** A map entry: null becomes the zero value, and resource quantities are rounded up to thousandths. */
  function decodeEntry(property: StructuralSchema, own: unknown, old: unknown): unknown {
    const decoded = own === null ? zeroOf(property) : decode(property, own, old);
    return property.format === 'quantity' && typeof decoded === 'string' ? countedQuantity(decoded) : decoded;
  }

  /** The serialized zero value of a type. */
  function zeroOf(part: StructuralSchema): unknown {
    const zero = plainZero(part);
    return isFields(zero) ? decodeFields(part, zero, undefined) : zero;
  }

  return { value: decode(schema, value, previous), problems: traversal.problems };
}
