import { kindValidator, validatorOf } from '../../../schemas/generate/validators.ts';
import type * as generated from '../../../schemas/generated/targets.ts';
import type { SchemaError } from '../../../schemas/validator/error.ts';
import { badgeSchema, schemaFiles } from './definitions.ts';
import { badgeResource } from './spec.ts';

type Targets = Pick<typeof generated, keyof typeof generated>;

/** What stands in for `schemas/generated/targets.ts`: what would be generated if the schema lay beside the others. */
export async function withBadges({ targetSchemas, schemaDocuments }: Targets): Promise<Targets> {
  const spec = kindValidator(badgeSchema);
  if (spec === undefined) throw new Error('it is the schema of no kind');
  const { code } = await validatorOf(schemaFiles, spec);
  const { [spec.name]: validate } = (await import(
    `data:text/javascript,${encodeURIComponent(code)}`
  )) as Record<string, (object: unknown) => SchemaError[]>;
  if (validate === undefined) throw new Error(`there is no ${spec.name}`);
  const { group, kind } = badgeResource;
  return {
    targetSchemas: [...targetSchemas, { group, kind, definition: spec.reference, validate }],
    schemaDocuments: { ...schemaDocuments, [badgeSchema.path]: badgeSchema.schema },
  };
}
