import { readFileSync } from 'node:fs';
import { crds } from '../../schemas/generated/crds.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

/** A node of a structural schema, as far as these tests use it. */
export interface Structural {
  type?: string;
  description?: string;
  format?: string;
  properties?: Record<string, Structural>;
  items?: Structural;
  additionalProperties?: Structural;
  anyOf?: Structural[];
  required?: string[];
  default?: unknown;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  [keyword: string]: unknown;
}

export interface CrdVersion {
  name: string;
  served: boolean;
  storage: boolean;
  additionalPrinterColumns: { name: string; type: string; jsonPath: string; priority?: number }[];
  subresources: Record<string, unknown>;
  schema: { openAPIV3Schema: Structural };
}

export interface CrdSpec {
  group: string;
  scope: string;
  names: { kind: string; plural: string; singular: string; listKind: string; shortNames: string[] };
  versions: CrdVersion[];
}

/** The spec of a CustomResourceDefinition. */
export function crdSpec(definition: KubeObject): CrdSpec {
  return definition['spec'] as CrdSpec;
}

/** Every node of a schema below its root: path (`a.b[].c`, `m{}`) and node, and whether its parent requires it. */
export function fieldsOf(
  schema: Structural,
  at = '',
): { path: string; node: Structural; required: boolean }[] {
  const children = [
    ...Object.entries(schema.properties ?? {}).map(([name, node]) => ({
      path: at === '' ? name : `${at}.${name}`,
      node,
      required: schema.required?.includes(name) ?? false,
    })),
    ...(schema.items === undefined ? [] : [{ path: `${at}[]`, node: schema.items, required: false }]),
    ...(schema.additionalProperties === undefined
      ? []
      : [{ path: `${at}{}`, node: schema.additionalProperties, required: false }]),
  ];
  return children.flatMap((child) => [child, ...fieldsOf(child.node, child.path)]);
}

/** The line a field has in a golden field list, without its version. */
export function fieldFacts(node: Structural, required: boolean): { type: string; facts: string[] } {
  return {
    type: node['x-kubernetes-int-or-string'] === true ? 'int-or-string' : (node.type ?? 'any'),
    facts: [
      ...(required ? ['required'] : []),
      ...(node.format === undefined ? [] : [`format=${node.format}`]),
      ...(node['x-kubernetes-list-type'] === undefined ? [] : [`list=${node['x-kubernetes-list-type']}`]),
    ],
  };
}

/** A line of a list of fields in `golden/schemas/`. */
export interface GoldenField {
  path: string;
  version: string;
  type: string;
  facts: string[];
}

/** The fields of a kind in OpenKruise, for each version: a file in `golden/schemas/`. */
export function goldenFields(file: string): GoldenField[] {
  return readFileSync(`golden/schemas/${file}`, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [path = '', version = '', type = '', ...facts] = line.split(' ');
      return { path, version, type, facts };
    });
}

/** The differences between a schema and the fields of a version of the kind. */
export function deviations(schema: Structural, golden: readonly GoldenField[]): string[] {
  const found = new Map(fieldsOf(schema).map((field) => [field.path, field]));
  return golden.flatMap(({ path, type, facts }) => {
    const field = found.get(path);
    if (field === undefined) return [`${path} is missing`];
    if (type === 'any') {
      const open = field.node.items ?? field.node;
      return open['x-kubernetes-preserve-unknown-fields'] === true ? [] : [`${path} is closed`];
    }
    const ours = fieldFacts(field.node, field.required);
    const text = [type, ...facts].join(' ');
    return [ours.type, ...ours.facts].join(' ') === text ? [] : [`${path} is not ${text}`];
  });
}

/** The definition of a kind. */
export function crd(kind: string): ReturnType<typeof crdSpec> {
  const found = crds.map(crdSpec).find(({ names }) => names.kind === kind);
  if (found === undefined) throw new Error(`no CRD of ${kind}`);
  return found;
}

/** A version of the definition of a kind. */
export function versionOf(kind: string, name: string): CrdVersion {
  const found = crd(kind).versions.find((version) => version.name === name);
  if (found === undefined) throw new Error(`${kind} is not served at ${name}`);
  return found;
}
