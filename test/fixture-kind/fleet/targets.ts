import { kindValidator, validatorOf } from '../../../schemas/generate/validators.ts';
import type * as generated from '../../../schemas/generated/targets.ts';
import type { SchemaError } from '../../../schemas/validator/error.ts';
import type { TargetSchema } from '../../../schemas/validator/target.ts';
import { rackSchema } from '../definitions.ts';
import { rackKind } from '../kind.ts';
import { fleetSchema, schemaFiles } from './definitions.ts';
import { fleetKind } from './kind.ts';

type Targets = Pick<typeof generated, keyof typeof generated>;

/** What stands in for `schemas/generated/targets.ts`: what would be generated if the schemas lay beside the others. */
export async function withFleets({ targetSchemas, schemaDocuments }: Targets): Promise<Targets> {
  const added: TargetSchema[] = [];
  for (const [{ id }, file] of [
    [rackKind, rackSchema],
    [fleetKind, fleetSchema],
  ] as const) {
    const spec = kindValidator(file);
    if (spec === undefined) throw new Error('it is the schema of no kind');
    const { code } = await validatorOf(schemaFiles, spec);
    const { [spec.name]: validate } = (await import(
      `data:text/javascript,${encodeURIComponent(code)}`
    )) as Record<string, (object: unknown) => SchemaError[]>;
    if (validate === undefined) throw new Error(`there is no ${spec.name}`);
    added.push({ ...id, definition: spec.reference, validate });
  }
  return {
    targetSchemas: [...targetSchemas, ...added],
    schemaDocuments: {
      ...schemaDocuments,
      [rackSchema.path]: rackSchema.schema,
      [fleetSchema.path]: fleetSchema.schema,
    },
  };
}
