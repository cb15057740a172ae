import { readdirSync } from 'node:fs';
import { changedFiles, seedOfRun } from './commit-seed.ts';
import { PACKAGE_TESTS } from './drawn-files.ts';

/**
 * Says what the samples of a run are drawn by, which kinds changed, and how many files `npm test` leaves to the full lane.
 */
export function setup(): void {
  const seed = (process.env['KRUISE_TEST_SEED'] ??= String(seedOfRun()));
  const kinds = (process.env['KRUISE_TEST_KINDS'] ??= changedKinds()?.join(','));
  process.stdout.write(
    `Long lists are sampled: KRUISE_TEST_SEED=${seed} draws the same cases, KRUISE_TEST=full more, KRUISE_TEST=all plays all.\n` +
      `Kinds of which the full lane plays more worlds (KRUISE_TEST_KINDS): ${
        kinds === undefined ? 'none, as git does not say what changed' : kinds || 'none, as no kind changed'
      }.\n`,
  );
  const leftOut = (process.env['KRUISE_TEST_LEFT_OUT'] ?? '').split('\n').filter(Boolean);
  if (leftOut.length === 0) return;
  const ofPackage = leftOut.filter((file) => file.startsWith(PACKAGE_TESTS)).length;
  process.stdout.write(`Test files left to \`npm run test:full\`: ${leftOut.length - ofPackage}.\n`);
  if (ofPackage > 0)
    process.stdout.write(`Test files of the sandbox left to \`npm test -w sandbox\`: ${ofPackage}.\n`);
}

/** The kinds with changed rules, schema or worlds. Undefined: git does not say what changed. */
function changedKinds(): string[] | undefined {
  const paths = changedFiles();
  if (paths === undefined) return undefined;
  const folders = /^(?:semantics|schemas\/kruise|test\/conformance)\/([a-z-]+)[./]/;
  const changed = new Set(paths.map((path) => folders.exec(path)?.[1]?.replaceAll('-', '')));
  return readdirSync(new URL('conformance/', import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name.replaceAll('-', ''))
    .filter((kind) => changed.has(kind));
}
