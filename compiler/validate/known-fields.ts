import { schemaDocuments, targetSchemas } from '../../schemas/generated/targets.ts';
import type { TargetSchema } from '../../schemas/validator/target.ts';
import type { GroupKind } from '../../semantics/owner.ts';

/** The keywords of JSON Schema that are needed to find a field. */
interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  /** API versions that have the field, if not all do. */
  'x-kruise-versions'?: readonly string[];
  /** API versions that accept a value, for values that not all accept. */
  'x-kruise-value-versions'?: Readonly<Record<string, readonly string[]>>;
}

interface At {
  file: string;
  schema: Schema;
}

/** Identifies a schema: `FILE#/definitions/NAME`. */
export type SchemaRoot = string;

const CORE = 'kubernetes/core.json';
export const POD_TEMPLATE: SchemaRoot = `${CORE}#/definitions/PodTemplateSpec`;
export const CONFIG: SchemaRoot = 'config/kruise.json#/definitions/KruiseConfig';

/** The schema of a registered kind; throws when it was not generated yet. */
export function schemaOf({ group, kind }: GroupKind): TargetSchema {
  const found = targetSchemas.find((each) => each.group === group && each.kind === kind);
  if (found === undefined) throw new Error(`no schema of ${kind}.${group}: run npm run generate`);
  return found;
}

function follow(at: At | undefined): At | undefined {
  let current = at;
  for (let hops = 0; current?.schema.$ref !== undefined && hops < 10; hops++) {
    current = resolve(current.file, current.schema.$ref);
  }
  return current;
}

function resolve(from: string, reference: string): At | undefined {
  const [path = '', pointer = ''] = reference.split('#');
  const file = path === '' ? from : resolveRelative(from, path);
  const name = pointer.split('/').at(-1) ?? '';
  const definitions = schemaDocuments[file]?.definitions ?? {};
  const schema = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  return schema === undefined ? undefined : { file, schema: schema as Schema };
}

/** Resolves a relative path: `a/x.json` and `../b/y.json` give `b/y.json`. */
function resolveRelative(from: string, path: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}

function step(at: At, key: string): At | undefined {
  const { properties, items, additionalProperties } = at.schema;
  if (properties !== undefined && Object.hasOwn(properties, key)) {
    const schema = properties[key];
    return schema && { file: at.file, schema };
  }
  if (items !== undefined) return { file: at.file, schema: items };
  return typeof additionalProperties === 'object'
    ? { file: at.file, schema: additionalProperties }
    : undefined;
}

/** The fields of the schema at a path; empty if the schema does not have the path. */
export function knownFields(root: SchemaRoot, path: readonly string[]): string[] {
  let at = follow(resolve('', root));
  for (const key of path) at = at && follow(step(at, key));
  return Object.keys(at?.schema.properties ?? {});
}

/** A field or value of an object that its API version does not have. */
export interface OtherVersion {
  path: string[];
  /** The versions that have it. */
  versions: readonly string[];
  /** The value, if only the value is of other versions; undefined if the field is. */
  value: string | undefined;
}

/** The fields and values of a schema that belong to some API versions only. */
interface Versioned {
  /** The versions that have the field; undefined if all do. */
  versions: readonly string[] | undefined;
  /** The versions that accept a value, for values that not all accept. */
  ofValue: Readonly<Record<string, readonly string[]>> | undefined;
  /** The fields that are of some versions only, or contain such fields. */
  fields: ReadonlyMap<string, Versioned>;
}

/** Caches the search of each schema: it is needed for every manifest, and few fields have versions. */
const versioned = new Map<SchemaRoot, Versioned | undefined>();

function versionedOf(root: SchemaRoot): Versioned | undefined {
  if (!versioned.has(root)) {
    const start = resolve('', root);
    versioned.set(root, start && versionedAt(start, []));
  }
  return versioned.get(root);
}

/** @param above the schemas from the root down to this one, to stop at a recursive schema */
function versionedAt(at: At, above: readonly Schema[]): Versioned | undefined {
  const { 'x-kruise-versions': versions, 'x-kruise-value-versions': ofValue } = at.schema;
  const inside = follow(at);
  const fields = new Map<string, Versioned>();
  // The versions of a workload do not apply to its pod template.
  if (inside !== undefined && inside.file !== CORE && !above.includes(inside.schema)) {
    for (const [key, schema] of Object.entries(inside.schema.properties ?? {})) {
      const found = versionedAt({ file: inside.file, schema }, [...above, inside.schema]);
      if (found !== undefined) fields.set(key, found);
    }
  }
  const isPlain = versions === undefined && ofValue === undefined && fields.size === 0;
  return isPlain ? undefined : { versions, ofValue, fields };
}

/** The fields of an object that belong to other API versions than its own. Does not report fields below such a field. */
export function fieldsOfOtherVersions(root: SchemaRoot, object: unknown, version: string): OtherVersion[] {
  const found: OtherVersion[] = [];
  const visit = ({ fields }: Versioned, value: unknown, path: readonly string[]): void => {
    if (fields.size === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return;
    for (const [key, member] of Object.entries(value) as [string, unknown][]) {
      const field = fields.get(key);
      if (field === undefined) continue;
      const current = [...path, key];
      const { versions, ofValue } = field;
      if (versions?.includes(version) === false) {
        found.push({ path: current, versions, value: undefined });
        continue;
      }
      if (typeof member === 'string' && ofValue !== undefined && Object.hasOwn(ofValue, member)) {
        const having = ofValue[member] ?? [];
        if (!having.includes(version)) found.push({ path: current, versions: having, value: member });
      }
      visit(field, member, current);
    }
  };
  const start = versionedOf(root);
  if (start !== undefined) visit(start, object, []);
  return found;
}
