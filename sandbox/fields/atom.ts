import type { ServedVersion } from '../api/registry.ts';
import type { StructuralSchema } from '../schema/structural.ts';
import { isFields, ownField, type Fields } from '../../schemas/pods/fields.ts';
import { keyElement, valueElement, type Element } from './element.ts';

/** The type of a field: its schema, or undefined if the type is only known from the value. */
export type FieldType = StructuralSchema | undefined;

/** The type information for field ownership. Atomic values have a single owner. */
export type Atom =
  | { kind: 'scalar'; of: 'string' | 'number' | 'boolean' | 'any' }
  | { kind: 'list'; relation: 'atomic' | 'set' | 'map'; items: FieldType; keys: readonly string[] }
  | {
      kind: 'map';
      atomic: boolean;
      fields: Readonly<Record<string, StructuralSchema>>;
      /** The type of unnamed fields; `closed` if there are none. */
      rest: FieldType;
      closed: boolean;
    };

const text: StructuralSchema = { type: 'string' };
const textMap: StructuralSchema = { type: 'object', additionalProperties: text };

const objectMeta: StructuralSchema = {
  type: 'object',
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: { type: 'integer' },
    creationTimestamp: text,
    deletionTimestamp: text,
    deletionGracePeriodSeconds: { type: 'integer' },
    labels: textMap,
    annotations: textMap,
    finalizers: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    ownerReferences: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      items: {
        type: 'object',
        'x-kubernetes-map-type': 'atomic',
        properties: {
          apiVersion: text,
          kind: text,
          name: text,
          uid: text,
          controller: { type: 'boolean' },
          blockOwnerDeletion: { type: 'boolean' },
        },
      },
    },
    managedFields: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  },
};

const envelope = { apiVersion: text, kind: text, metadata: objectMeta };

const noFields: Readonly<Record<string, StructuralSchema>> = {};
const anyScalar: Atom = { kind: 'scalar', of: 'any' };
const atomicList: Atom = { kind: 'list', relation: 'atomic', items: undefined, keys: [] };
const openMap: Atom = { kind: 'map', atomic: false, fields: noFields, rest: undefined, closed: false };
const atomicMap: Atom = { ...openMap, atomic: true };

type Resolved = Atom | 'deduced' | 'untyped';

function listAtom(schema: StructuralSchema): Atom {
  const declared = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const relation = declared === 'set' || (declared === 'map' && keys.length > 0) ? declared : 'atomic';
  return { kind: 'list', relation, items: schema.items ?? {}, keys };
}

function mapAtom(schema: StructuralSchema): Resolved {
  const { properties, additionalProperties } = schema;
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  if (properties === undefined && additionalProperties === undefined && !embedded)
    return keepsUnknown && schema['x-kubernetes-map-type'] !== 'atomic' ? openMap : atomicMap;
  return {
    kind: 'map',
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    fields: embedded ? { ...properties, ...envelope } : (properties ?? noFields),
    rest: typeof additionalProperties === 'object' ? additionalProperties : undefined,
    closed: !keepsUnknown && (additionalProperties === undefined || additionalProperties === false),
  };
}

function resolve(schema: StructuralSchema): Resolved {
  if (schema['x-kubernetes-int-or-string'] === true) return anyScalar;
  switch (schema.type) {
    case 'string':
    case 'boolean':
      return { kind: 'scalar', of: schema.type };
    case 'integer':
    case 'number':
      return { kind: 'scalar', of: 'number' };
    case 'array':
      return listAtom(schema);
    case 'object':
      return mapAtom(schema);
    case undefined:
    default:
      if (schema.properties !== undefined) return mapAtom(schema);
      return schema['x-kubernetes-preserve-unknown-fields'] === true ? 'deduced' : 'untyped';
  }
}

const resolved = new WeakMap<StructuralSchema, Resolved>();

/** The atom of a typed value: most types determine it; untyped fields deduce it from the value. */
export function atomOf(type: FieldType, value: unknown): Atom {
  let atom: Resolved | undefined = type === undefined ? 'deduced' : resolved.get(type);
  if (atom === undefined && type !== undefined) resolved.set(type, (atom = resolve(type)));
  if (typeof atom === 'object') return atom;
  if (Array.isArray(value)) return atomicList;
  // Null is valid for every type and treated as a map.
  if (isFields(value) || value === null) return atom === 'untyped' ? atomicMap : openMap;
  return anyScalar;
}

/** The type of a named field; also undefined if the map has no such field. */
export function fieldType(atom: Atom & { kind: 'map' }, name: string): FieldType {
  return Object.hasOwn(atom.fields, name) ? atom.fields[name] : atom.rest;
}

/** Whether the type declares a field of this name, in contrast to arbitrary map keys. */
export function isNamed(atom: Atom & { kind: 'map' }, name: string): boolean {
  return Object.hasOwn(atom.fields, name);
}

/**
 * The path element of an item in an associative list. Absent keys use their defaults; undefined if all keys are
 * absent.
 */
export function itemElement(atom: Atom & { kind: 'list' }, item: unknown): Element | undefined {
  if (atom.relation === 'set') return valueElement(item);
  let found = false;
  const keys = atom.keys.map((name): [string, unknown] => {
    const value = ownField(item, name) ?? atom.items?.properties?.[name]?.default;
    if (value !== undefined) found = true;
    return [name, value ?? null];
  });
  return found ? keyElement(keys) : undefined;
}

/** The items of a list by path element, in list order. Items without keys are omitted. */
export function itemsByElement(
  atom: Atom & { kind: 'list' },
  list: readonly unknown[],
): Map<Element, unknown[]> {
  const items = new Map<Element, unknown[]>();
  for (const item of list) {
    const element = itemElement(atom, item);
    if (element === undefined) continue;
    const known = items.get(element);
    if (known === undefined) items.set(element, [item]);
    else known.push(item);
  }
  return items;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function mapOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

const objectTypes = new WeakMap<ServedVersion, StructuralSchema>();

/** The type of objects of a served version, including the common metadata. */
export function objectType(version: ServedVersion): StructuralSchema {
  let type = objectTypes.get(version);
  if (type === undefined) {
    const schema: StructuralSchema = version.schema ?? { 'x-kubernetes-preserve-unknown-fields': true };
    type = { ...schema, type: 'object', properties: { ...schema.properties, ...envelope } };
    objectTypes.set(version, type);
  }
  return type;
}
