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
export function crdSpec(crd: KubeObject): CrdSpec {
  return crd['spec'] as CrdSpec;
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
