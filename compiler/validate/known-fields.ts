import cloneSet from '../../schemas/kruise/cloneset.json' with { type: 'json' };
import workload from '../../schemas/kruise/workload.json' with { type: 'json' };
import core from '../../schemas/kubernetes/core.json' with { type: 'json' };
import config from '../../schemas/config/kruise.json' with { type: 'json' };
import rolloutPlan from '../../schemas/plan/rolloutplan.json' with { type: 'json' };

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

const files: Record<string, { definitions: Record<string, unknown> }> = {
  'cloneset.json': cloneSet,
  'workload.json': workload,
  'core.json': core,
  'kruise.json': config,
  'rolloutplan.json': rolloutPlan,
};

export type SchemaRoot = 'CloneSet' | 'PodTemplateSpec' | 'KruiseConfig';

const ROOTS: Record<SchemaRoot, string> = {
  CloneSet: 'cloneset.json#/definitions/CloneSet',
  PodTemplateSpec: 'core.json#/definitions/PodTemplateSpec',
  KruiseConfig: 'kruise.json#/definitions/KruiseConfig',
};

function follow(at: At | undefined): At | undefined {
  let here = at;
  for (let hops = 0; here?.schema.$ref !== undefined && hops < 10; hops++) {
    here = resolve(here.file, here.schema.$ref);
  }
  return here;
}

function resolve(from: string, reference: string): At | undefined {
  const [path = '', pointer = ''] = reference.split('#');
  const file = path === '' ? from : (path.split('/').at(-1) ?? from);
  const name = pointer.split('/').at(-1) ?? '';
  const definitions = files[file]?.definitions ?? {};
  const schema = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  return schema === undefined ? undefined : { file, schema: schema as Schema };
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
  let at = follow(resolve('', ROOTS[root]));
  for (const key of path) at = at && follow(step(at, key));
  return Object.keys(at?.schema.properties ?? {});
}

/** API versions a field belongs to, where it does not belong to all; undefined otherwise. */
export function versionsOf(root: SchemaRoot, path: readonly string[]): readonly string[] | undefined {
  let at = follow(resolve('', ROOTS[root]));
  let versions: readonly string[] | undefined;
  for (const key of path) {
    const next: At | undefined = at && step(at, key);
    versions = next?.schema['x-kruise-versions'] ?? versions;
    at = follow(next);
  }
  return versions;
}
