import { coreSchema } from '../../../schemas/generate/core.ts';
import { customResourceDefinitions } from '../../../schemas/generate/crds.ts';
import { authoredSchemas, schemaFile, type SchemaFile } from '../../../schemas/generate/schema.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import schema from './shelf.json' with { type: 'json' };

/** The schema as if it lay beside those of the other kinds. */
export const shelfSchema: SchemaFile = schemaFile('kruise/shelf.json', schema);

/** Every schema file, that of the kind among them. */
export const schemaFiles: readonly SchemaFile[] = [
  ...authoredSchemas(),
  shelfSchema,
  schemaFile('kubernetes/core.json', coreSchema()),
];

/** The definition that is made of it. */
export const shelfDefinitions: readonly KubeObject[] = customResourceDefinitions(shelfSchema, schemaFiles);
