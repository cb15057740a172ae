import { coreSchema } from '../../../schemas/generate/core.ts';
import { customResourceDefinitions } from '../../../schemas/generate/crds.ts';
import { authoredSchemas, schemaFile, type SchemaFile } from '../../../schemas/generate/schema.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import schema from './badge.json' with { type: 'json' };

/** The schema as if it lay beside those of the other kinds. */
export const badgeSchema: SchemaFile = schemaFile('kruise/badge.json', schema);

/** Every schema file, that of the kind among them. */
export const schemaFiles: readonly SchemaFile[] = [
  ...authoredSchemas(),
  badgeSchema,
  schemaFile('kubernetes/core.json', coreSchema()),
];

/** The definitions that are made of it. */
export const badgeDefinitions: readonly KubeObject[] = customResourceDefinitions(badgeSchema, schemaFiles);
