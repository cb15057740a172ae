import { readdirSync } from 'node:fs';
import { git, seedOfRun } from './commit-seed.ts';

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
  process.stdout.write(`Costly test files left to \`npm run test:full\`: ${leftOut.length}.\n`);
}

/**
 * The kinds with changed rules, schema or worlds, since `KRUISE_TEST_BASE`, or since the branch left main, or on main since the
 * commit before. Undefined: git does not know, as in a clone of one commit.
 */
function changedKinds(): string[] | undefined {
  const fork = git('merge-base', 'HEAD', 'origin/main') ?? git('merge-base', 'HEAD', 'main');
  const isMain = fork === undefined || fork === git('rev-parse', 'HEAD');
  const base = process.env['KRUISE_TEST_BASE'] ?? (isMain ? 'HEAD^' : fork);
  const paths = git('diff', '--name-only', base)?.split('\n');
  if (paths === undefined) return undefined;
  const folders = /^(?:semantics|schemas\/kruise|test\/conformance)\/([a-z-]+)[./]/;
  const changed = new Set(paths.map((path) => folders.exec(path)?.[1]?.replaceAll('-', '')));
  return readdirSync(new URL('conformance/', import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name.replaceAll('-', ''))
    .filter((kind) => changed.has(kind));
}
