import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Prints the test files that play a sample of something in `npm test`: those that import `lanes.ts`, by whatever way. */
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
const files = [...reached].filter((path) => path.endsWith('.test.ts')).sort();
process.stdout.write(`${files.map((path) => `test/${path}`).join('\n')}\n`);
