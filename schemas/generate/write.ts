import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryPath } from './schema.ts';

/** Generated files by repository path, and the folders that contain only such files. */
export interface Generated {
  made: ReadonlyMap<string, string>;
  folders: readonly string[];
}

/** Writes changed files and removes obsolete ones; with `check` it only prints them. Returns their number. */
export function bringUpToDate({ made, folders }: Generated, check: boolean): number {
  const differing = [...made].filter(([path, text]) => current(path) !== text).map(([path]) => path);
  const left = folders.flatMap((folder) => filesIn(folder)).filter((path) => !made.has(path));
  const stale = [...differing, ...left].sort();
  if (check) {
    for (const path of stale)
      process.stderr.write(`${path} is not as it is generated; run npm run generate\n`);
    return stale.length;
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
  return stale.length;
}

function current(path: string): string | undefined {
  const file = repositoryPath(path);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function filesIn(folder: string): string[] {
  const absolute = repositoryPath(folder);
  return existsSync(absolute) ? readdirSync(absolute).map((name) => join(folder, name)) : [];
}
