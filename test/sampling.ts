import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changedFiles, seedOfRun } from './commit-seed.ts';
import { costlyOf, leftOut, leftToPackage, PACKAGE_TESTS } from './drawn-files.ts';

/**
 * Prints the test files that the full lane plays: those of which `npm test` plays a sample, as they import `lanes.ts` by whatever
 * way, and those that are costly. With the word `left-out`, the costly ones that `npm test` leaves to it, and those of the sandbox
 * if nothing of it changed. With the word `other-lanes`, what CI plays in other lanes: those of the full lane and of the sandbox.
 */
const root = dirname(fileURLToPath(import.meta.url));
const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'));

const importers = new Map<string, string[]>();
for (const path of paths) {
  for (const [, from = ''] of readFileSync(join(root, path), 'utf8').matchAll(/ from '(\.[^']+)'/g)) {
    const imported = posix.join(posix.dirname(path), from);
    importers.set(imported, [...(importers.get(imported) ?? []), path]);
  }
}

const reached = new Set(['lanes.ts']);
// A set is walked through in the order of its growth.
for (const path of reached) for (const importer of importers.get(path) ?? []) reached.add(importer);
const files = paths.filter((path) => path.endsWith('.test.ts')).map((path) => `test/${path}`);
const ofPackage = readdirSync(join(root, '..', PACKAGE_TESTS), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => `${PACKAGE_TESTS}${path.replaceAll('\\', '/')}`);
const all = [...files, ...ofPackage].sort();
const sampling = files.filter((file) => reached.has(file.slice('test/'.length)));
const full = [...sampling, ...costlyOf(files)];
const lists: Readonly<Record<string, () => readonly string[]>> = {
  'left-out': () => [...leftOut(all, seedOfRun()), ...leftToPackage(all, changedFiles())],
  'other-lanes': () => [...full, ...ofPackage],
};
const wanted = lists[process.argv[2] ?? '']?.() ?? full;
process.stdout.write(`${[...new Set(wanted)].sort().join('\n')}\n`);
