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

/** The fields of an object that belong to other versions than its own; what lies below such a field is not looked at. */
export function fieldsOfOtherVersions(root: SchemaRoot, object: unknown, version: string): OtherVersion[] {
  const found: OtherVersion[] = [];
  const visit = (at: At, value: object, path: readonly string[]): void => {
    for (const [key, member] of Object.entries(value)) {
      const next = Object.hasOwn(at.schema.properties ?? {}, key) ? step(at, key) : undefined;
      if (next === undefined) continue;
      const here = [...path, key];
      const versions = next.schema['x-kruise-versions'];
      if (versions?.includes(version) === false) {
        found.push({ path: here, versions, value: undefined });
        continue;
      }
      const ofValue = next.schema['x-kruise-value-versions'];
      if (typeof member === 'string' && ofValue !== undefined && Object.hasOwn(ofValue, member)) {
        const having = ofValue[member] ?? [];
        if (!having.includes(version)) found.push({ path: here, versions: having, value: member });
      }
      const inside = follow(next);
      const isMap = typeof member === 'object' && member !== null && !Array.isArray(member);
      // A pod template is of no version of ours.
      if (inside !== undefined && isMap && inside.file !== CORE) visit(inside, member as object, here);
    }
  };
  const start = follow(resolve('', root));
  if (start !== undefined && typeof object === 'object' && object !== null) visit(start, object, []);
  return found;
}
