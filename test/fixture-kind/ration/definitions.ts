import { coreSchema } from '../../../schemas/generate/core.ts';
import { customResourceDefinitions } from '../../../schemas/generate/crds.ts';
import { authoredSchemas, schemaFile, type SchemaFile } from '../../../schemas/generate/schema.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import schema from './ration.json' with { type: 'json' };

/** The schema as if it lay beside those of the other kinds. */
export const rationSchema: SchemaFile = schemaFile('kruise/ration.json', schema);

/** Every schema file, that of the kind among them. */
export const schemaFiles: readonly SchemaFile[] = [
  ...authoredSchemas(),
  rationSchema,
  schemaFile('kubernetes/core.json', coreSchema()),
];

/** The definition that is made of it. */
export const rationDefinitions: readonly KubeObject[] = customResourceDefinitions(rationSchema, schemaFiles);
