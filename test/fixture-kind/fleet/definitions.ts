import { coreSchema } from '../../../schemas/generate/core.ts';
import { customResourceDefinitions } from '../../../schemas/generate/crds.ts';
import { authoredSchemas, schemaFile, type SchemaFile } from '../../../schemas/generate/schema.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { rackSchema } from '../definitions.ts';
import schema from './fleet.json' with { type: 'json' };

/** The schema as if it lay beside those of the other kinds. */
export const fleetSchema: SchemaFile = schemaFile('kruise/fleet.json', schema);

/** Every schema file, those of fleets and racks among them. */
export const schemaFiles: readonly SchemaFile[] = [
  ...authoredSchemas(),
  rackSchema,
  fleetSchema,
  schemaFile('kubernetes/core.json', coreSchema()),
];

/** The definitions that are made of them. */
export const fleetDefinitions: readonly KubeObject[] = [rackSchema, fleetSchema].flatMap((each) =>
  customResourceDefinitions(each, schemaFiles),
);
