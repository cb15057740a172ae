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
  const made = new Map([...manifests, ...chartOutputs(manifests), protectionText(manifests)]);
  const differing = bringUpToDate({ made, folders: ['deploy/chart/templates'] }, check);
  return check && differing > 0 ? 1 : 0;
}

/** The policies that `kruise build` writes, which reads no files of `deploy/`. */
function protectionText(manifests: ReadonlyMap<string, string>): [path: string, text: string] {
  const text = manifests.get('deploy/components/deletion-protection/policy.yaml') ?? '';
  const policies = text.slice(text.indexOf('\n') + 1);
  const header = '// Made from deploy/templates by `npm run generate`; do not edit.';
  const what = '/** The policies of deletion protection with their bindings, as YAML. */';
  return [
    'schemas/generated/deletion-protection.ts',
    `${header}\n\n${what}\nexport const deletionProtection =\n  ${JSON.stringify(policies)};\n`,
  ];
}

process.exitCode = await main(process.argv.includes('--check'));
