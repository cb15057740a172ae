import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changedFiles, seedOfRun } from './commit-seed.ts';
import { importersOf, onServers } from './importers.ts';
import { costlyOf, leftOut, leftToPackage, PACKAGE_TESTS } from './drawn-files.ts';

/**
 * Prints the test files that the full lane plays: those of which `npm test` plays a sample, as they import `lanes.ts` by whatever
 * way, and those that are costly. With the word `left-out`, the costly ones that `npm test` leaves to it, and those of the sandbox
 * if nothing of it changed. With the word `other-lanes`, what CI plays in other lanes: those of the full lane and of the sandbox.
 * With the word `another-server`, those that run against the server that KRUISE_E2E_KUBECONFIG names.
 */
const root = dirname(fileURLToPath(import.meta.url));
const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'));
const texts = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));

const files = paths.filter((path) => path.endsWith('.test.ts')).map((path) => `test/${path}`);
const ofPackage = readdirSync(join(root, '..', PACKAGE_TESTS), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => `${PACKAGE_TESTS}${path.replaceAll('\\', '/')}`);
const all = [...files, ...ofPackage].sort();
const among = (reaching: ReadonlySet<string>): string[] =>
  files.filter((file) => reaching.has(file.slice('test/'.length)));
const sampling = among(importersOf(texts, ['lanes.ts']));
const full = [...sampling, ...costlyOf(files)];
const lists: Readonly<Record<string, () => readonly string[]>> = {
  'left-out': () => [...leftOut(all, seedOfRun()), ...leftToPackage(all, changedFiles())],
  'other-lanes': () => [...full, ...ofPackage],
  'another-server': () => among(onServers(texts)),
};
const wanted = lists[process.argv[2] ?? '']?.() ?? full;
process.stdout.write(`${[...new Set(wanted)].sort().join('\n')}\n`);
