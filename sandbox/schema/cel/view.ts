import { isFields, type Fields } from '../../../schemas/pods/fields.ts';
import { fieldSchema, type StructuralSchema } from '../structural.ts';
import { escapeName, unescapeName } from './escape.ts';
import { withEnvelope } from './schemaType.ts';
import { EvaluationFault } from './source.ts';
import { formattedDurationNanos, timeNanos } from './time.ts';
import { durationOf, noOverload, timestampOf, type Dict, type List, type Value } from './values.ts';

const misfit = (wanted: string) => new EvaluationFault(`invalid data, ${wanted}`);

function listView(schema: StructuralSchema, raw: readonly unknown[]): List {
  const { items } = schema;
  if (items === undefined)
    throw new EvaluationFault('invalid array type, expected Items with a non-empty Schema');
  const list: List = { kind: 'list', size: raw.length, at: (index) => view(items, raw[index]), raw };
  const keys = schema['x-kubernetes-list-map-keys'];
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set') return { ...list, listType };
  if (listType !== 'map' || keys === undefined) return list;
  return { ...list, listType, keyOf: (item) => keyOf(keys, item) };
}

function keyOf(keys: readonly string[], item: Value): string {
  const raw = typeof item === 'object' && item !== null && 'raw' in item ? item.raw : undefined;
  return JSON.stringify(keys.map((key) => (isFields(raw) && Object.hasOwn(raw, key) ? raw[key] : null)));
}

function dictView(schema: StructuralSchema, raw: Fields): Dict {
  const isObject = schema.properties !== undefined;
  const own = (key: string) => (isObject ? schema.properties?.[key] : fieldSchema(schema, key));
  return {
    kind: 'map',
    size: Object.keys(raw).length,
    raw,
    keys: () =>
      Object.keys(raw)
        .filter((key) => own(key) !== undefined)
        .map((key) => (isObject ? (escapeName(key) ?? key) : key)),
    get(key) {
      if (typeof key !== 'string') throw noOverload();
      const name = isObject ? unescapeName(key) : key;
      if (name === undefined || !Object.hasOwn(raw, name)) return undefined;
      const value = raw[name];
      const part = own(name);
      // In objects, null fields are absent.
      if (part === undefined || value === undefined || (isObject && value === null)) return undefined;
      return view(part, value);
    },
  };
}

function textView(schema: StructuralSchema, text: string): Value {
  switch (schema.format) {
    case 'duration': {
      const nanos = formattedDurationNanos(text);
      if (nanos === undefined) throw new EvaluationFault(`Invalid duration ${text}`);
      return durationOf(nanos);
    }
    case 'date':
    case 'date-time': {
      const nanos = timeNanos(schema.format === 'date' ? `${text}T00:00:00Z` : text.toUpperCase());
      if (nanos === undefined) throw new EvaluationFault(`Invalid ${schema.format} formatted string ${text}`);
      return timestampOf(nanos);
    }
    case 'byte':
      return new Uint8Array(Buffer.from(text, 'base64'));
    case undefined:
    default:
      return text;
  }
}

/** Wraps a part of an object as a CEL value by its schema. Throws EvaluationFault for mismatches. */
export function view(schema: StructuralSchema, raw: unknown): Value {
  if (raw === null || raw === undefined) {
    if (schema.nullable === true) return null;
    throw misfit('got null for schema with nullable=false');
  }
  if (schema['x-kubernetes-int-or-string'] === true) {
    if (typeof raw === 'string') return raw;
    if (typeof raw === 'number' && Number.isInteger(raw)) return BigInt(raw);
    throw misfit('expected XIntOrString value to be either a string or integer');
  }
  switch (schema.type) {
    case 'object':
      if (!isFields(raw)) throw misfit('expected a map for the provided schema with type=object');
      return dictView(schema['x-kubernetes-embedded-resource'] === true ? withEnvelope(schema) : schema, raw);
    case 'array':
      if (!Array.isArray(raw)) throw misfit('expected an array for the provided schema with type=array');
      return listView(schema, raw);
    case 'string':
      if (typeof raw !== 'string') throw misfit('expected string');
      return textView(schema, raw);
    case 'integer':
      if (typeof raw !== 'number' || !Number.isInteger(raw)) throw misfit('expected int');
      return BigInt(raw);
    case 'number':
      if (typeof raw !== 'number') throw misfit('expected float');
      return raw;
    case 'boolean':
      if (typeof raw !== 'boolean') throw misfit('expected bool');
      return raw;
    case undefined:
    default:
      return { kind: 'opaque', name: 'unknown', text: JSON.stringify(raw), data: raw };
  }
}
