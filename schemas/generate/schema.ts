import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A JSON Schema node as this generator reads it; other keywords are preserved. */
export interface Schema {
  $id?: string;
  $ref?: string;
  description?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  definitions?: Record<string, Schema>;
  required?: string[];
  [keyword: string]: unknown;
}

/** A schema file: its path below `schemas/`, and its content. */
export interface SchemaFile {
  path: string;
  schema: Schema & { definitions: Record<string, Schema> };
}

export const schemasFolder: string = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Folders of hand-written schemas: `kruise` contains the kinds that plans are made for, one file each. */
const authoredFolders = ['config', 'kruise', 'plan'];

/** Every hand-written schema file, sorted by path. */
export function authoredSchemas(): SchemaFile[] {
  return authoredFolders
    .flatMap((folder) => readdirSync(join(schemasFolder, folder)).map((name) => `${folder}/${name}`))
    .filter((path) => path.endsWith('.json'))
    .sort()
    .map(readSchema);
}

/** Reads one schema file by its path below `schemas/`. */
export function readSchema(path: string): SchemaFile {
  const schema: unknown = JSON.parse(readFileSync(join(schemasFolder, path), 'utf8'));
  return schemaFile(path, schema);
}

/** Checks that a parsed document has definitions, which every schema file here consists of. */
export function schemaFile(path: string, schema: unknown): SchemaFile {
  if (typeof schema !== 'object' || schema === null || !('definitions' in schema)) {
    throw new Error(`${path}: a schema file must have definitions`);
  }
  return { path, schema: schema as SchemaFile['schema'] };
}

/** The target of a reference: the file (path below `schemas/`) and the name of the definition. */
export function target(reference: string, fromFile: string): { file: string; name: string } {
  const [path = '', pointer = ''] = reference.split('#');
  const name = /^\/definitions\/(\w+)$/.exec(pointer)?.[1];
  if (name === undefined) throw new Error(`${fromFile}: cannot follow ${reference}`);
  const file = path === '' ? fromFile : join(dirname(fromFile), path);
  return { file, name };
}

/**
 * Copies a schema bottom-up: `change` receives the copy of a node and returns its replacement. Properties are
 * traversed as data, not as keywords.
 */
export function mapSchema(schema: Schema, change: (node: Schema) => Schema): Schema {
  const copy: Schema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    copy[keyword] = mapKeyword(keyword, value, change);
  }
  return change(copy);
}

function mapKeyword(keyword: string, value: unknown, change: (node: Schema) => Schema): unknown {
  if (keyword === 'properties' || keyword === 'definitions') {
    return mapValues(value as Record<string, Schema>, (member) => mapSchema(member, change));
  }
  if (keyword === 'items' || (keyword === 'additionalProperties' && typeof value === 'object')) {
    return mapSchema(value as Schema, change);
  }
  if (keyword === 'anyOf' || keyword === 'oneOf') {
    return (value as Schema[]).map((branch) => mapSchema(branch, change));
  }
  return value;
}

/** Replaces each member; `change` receives its name, too. */
export function mapValues(
  members: Readonly<Record<string, Schema>>,
  change: (member: Schema, name: string) => Schema,
): Record<string, Schema> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member, name)]));
}

/** The absolute path of a file given by its path below the repository. */
export function repositoryPath(path: string): string {
  return resolve(schemasFolder, '..', path);
}
