import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

/**
 * Chooses what the samples of a run are drawn by, unless the environment names it, and says which: a number that hangs on the
 * commit, so that a run can be repeated, and the runs of many commits play everything. And finds the kinds that changed.
 */
export function setup(): void {
  const seed = (process.env['KRUISE_TEST_SEED'] ??= String(seedOfCommit()));
  const kinds = (process.env['KRUISE_TEST_KINDS'] ??= changedKinds()?.join(','));
  process.stdout.write(
    `Long lists are sampled: KRUISE_TEST_SEED=${seed} draws the same cases, KRUISE_TEST=full more, KRUISE_TEST=all plays all.\n` +
      `Kinds of which the full lane plays more worlds (KRUISE_TEST_KINDS): ${
        kinds === undefined ? 'none, as git does not say what changed' : kinds || 'none, as no kind changed'
      }.\n`,
  );
}

function seedOfCommit(): number {
  const commit = git('rev-parse', 'HEAD');
  return (commit === undefined ? Date.now() : parseInt(commit.slice(0, 12), 16)) % 1_000_000;
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

/** What git prints, or undefined if it fails. */
function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
