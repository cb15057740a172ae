import { schemaDocuments, targetSchemas } from '../../schemas/generated/targets.ts';
import type { TargetSchema } from '../../schemas/validator/target.ts';
import type { GroupKind } from '../../semantics/owner.ts';

/** The few keywords of JSON Schema that matter for finding one's way. */
interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  /** API versions a field belongs to, where it does not belong to all. */
  'x-kruise-versions'?: readonly string[];
  /** The same of some of its values. */
  'x-kruise-value-versions'?: Readonly<Record<string, readonly string[]>>;
}

interface At {
  file: string;
  schema: Schema;
}

/** Where a schema stands: `FILE#/definitions/NAME`. */
export type SchemaRoot = string;

const CORE = 'kubernetes/core.json';
export const POD_TEMPLATE: SchemaRoot = `${CORE}#/definitions/PodTemplateSpec`;
export const CONFIG: SchemaRoot = 'config/kruise.json#/definitions/KruiseConfig';

/** The schema of a registered kind; throws when its file was not generated from. */
export function schemaOf({ group, kind }: GroupKind): TargetSchema {
  const found = targetSchemas.find((each) => each.group === group && each.kind === kind);
  if (found === undefined) throw new Error(`no schema of ${kind}.${group}: run npm run generate`);
  return found;
}

function follow(at: At | undefined): At | undefined {
  let here = at;
  for (let hops = 0; here?.schema.$ref !== undefined && hops < 10; hops++) {
    here = resolve(here.file, here.schema.$ref);
  }
  return here;
}

function resolve(from: string, reference: string): At | undefined {
  const [path = '', pointer = ''] = reference.split('#');
  const file = path === '' ? from : besides(from, path);
  const name = pointer.split('/').at(-1) ?? '';
  const definitions = schemaDocuments[file]?.definitions ?? {};
  const schema = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  return schema === undefined ? undefined : { file, schema: schema as Schema };
}

/** `a/x.json` and `../b/y.json` make `b/y.json`. */
function besides(from: string, path: string): string {
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

/** Fields that the schema knows at a path; none where the path leads out of it. */
export function knownFields(root: SchemaRoot, path: readonly string[]): string[] {
  let at = follow(resolve('', root));
  for (const key of path) at = at && follow(step(at, key));
  return Object.keys(at?.schema.properties ?? {});
}

/** A field, or its value, that an object has and its version does not. */
export interface OtherVersion {
  path: string[];
  /** Those that have it. */
  versions: readonly string[];
  /** Undefined: the field itself is of other versions. */
  value: string | undefined;
}

/** What belongs to some versions only at one place of a schema, and in the maps below it. */
interface Versioned {
  /** The versions that have the field, where not all do. */
  versions: readonly string[] | undefined;
  /** The same of some of its values. */
  ofValue: Readonly<Record<string, readonly string[]>> | undefined;
  /** Fields that are of some versions only, or have such fields. */
  fields: ReadonlyMap<string, Versioned>;
}

/** Few fields have versions, and every manifest is asked about: a schema is searched for them once. */
const versioned = new Map<SchemaRoot, Versioned | undefined>();

function versionedOf(root: SchemaRoot): Versioned | undefined {
  const start = resolve('', root);
  if (!versioned.has(root)) versioned.set(root, start && versionedAt(start, []));
  return versioned.get(root);
}

/** @param above the schemas on the way: one of them again has nothing new */
function versionedAt(at: At, above: readonly Schema[]): Versioned | undefined {
  const { 'x-kruise-versions': versions, 'x-kruise-value-versions': ofValue } = at.schema;
  const inside = follow(at);
  const fields = new Map<string, Versioned>();
  // A pod template is of no version of ours.
  if (inside !== undefined && inside.file !== CORE && !above.includes(inside.schema)) {
    for (const [key, schema] of Object.entries(inside.schema.properties ?? {})) {
      const found = versionedAt({ file: inside.file, schema }, [...above, inside.schema]);
      if (found !== undefined) fields.set(key, found);
    }
  }
  const isPlain = versions === undefined && ofValue === undefined && fields.size === 0;
  return isPlain ? undefined : { versions, ofValue, fields };
}

/** The fields of an object that belong to other versions than its own; what lies below such a field is not looked at. */
export function fieldsOfOtherVersions(root: SchemaRoot, object: unknown, version: string): OtherVersion[] {
  const found: OtherVersion[] = [];
  const visit = ({ fields }: Versioned, value: unknown, path: readonly string[]): void => {
    if (fields.size === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return;
    for (const [key, member] of Object.entries(value) as [string, unknown][]) {
      const field = fields.get(key);
      if (field === undefined) continue;
      const here = [...path, key];
      const { versions, ofValue } = field;
      if (versions?.includes(version) === false) {
        found.push({ path: here, versions, value: undefined });
        continue;
      }
      if (typeof member === 'string' && ofValue !== undefined && Object.hasOwn(ofValue, member)) {
        const having = ofValue[member] ?? [];
        if (!having.includes(version)) found.push({ path: here, versions: having, value: member });
      }
      visit(field, member, here);
    }
  };
  const start = versionedOf(root);
  if (start !== undefined) visit(start, object, []);
  return found;
}
