import { atomicTypes, enums, kinds, types } from '../../schemas/generated/shapes.ts';
import type { StructPresence } from '../schema/decode.ts';
import type { StructuralSchema } from '../schema/structural.ts';

/**
 * How the server serializes an absent or zero field after decoding it into its Go types: `pointer` is kept as it
 * is, `omitted` (omitempty) is dropped if zero, `always` is always written, and `null` is written as null if unset.
 */
export type Presence = 'pointer' | 'omitted' | 'always' | 'null';

/** A field of a built-in type, read from the notation of the generated shapes. */
export interface FieldShape {
  /** `list` and `map`, outermost first. */
  containers: ('list' | 'map')[];
  /** A scalar, or the name of a type. */
  element: string;
  required: boolean;
  presence: Presence;
  default?: unknown;
  /** Of lists and maps: as `x-kubernetes-list-type` and `x-kubernetes-map-type` have it. */
  listType?: string;
  listMapKeys?: string[];
  mapType?: string;
  /** As `x-kubernetes-patch-strategy` and `x-kubernetes-patch-merge-key` have it. */
  patchStrategy?: string;
  patchMergeKey?: string;
}

/** JSON that the server keeps as bytes. */
const RAW = 'runtime.RawExtension';

/** Whether the server keeps what a schema describes as bytes: it merges nothing into them. */
export function isRaw(schema: StructuralSchema | undefined): boolean {
  return (
    schema?.['x-kubernetes-map-type'] === 'atomic' && schema['x-kubernetes-preserve-unknown-fields'] === true
  );
}

/** Types with arbitrary content; `object`: objects only. */
const openTypes: Readonly<Record<string, 'object' | 'any'>> = {
  'apiextensions.v1.CustomResourceSubresourceStatus': 'object',
  'apiextensions.v1.JSON': 'any',
  'apiextensions.v1.JSONSchemaPropsOrArray': 'any',
  'apiextensions.v1.JSONSchemaPropsOrBool': 'any',
  'apiextensions.v1.JSONSchemaPropsOrStringArray': 'any',
  'meta.v1.FieldsV1': 'object',
  [RAW]: 'object',
};

const presenceByMark: Readonly<Record<string, Presence>> = {
  '?': 'pointer',
  '-': 'omitted',
  '+': 'always',
  '~': 'null',
};

/** The presence of fields without a presence mark. */
function usualPresence(containers: FieldShape['containers'], element: string, required: boolean): Presence {
  if (required) return 'always';
  if (containers.length > 0) return 'omitted';
  if (isTypeName(element)) return 'pointer';
  switch (element) {
    case 'quantity':
    case 'intOrString':
    case 'double':
      return 'pointer';
    case 'time':
    case 'microTime':
      return 'always';
    default:
      return 'omitted';
  }
}

/** Reads `TYPE[!][PRESENCE][ =DEFAULT][ MERGING…]`. */
export function readField(notation: string): FieldShape {
  const [, prefixes = '', element = '', mark = '', presence = '', rest = ''] =
    /^((?:\[\]|\{\})*)([\w.]+)(!?)([?~+-]?)(.*)$/.exec(notation) ?? [];
  const containers = [...prefixes.matchAll(/\[\]|\{\}/g)].map(([prefix]) =>
    prefix === '[]' ? ('list' as const) : ('map' as const),
  );
  const required = mark === '!';
  const field: FieldShape = {
    containers,
    element,
    required,
    presence: presenceByMark[presence] ?? usualPresence(containers, element, required),
  };
  const strategies: string[] = [];
  const isList = containers[0] === 'list';
  if (isList) field.listType = 'atomic';
  const parts = rest.split(' ').filter((part) => part !== '');
  for (const part of parts) {
    const [, how = '', argument] = /^(\w+)(?:\((.*)\))?$/.exec(part) ?? [];
    if (part.startsWith('=')) field.default = JSON.parse(part.slice(1));
    else if (how === 'map' || how === 'set') {
      field.listType = how;
      if (argument !== undefined) field.listMapKeys = argument.split(',');
    } else if (how === 'atomic' || how === 'granular') {
      if (!isList) field.mapType = how;
    } else {
      strategies.push(how);
      if (argument !== undefined) field.patchMergeKey = argument;
    }
  }
  if (strategies.length > 0) field.patchStrategy = strategies.join(',');
  return field;
}

function scalar(name: string): StructuralSchema {
  switch (name) {
    case 'string':
    case 'boolean':
      return { type: name };
    case 'int32':
    case 'int64':
      return { type: 'integer', format: name };
    case 'double':
      return { type: 'number', format: name };
    case 'byte':
      return { type: 'string', format: name };
    case 'time':
      return { type: 'string', format: 'date-time' };
    case 'microTime':
      return { type: 'string', format: 'micro-time' };
    case 'quantity':
      return { format: 'quantity' };
    case 'intOrString':
      return { 'x-kubernetes-int-or-string': true };
    default:
      throw new Error(`no shape of ${name}`);
  }
}

/** A schema with lazy properties, one per type, because types can be recursive. */
function typeSchema(name: string): StructuralSchema {
  const open = openTypes[name];
  if (open !== undefined)
    return {
      ...(open === 'object' ? { type: 'object' } : {}),
      'x-kubernetes-preserve-unknown-fields': true,
      ...(name === RAW ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    };
  const fields = types[name];
  if (fields === undefined) throw new Error(`no shape of ${name}`);
  const schema: StructuralSchema = { type: 'object' };
  if (atomicTypes.includes(name)) schema['x-kubernetes-map-type'] = 'atomic';
  return Object.defineProperty(schema, 'properties', {
    enumerable: true,
    get: () => propertiesOf(name, fields),
  });
}

const propertiesByType = new Map<string, Record<string, StructuralSchema>>();
const typesByProperties = new WeakMap<Record<string, StructuralSchema>, string>();
const presenceByProperties = new WeakMap<Record<string, StructuralSchema>, StructPresence>();

function propertiesOf(
  name: string,
  fields: Readonly<Record<string, string>>,
): Record<string, StructuralSchema> {
  const known = propertiesByType.get(name);
  if (known !== undefined) return known;
  const shapes = Object.entries(fields).map(([field, notation]) => [field, readField(notation)] as const);
  const made = Object.fromEntries(shapes.map(([field, shape]) => [field, fieldSchema(shape)]));
  propertiesByType.set(name, made);
  typesByProperties.set(made, name);
  presenceByProperties.set(made, {
    nothing: new Map(
      shapes.flatMap(([field, shape]) => {
        const { presence } = shape;
        if (presence === 'pointer') return [];
        return [[field, presence === 'omitted' ? presence : hasNullZero(shape) ? 'null' : 'zero'] as const];
      }),
    ),
    always: shapes
      .filter(([, { presence }]) => presence === 'always' || presence === 'null')
      .map(([field]) => field),
  });
  return made;
}

/** Whether a nil value of the type is omitted: lists, maps, times and arbitrary values. */
function hasNullZero({ presence, containers, element }: FieldShape): boolean {
  if (presence === 'null' || containers.length > 0) return true;
  return element === 'time' || element === 'microTime' || openTypes[element] !== undefined;
}

/** The presence of the struct fields in a schema; undefined for unknown types. */
export function presenceOf({ properties }: StructuralSchema): StructPresence | undefined {
  return properties === undefined ? undefined : presenceByProperties.get(properties);
}

function fieldSchema(field: FieldShape): StructuralSchema {
  let schema = isTypeName(field.element) ? typeSchema(field.element) : scalar(field.element);
  for (const container of [...field.containers].reverse())
    schema =
      container === 'list'
        ? { type: 'array', items: schema }
        : { type: 'object', additionalProperties: schema };
  if (field.default !== undefined) schema.default = field.default;
  if (field.listType !== undefined) schema['x-kubernetes-list-type'] = field.listType;
  if (field.listMapKeys !== undefined) schema['x-kubernetes-list-map-keys'] = field.listMapKeys;
  if (field.mapType !== undefined) schema['x-kubernetes-map-type'] = field.mapType;
  if (field.patchStrategy !== undefined) schema['x-kubernetes-patch-strategy'] = field.patchStrategy;
  if (field.patchMergeKey !== undefined) schema['x-kubernetes-patch-merge-key'] = field.patchMergeKey;
  return schema;
}

/** The type name of a schema, `core.v1.PodSpec`; undefined for unknown types. */
export function structNameOf({ properties }: StructuralSchema): string | undefined {
  return properties === undefined ? undefined : typesByProperties.get(properties);
}

/** The fields of a type in the notation that `readField` parses; empty for unknown types. */
export function fieldsOfType(name: string): Readonly<Record<string, string>> {
  return types[name] ?? {};
}

/** The enum of a text field, its items or its map values; undefined if there is none. */
export function valuesOfField(type: string, field: string): readonly string[] | undefined {
  return enums[`${type}.${field}`];
}

/** Whether values of a type are atomic. */
export function isAtomicType(name: string): boolean {
  return atomicTypes.includes(name);
}

/** The kind of an open type (arbitrary content); undefined for types with fields. */
export function openTypeOf(name: string): 'object' | 'any' | undefined {
  return openTypes[name];
}

/** Whether an element is a type name, in contrast to a scalar. */
export function isTypeName(element: string): boolean {
  return element.includes('.');
}

/**
 * The type name of a kind among the generated shapes, `core.v1.Pod`; DeleteOptions and Status exist in every group.
 */
export function typeNameOf(group: string, version: string, kind: string): string | undefined {
  const [label = ''] = group.split('.');
  const ofGroup = `${label === '' ? 'core' : label}.${version}.${kind}`;
  return [ofGroup, `meta.v1.${kind}`].find((name) => kinds.includes(name));
}

const groupsByPackage: Readonly<Record<string, string>> = {
  apps: 'apps',
  autoscaling: 'autoscaling',
  batch: 'batch',
  core: '',
  flowcontrol: 'flowcontrol.apiserver.k8s.io',
  policy: 'policy',
  rbac: 'rbac.authorization.k8s.io',
};

/** The group, version and kind of a type name `core.v1.Pod`; undefined for types that are not kinds. */
export function kindOfType(name: string): { group: string; kind: string; version: string } | undefined {
  const [label = '', version = '', kind = ''] = name.split('.');
  if (label === 'meta' || !kinds.includes(name)) return undefined;
  return { group: groupsByPackage[label] ?? `${label}.k8s.io`, kind, version };
}

const shapesByType = new Map<string, StructuralSchema>();

/**
 * The schema of a built-in kind; undefined for other kinds. The schema is shared, lazy, and recursive where the
 * kind is, so it must only be traversed together with an object. It contains types, formats, merge strategies, and
 * the defaults of list keys; formats beyond OpenAPI are `quantity` (a string or a number) and `micro-time`. Open
 * fields preserve unknown content.
 */
export function shapeOf(group: string, version: string, kind: string): StructuralSchema | undefined {
  const name = typeNameOf(group, version, kind);
  if (name === undefined) return undefined;
  const known = shapesByType.get(name);
  if (known !== undefined) return known;
  const made = typeSchema(name);
  shapesByType.set(name, made);
  return made;
}
