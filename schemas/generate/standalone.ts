import { basename } from 'node:path';
import { crdFacts } from './crds.ts';
import { authoredSchemas, mapSchema, readSchema, target, type Schema, type SchemaFile } from './schema.ts';

/** Files that only hold definitions of others. */
const PARTS = ['kruise/workload.json'];

/**
 * The schemas of `kruise.yaml`, of the runtime's configuration, of plans and commands and of every kind, for editors and other
 * validators: each is one document without references to others, by its file name. A field that nobody knows is an error, as
 * it is for `kruise validate`.
 */
export function standaloneSchemas(): ReadonlyMap<string, Schema> {
  const wanted = authoredSchemas().filter(({ path }) => !PARTS.includes(path));
  const files = new Map(
    [...wanted.map(({ path }) => path), ...PARTS, 'kubernetes/core.json'].map((path) => [
      path,
      readSchema(path),
    ]),
  );
  return new Map(wanted.map((file) => [basename(file.path), standalone(file, files)]));
}

function standalone(file: SchemaFile, files: ReadonlyMap<string, SchemaFile>): Schema {
  const { $ref = '', description } = file.schema;
  const definitions = new Map<string, Schema>();
  const add = (reference: string, from: string): string => {
    const { file: path, name } = target(reference, from);
    // Definitions of two files may have one name.
    const own = path === file.path ? name : `${basename(path, '.json')}.${name}`;
    if (!definitions.has(own)) {
      const found = files.get(path)?.schema.definitions[name];
      if (found === undefined) throw new Error(`${from}: ${reference} does not exist`);
      // First the name, as definitions refer to themselves.
      definitions.set(own, {});
      definitions.set(
        own,
        forEditors(found, (each) => add(each, path)),
      );
    }
    return `#/definitions/${own}`;
  };
  const root = add($ref, file.path);
  const facts = crdFacts(file);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...(description !== undefined && { description }),
    ...(facts === undefined ? {} : identityOf(facts)),
    allOf: [{ $ref: root }],
    definitions: Object.fromEntries([...definitions].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Which objects it is about: one in another version is not served. */
function identityOf({
  group,
  names,
  clusterNames,
  versions,
}: NonNullable<ReturnType<typeof crdFacts>>): Schema {
  return {
    required: ['apiVersion', 'kind'],
    properties: {
      apiVersion: { enum: versions.map(({ name }) => `${group}/${name}`) },
      kind: { enum: [names.kind, ...(clusterNames === undefined ? [] : [clusterNames.kind])] },
    },
  };
}

/** Without keywords that are ours, with references by `rename`. Known fields alone, where all are known. */
function forEditors(schema: Schema, rename: (reference: string) => string): Schema {
  return mapSchema(schema, ({ $ref, ...node }) => {
    const isOpen = node['x-kubernetes-preserve-unknown-fields'] === true;
    const kept = Object.fromEntries(Object.entries(node).filter(([keyword]) => !keyword.startsWith('x-')));
    if (isOpen) return $ref === undefined ? kept : { ...kept, type: 'object' };
    return {
      ...kept,
      ...($ref !== undefined && { $ref: rename($ref) }),
      ...(node.properties !== undefined &&
        node.additionalProperties === undefined && { additionalProperties: false }),
    };
  });
}
