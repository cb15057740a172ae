import { schemaDocuments, targetSchemas } from '../../schemas/generated/targets.ts';
import type { TargetSchema } from '../../schemas/validator/target.ts';
import type { GroupKind } from '../../semantics/owner.ts';

/** The few keywords of JSON Schema that matter for finding one's way. */
interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  'x-kruise-versions'?: readonly string[];
}

interface At {
  file: string;
  schema: Schema;
}

/** Where a schema stands: `FILE#/definitions/NAME`. */
export type SchemaRoot = string;

export const POD_TEMPLATE: SchemaRoot = 'kubernetes/core.json#/definitions/PodTemplateSpec';
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

/** API versions a field belongs to, where it does not belong to all; undefined otherwise. */
export function versionsOf(root: SchemaRoot, path: readonly string[]): readonly string[] | undefined {
  let at = follow(resolve('', root));
  let versions: readonly string[] | undefined;
  for (const key of path) {
    const next: At | undefined = at && step(at, key);
    versions = next?.schema['x-kruise-versions'] ?? versions;
    at = follow(next);
  }
  return versions;
}
