import { coreSchema } from '../../../schemas/generate/core.ts';
import { customResourceDefinitions } from '../../../schemas/generate/crds.ts';
import { authoredSchemas, schemaFile } from '../../../schemas/generate/schema.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import schema from './keep.json' with { type: 'json' };

/** The schema as if it lay beside those of the other kinds. */
const keepSchema = schemaFile('kruise/keep.json', schema);

/** The definition that is made of it. */
export const keepDefinitions: readonly KubeObject[] = customResourceDefinitions(keepSchema, [
  ...authoredSchemas(),
  keepSchema,
  schemaFile('kubernetes/core.json', coreSchema()),
]);
