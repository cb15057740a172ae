import { generatedBySchemas } from '../../schemas/generate/outputs.ts';
import { bringUpToDate } from '../../schemas/generate/write.ts';

/** Generates all files: first those from the schemas, which the rules depend on, then those from both. */
async function main(check: boolean): Promise<number> {
  const schemas = bringUpToDate(await generatedBySchemas(), check);
  if (check && schemas > 0) return 1;
  const { crds } = await import('../../schemas/generated/crds.ts');
  const { kinds } = await import('../../semantics/registry/registry.ts');
  const { deployOutputs } = await import('./outputs.ts');
  const stale = bringUpToDate({ made: deployOutputs(kinds, crds), folders: [] }, check);
  return check && stale > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.includes('--check'));
