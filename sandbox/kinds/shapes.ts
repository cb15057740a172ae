import { atomicTypes, enums, kinds, types } from '../../schemas/generated/shapes.ts';
import type { StructPresence } from '../schema/decode.ts';
import type { StructuralSchema } from '../schema/structural.ts';

/**
 * What a server makes of a field that is absent or zero, as it decodes objects into its own types and writes those:
 * `pointer` is kept as it is, `omitted` is left out when zero, `always` is there in any case, and so is `null`, which
 * is null when nothing is said.
 */
export type Presence = 'pointer' | 'omitted' | 'always' | 'null';

/** A field of a built-in type, read from the notation of the generated shapes. */
export interface FieldShape {
  /** `list` and `map` from the outside in. */
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

/** Types that hold what they like; of `object` only objects. */
const openTypes: Readonly<Record<string, 'object' | 'any'>> = {
  'apiextensions.v1.CustomResourceSubresourceStatus': 'object',
  'apiextensions.v1.JSON': 'any',
  'apiextensions.v1.JSONSchemaPropsOrArray': 'any',
  'apiextensions.v1.JSONSchemaPropsOrBool': 'any',
  'apiextensions.v1.JSONSchemaPropsOrStringArray': 'any',
  'meta.v1.FieldsV1': 'object',
  'runtime.RawExtension': 'object',
};

const presenceByMark: Readonly<Record<string, Presence>> = {
  '?': 'pointer',
  '-': 'omitted',
  '+': 'always',
  '~': 'null',
};

/** The presence of fields that have no mark of their own. */
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
  const words = rest.split(' ').filter((word) => word !== '');
  for (const word of words) {
    const [, how = '', argument] = /^(\w+)(?:\((.*)\))?$/.exec(word) ?? [];
    if (word.startsWith('=')) field.default = JSON.parse(word.slice(1));
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

/** A schema whose properties are made when somebody asks, once for all schemas of the type: types may hold themselves. */
function typeSchema(name: string): StructuralSchema {
  const open = openTypes[name];
  if (open !== undefined)
    return {
      ...(open === 'object' ? { type: 'object' } : {}),
      'x-kubernetes-preserve-unknown-fields': true,
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

/** Whether nothing is written as null: of lists, maps, times and what may be anything. */
function hasNullZero({ presence, containers, element }: FieldShape): boolean {
  if (presence === 'null' || containers.length > 0) return true;
  return element === 'time' || element === 'microTime' || openTypes[element] !== undefined;
}

/** Which fields of the struct that a schema lists are left out or there in any case; undefined for what is no type of ours. */
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

/** The name of the type whose fields a schema lists, `core.v1.PodSpec`; undefined for what is no type of ours. */
export function structNameOf({ properties }: StructuralSchema): string | undefined {
  return properties === undefined ? undefined : typesByProperties.get(properties);
}

/** The fields of a type in the notation that `readField` reads; none of a type that there is not. */
export function fieldsOfType(name: string): Readonly<Record<string, string>> {
  return types[name] ?? {};
}

/** The values that a field of text, its items or its map's values may have; undefined when there is no such list. */
export function valuesOfField(type: string, field: string): readonly string[] | undefined {
  return enums[`${type}.${field}`];
}

/** Whether the values of a type have one owner as a whole. */
export function isAtomicType(name: string): boolean {
  return atomicTypes.includes(name);
}

/** Whether a type holds whatever it likes, and of what type that is; undefined for types with fields. */
export function openTypeOf(name: string): 'object' | 'any' | undefined {
  return openTypes[name];
}

/** Whether a field's element is a type, not a scalar. */
export function isTypeName(element: string): boolean {
  return element.includes('.');
}

/** The name of a kind's type among the generated shapes, `core.v1.Pod`; DeleteOptions and Status are of every group. */
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

/** The group, version and kind that a type is served as, `core.v1.Pod`; undefined for the parts of objects. */
export function kindOfType(name: string): { group: string; kind: string; version: string } | undefined {
  const [label = '', version = '', kind = ''] = name.split('.');
  if (label === 'meta' || !kinds.includes(name)) return undefined;
  return { group: groupsByPackage[label] ?? `${label}.k8s.io`, kind, version };
}

const shapesByType = new Map<string, StructuralSchema>();

/**
 * What a built-in kind looks like; undefined for a kind that is not built in. The schema is shared by everybody who
 * asks, makes its properties when they are read, and contains itself where the kind does, so it may be walked only
 * along an object. It holds types, formats, how lists and maps merge, and the defaults that count in keys of lists;
 * formats beyond OpenAPI's own are `quantity` (a string or a number) and `micro-time`. Fields that may be anything
 * keep what is unknown.
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
