import { basename, dirname } from 'node:path';
import { crdFacts } from './crds.ts';
import type { SchemaFile } from './schema.ts';

/** Whether the file contains the schema of a kind that plans are made for. */
export function isTargetSchema(file: SchemaFile): boolean {
  return file.path.startsWith('kruise/') && crdFacts(file) !== undefined;
}

/**
 * The module with the schemas for the compiler: the validator of each kind that plans are made for, and the schema
 * files as data by their paths below `schemas/`.
 */
export function targetsFile(files: readonly SchemaFile[], header: string): string {
  const targets = files.filter(isTargetSchema).map((file) => {
    const { group, names } = crdFacts(file) ?? { group: '', names: { kind: '' } };
    return { group, kind: names.kind, path: file.path };
  });
  const documents = files.map(({ path }) => ({ path, name: nameOf(path) }));
  return [
    `// ${header}`,
    ...documents.map(({ path, name }) => `import ${name} from '../${path}' with { type: 'json' };`),
    ...targets.map(({ kind }) => `import { validate${kind} } from './validate/${kind.toLowerCase()}.js';`),
    `import type { TargetSchema } from '../validator/target.ts';`,
    '',
    '/** The kinds that plans are made for, by the paths of their schema files. */',
    `export const targetSchemas: readonly TargetSchema[] = [`,
    ...targets.map(
      ({ group, kind, path }) =>
        `{ group: '${group}', kind: '${kind}', definition: '${path}#/definitions/${kind}', validate: validate${kind} },`,
    ),
    '];',
    '',
    '/** Every schema file, by its path below `schemas/`. */',
    'export const schemaDocuments: Readonly<Record<string, { definitions: Record<string, unknown> }>> = {',
    ...documents.map(({ path, name }) => `'${path}': ${name},`),
    '};',
    '',
  ].join('\n');
}

/** `configKruise` for `config/kruise.json`. */
function nameOf(path: string): string {
  const file = basename(path, '.json');
  return `${dirname(path)}${file.charAt(0).toUpperCase()}${file.slice(1)}`;
}
