import { generatedBySchemas } from '../../schemas/generate/outputs.ts';
import { bringUpToDate } from '../../schemas/generate/write.ts';

/** Generates all files: first those from the schemas, which the rules depend on, then those from both. */
async function main(check: boolean): Promise<number> {
  const schemas = bringUpToDate(await generatedBySchemas(), check);
  if (check && schemas > 0) return 1;
  const { crds } = await import('../../schemas/generated/crds.ts');
  const { kinds } = await import('../../semantics/registry/registry.ts');
  const { deployOutputs } = await import('./outputs.ts');
  const { chartOutputs } = await import('./chart.ts');
  const manifests = deployOutputs(kinds, crds);
  const made = new Map([...manifests, ...chartOutputs(manifests)]);
  const differing = bringUpToDate({ made, folders: ['deploy/chart/templates'] }, check);
  return check && differing > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.includes('--check'));
