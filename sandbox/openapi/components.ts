import type { ResourceType, ServedVersion } from '../api/registry.ts';
import {
  fieldsOfType,
  isAtomicType,
  isTypeName,
  kindOfType,
  openTypeOf,
  readField,
  valuesOfField,
  type FieldShape,
} from '../kinds/shapes.ts';

/** An OpenAPI v3 schema. */
export type OpenApiSchema = Record<string, unknown>;

interface GroupVersionKind {
  group: string;
  kind: string;
  version: string;
}

/** The prefix of component names: `io.k8s.api.core.v1.Pod`. */
const prefixes: Readonly<Record<string, string>> = {
  api: 'io.k8s.apimachinery.pkg.',
  apiextensions: 'io.k8s.apiextensions-apiserver.pkg.apis.',
  meta: 'io.k8s.apimachinery.pkg.apis.',
  runtime: 'io.k8s.apimachinery.pkg.',
  util: 'io.k8s.apimachinery.pkg.',
};

/** Scalars with their own component. */
const scalarComponents: Readonly<Record<string, string>> = {
  intOrString: 'util.intstr.IntOrString',
  microTime: 'meta.v1.MicroTime',
  quantity: 'api.resource.Quantity',
  time: 'meta.v1.Time',
};

const scalarSchemas: Readonly<Record<string, OpenApiSchema>> = {
  'api.resource.Quantity': { oneOf: [{ type: 'string' }, { type: 'number' }] },
  'meta.v1.MicroTime': { type: 'string', format: 'date-time' },
  'meta.v1.Time': { type: 'string', format: 'date-time' },
  'util.intstr.IntOrString': { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
};

/** The component of a built-in type: `core.v1.Pod` is `io.k8s.api.core.v1.Pod`. */
export function componentOfType(type: string): string {
  return `${prefixes[type.slice(0, type.indexOf('.'))] ?? 'io.k8s.api.'}${type}`;
}

/** The component of a custom kind: reversed group, version and kind. */
function componentOfCustom({ group, kind }: ResourceType, version: string): string {
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`;
}

export function referenceTo(component: string): OpenApiSchema {
  return { $ref: `#/components/schemas/${component}` };
}

/** The components of a document: the requested ones and those they reference. */
export interface Components {
  /** Adds a built-in type and returns its component name; `kinds` maps a type to the kind that it is served as. */
  ofType(type: string, kinds?: readonly GroupVersionKind[]): string;
  /** Adds a served kind with its list kind; returns the component name of the former. */
  ofKind(type: ResourceType, version: ServedVersion, builtInType: string | undefined): string;
  schemas(): Record<string, OpenApiSchema>;
}

export function createComponents(): Components {
  const found = new Map<string, OpenApiSchema>();

  function ofType(type: string, kinds?: readonly GroupVersionKind[]): string {
    const component = componentOfType(type);
    if (found.has(component)) return component;
    const schema: OpenApiSchema = {};
    found.set(component, schema);
    Object.assign(schema, typeSchema(type));
    const own = kindOfType(type);
    const named = kinds ?? (own === undefined ? undefined : [own]);
    if (named !== undefined) schema['x-kubernetes-group-version-kind'] = named;
    return component;
  }

  function typeSchema(type: string): OpenApiSchema {
    const scalar = scalarSchemas[type];
    if (scalar !== undefined) return scalar;
    const open = openTypeOf(type);
    if (open !== undefined) return open === 'object' ? { type: 'object' } : {};
    const fields = Object.entries(fieldsOfType(type)).map(([name, text]) => [name, readField(text)] as const);
    const required = fields.filter(([, field]) => field.required).map(([name]) => name);
    return {
      type: 'object',
      ...(required.length > 0 ? { required } : {}),
      properties: Object.fromEntries(
        fields.map(([name, field]) => [name, fieldSchema(field, valuesOfField(type, name))]),
      ),
      ...(isAtomicType(type) ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    };
  }

  function fieldSchema(field: FieldShape, values: readonly string[] | undefined): OpenApiSchema {
    const schema = containerSchema(field.element, field.containers, values);
    if (field.default !== undefined) schema['default'] = field.default;
    if (field.listMapKeys !== undefined) schema['x-kubernetes-list-map-keys'] = field.listMapKeys;
    if (field.listType !== undefined) schema['x-kubernetes-list-type'] = field.listType;
    if (field.mapType !== undefined) schema['x-kubernetes-map-type'] = field.mapType;
    if (field.patchMergeKey !== undefined) schema['x-kubernetes-patch-merge-key'] = field.patchMergeKey;
    if (field.patchStrategy !== undefined) schema['x-kubernetes-patch-strategy'] = field.patchStrategy;
    return schema;
  }

  function containerSchema(
    element: string,
    containers: FieldShape['containers'],
    values: readonly string[] | undefined,
  ): OpenApiSchema {
    const [outer, ...inner] = containers;
    if (outer === undefined) return elementSchema(element, values);
    const within =
      inner.length === 0 && standsAlone(element)
        ? referenceTo(ofType(scalarComponents[element] ?? element))
        : containerSchema(element, inner, values);
    return outer === 'list'
      ? { type: 'array', items: within }
      : { type: 'object', additionalProperties: within };
  }

  function elementSchema(element: string, values: readonly string[] | undefined): OpenApiSchema {
    const component = isTypeName(element) ? element : scalarComponents[element];
    if (component !== undefined) return { allOf: [referenceTo(ofType(component))] };
    return { ...plainSchema(element), ...(values === undefined ? {} : { enum: values }) };
  }

  function ofKind(type: ResourceType, version: ServedVersion, builtInType: string | undefined): string {
    const { group, kind } = type;
    const of = { group, kind, version: version.version };
    const component =
      builtInType === undefined ? componentOfCustom(type, version.version) : ofType(builtInType);
    if (builtInType === undefined)
      found.set(component, { ...customSchema(version), 'x-kubernetes-group-version-kind': [of] });
    found.set(`${component}List`, {
      description: `${kind}List is a list of ${kind}`,
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: { type: 'string' },
        items: {
          type: 'array',
          items: type.custom ? referenceTo(component) : { allOf: [referenceTo(component)] },
        },
        kind: { type: 'string' },
        metadata: { allOf: [referenceTo(ofType('meta.v1.ListMeta'))] },
      },
      'x-kubernetes-group-version-kind': [{ ...of, kind: `${kind}List` }],
    });
    return component;
  }

  function customSchema({ schema }: ServedVersion): OpenApiSchema {
    if (schema === undefined) return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    return {
      ...schema,
      type: 'object',
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        ...schema.properties,
        metadata: {
          description: "The object's name, labels and all else that every object has.",
          allOf: [referenceTo(ofType('meta.v1.ObjectMeta'))],
        },
      },
    };
  }

  return {
    ofType,
    ofKind,
    schemas: () => Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Whether references in lists and maps need no `allOf`, which is required if other keywords are present. */
function standsAlone(element: string): boolean {
  return scalarComponents[element] !== undefined || openTypeOf(element) !== undefined;
}

function plainSchema(scalar: string): OpenApiSchema {
  switch (scalar) {
    case 'int32':
    case 'int64':
      return { type: 'integer', format: scalar };
    case 'double':
      return { type: 'number', format: scalar };
    case 'byte':
      return { type: 'string', format: scalar };
    default:
      return { type: scalar };
  }
}
