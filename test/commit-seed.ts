import { execFileSync } from 'node:child_process';

/**
 * What a run's samples are drawn by, below a million: `KRUISE_TEST_SEED`, or a number that hangs on the commit, so that a run
 * can be repeated, and the runs of many commits play everything.
 */
export function seedOfRun(): number {
  const named = process.env['KRUISE_TEST_SEED'];
  if (named !== undefined) return Number(named);
  const commit = git('rev-parse', 'HEAD');
  return (commit === undefined ? Date.now() : parseInt(commit.slice(0, 12), 16)) % 1_000_000;
}

/**
 * The files that changed since `KRUISE_TEST_BASE`, or since the branch left main, or on main since the commit before.
 * Undefined: git does not know, as in a clone of one commit.
 */
export function changedFiles(): string[] | undefined {
  const fork = git('merge-base', 'HEAD', 'origin/main') ?? git('merge-base', 'HEAD', 'main');
  const isMain = fork === undefined || fork === git('rev-parse', 'HEAD');
  const base = process.env['KRUISE_TEST_BASE'] ?? (isMain ? 'HEAD^' : fork);
  return git('diff', '--name-only', base)?.split('\n');
}

/** What git prints, or undefined if it fails. */
export function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
