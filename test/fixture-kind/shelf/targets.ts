import { kindValidator, validatorOf } from '../../../schemas/generate/validators.ts';
import type * as generated from '../../../schemas/generated/targets.ts';
import type { SchemaError } from '../../../schemas/validator/error.ts';
import { schemaFiles, shelfSchema } from './definitions.ts';
import { shelfKind } from './kind.ts';

type Targets = Pick<typeof generated, keyof typeof generated>;

/** What stands in for `schemas/generated/targets.ts`: what would be generated if the schema lay beside the others. */
export async function withShelves({ targetSchemas, schemaDocuments }: Targets): Promise<Targets> {
  const spec = kindValidator(shelfSchema);
  if (spec === undefined) throw new Error('it is the schema of no kind');
  const { code } = await validatorOf(schemaFiles, spec);
  const { [spec.name]: validate } = (await import(
    `data:text/javascript,${encodeURIComponent(code)}`
  )) as Record<string, (object: unknown) => SchemaError[]>;
  if (validate === undefined) throw new Error(`there is no ${spec.name}`);
  const shelf = { ...shelfKind.id, definition: spec.reference, validate };
  return {
    targetSchemas: [...targetSchemas, shelf],
    schemaDocuments: { ...schemaDocuments, [shelfSchema.path]: shelfSchema.schema },
  };
}
