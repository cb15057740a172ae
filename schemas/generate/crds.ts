import type { KubeObject } from '../wire/object.ts';
import { mapSchema, target } from './schema.ts';
import type { Schema, SchemaFile } from './schema.ts';

/** The kind names of a definition. */
export interface CrdNames {
  kind: string;
  plural: string;
  singular?: string;
  shortNames?: string[];
}

/** The definition's metadata in a schema file. */
export interface CrdFacts {
  group: string;
  scope: string;
  names: CrdNames;
  /** The names of the cluster-scoped variant of the kind, which has the same schema. */
  clusterNames?: CrdNames;
  /**
   * The spec preserves unknown fields and validates only types, because the digest covers every byte. The fields in
   * `checked` identify the objects of a plan and keep their patterns: the runtime uses them as keys.
   */
  openSpec?: { checked: string[] };
  versions: { name: string; storage: boolean }[];
  subresources: Record<string, unknown>;
  /** Default: none but the age. */
  additionalPrinterColumns?: Record<string, unknown>[];
}

const structural = [
  'additionalProperties',
  'anyOf',
  'default',
  'description',
  'enum',
  'format',
  'items',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'nullable',
  'oneOf',
  'pattern',
  'properties',
  'required',
  'type',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
];

/** The definition's metadata of a file; undefined if it does not contain a kind. */
export function crdFacts({ schema }: SchemaFile): CrdFacts | undefined {
  return schema['x-kruise-crd'] as CrdFacts | undefined;
}

/**
 * Generates the CustomResourceDefinitions of a kind: all served versions have the same structural schema, except
 * for the defaults of `x-kruise-version-defaults`. None if the file does not contain a kind.
 *
 * @param files every schema file that can be referenced
 */
export function customResourceDefinitions(file: SchemaFile, files: readonly SchemaFile[]): KubeObject[] {
  const facts = crdFacts(file);
  if (facts === undefined) return [];
  const schemas = new Map(facts.versions.map(({ name }) => [name, kindSchema(file, facts, files, name)]));
  const { clusterNames } = facts;
  return [
    definitionOf(facts, facts.scope, facts.names, schemas),
    ...(clusterNames === undefined ? [] : [definitionOf(facts, 'Cluster', clusterNames, schemas)]),
  ];
}

function kindSchema(
  file: SchemaFile,
  facts: CrdFacts,
  files: readonly SchemaFile[],
  version: string,
): Schema {
  const kind = file.schema.definitions[facts.names.kind];
  if (kind === undefined) throw new Error(`${file.path} does not define ${facts.names.kind}`);
  const {
    apiVersion,
    kind: kindField,
    ...fields
  } = inlined(kind, file.path, files, version).properties ?? {};
  return {
    type: 'object',
    description: kind.description ?? '',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: apiVersion?.description ?? '' },
      kind: { type: 'string', description: kindField?.description ?? '' },
      ...fields,
      metadata: { type: 'object' },
      ...(facts.openSpec !== undefined &&
        fields['spec'] !== undefined && { spec: openSpec(fields['spec'], facts.openSpec.checked) }),
    },
  };
}

function definitionOf(
  facts: CrdFacts,
  scope: string,
  names: CrdNames,
  schemas: ReadonlyMap<string, Schema>,
): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${facts.group}` },
    spec: {
      group: facts.group,
      scope,
      names,
      versions: facts.versions.map(({ name, storage }) => ({
        name,
        served: true,
        storage,
        additionalPrinterColumns: columnsIn(facts.additionalPrinterColumns, name),
        subresources: facts.subresources,
        schema: { openAPIV3Schema: schemas.get(name) },
      })),
    },
  };
}

/** The columns of a version: those of others are left out. */
function columnsIn(columns: CrdFacts['additionalPrinterColumns'], version: string): typeof columns {
  if (columns?.some((column) => column[VERSIONS] !== undefined) !== true) return columns;
  return columns.flatMap(({ [VERSIONS]: versions, ...column }) =>
    Array.isArray(versions) && !versions.includes(version) ? [] : [column],
  );
}

const VERSIONS = 'x-kruise-versions';

/** Inlines references; sibling keywords win. Custom resources do not support references. */
function inlined(schema: Schema, path: string, files: readonly SchemaFile[], version: string): Schema {
  return mapSchema(schema, (node) => {
    if (node['x-kubernetes-preserve-unknown-fields'] === true) {
      return keep({ ...node, type: 'object' }, version);
    }
    if (node.$ref === undefined) return keep(node, version);
    const { file, name } = target(node.$ref, path);
    const definition = files.find((candidate) => candidate.path === file)?.schema.definitions[name];
    if (definition === undefined) throw new Error(`${path}: nothing at ${node.$ref}`);
    return keep({ ...inlined(definition, file, files, version), ...node }, version);
  });
}

function keep(node: Schema, version: string): Schema {
  const defaults = node['x-kruise-version-defaults'] as Record<string, unknown> | undefined;
  const own = defaults?.[version];
  return {
    ...Object.fromEntries(Object.entries(node).filter(([keyword]) => structural.includes(keyword))),
    ...(own !== undefined && { default: own }),
  };
}

const shape = [
  'additionalProperties',
  'anyOf',
  'description',
  'items',
  'properties',
  'type',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
];

const identity = [...shape, 'maxLength', 'pattern'];

function openSpec(spec: Schema, checked: readonly string[]): Schema {
  const opened = opening(spec, shape);
  const fields = Object.entries(spec.properties ?? {}).filter(([name]) => checked.includes(name));
  const kept = fields.map(([name, field]) => [name, opening(field, identity)]);
  return { ...opened, properties: { ...opened.properties, ...Object.fromEntries(kept) } };
}

function opening(schema: Schema, keywords: readonly string[]): Schema {
  return mapSchema(schema, (node) => {
    const open: Schema = Object.fromEntries(
      Object.entries(node).filter(([keyword]) => keywords.includes(keyword)),
    );
    if (open.anyOf !== undefined && open['x-kubernetes-int-or-string'] !== true) {
      return { description: open.description ?? '', 'x-kubernetes-preserve-unknown-fields': true };
    }
    if (open.properties !== undefined) open['x-kubernetes-preserve-unknown-fields'] = true;
    return open;
  });
}
