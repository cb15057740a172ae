import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format } from 'prettier';
import { outputs } from './outputs.ts';
import { repositoryPath } from './schema.ts';

/** Folders that hold nothing but generated files, so that what is no longer made there is removed. */
const generatedFolders = ['schemas/generated/types', 'schemas/generated/validate', 'deploy/crds'];

async function main(check: boolean): Promise<number> {
  const made = await outputs(async (path, text) => format(text, { filepath: path, ...prettierOptions() }));
  const differing = [...made].filter(([path, text]) => current(path) !== text).map(([path]) => path);
  const left = generatedFolders.flatMap((folder) => filesIn(folder)).filter((path) => !made.has(path));
  const stale = [...differing, ...left].sort();
  if (check) {
    for (const path of stale)
      process.stderr.write(`${path} is not what the schemas say; run npm run generate\n`);
    return stale.length === 0 ? 0 : 1;
  }
  for (const path of differing) {
    const file = repositoryPath(path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, made.get(path) ?? '');
    process.stdout.write(`wrote ${path}\n`);
  }
  for (const path of left) {
    rmSync(repositoryPath(path));
    process.stdout.write(`removed ${path}\n`);
  }
  return 0;
}

function prettierOptions(): Record<string, unknown> {
  return JSON.parse(readFileSync(repositoryPath('.prettierrc.json'), 'utf8')) as Record<string, unknown>;
}

function current(path: string): string | undefined {
  const file = repositoryPath(path);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function filesIn(folder: string): string[] {
  const absolute = repositoryPath(folder);
  return existsSync(absolute) ? readdirSync(absolute).map((name) => join(folder, name)) : [];
}

process.exitCode = await main(process.argv.includes('--check'));
