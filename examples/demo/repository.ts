import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A git repository in its own folder, independent of the user's git configuration. */
export interface Repository {
  /** The working tree. */
  folder: string;
  /** A checkout of HEAD: the base state for `kruise plan`. Empty before the first commit. */
  base: string;
  /** Replaces all manifests; plans are kept. */
  write(files: Readonly<Record<string, string>>): void;
  /** Commits all changes. */
  commit(message: string): void;
  log(): string;
}

/** Throws if git is not installed. */
export function createRepository(folder: string): Repository {
  const tree = join(folder, 'shop');
  const base = join(folder, 'base');
  mkdirSync(tree, { recursive: true });
  mkdirSync(base, { recursive: true });
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: tree,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_AUTHOR_NAME: 'Demo',
        GIT_AUTHOR_EMAIL: 'demo@example.com',
        GIT_COMMITTER_NAME: 'Demo',
        GIT_COMMITTER_EMAIL: 'demo@example.com',
      },
    });
  git('init', '--quiet', '--initial-branch=main');
  return {
    folder: tree,
    base,
    write(files) {
      rmSync(join(tree, 'manifests'), { recursive: true, force: true });
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(tree, path)), { recursive: true });
        writeFileSync(join(tree, path), text);
      }
    },
    commit(message) {
      git('add', '--all');
      git('commit', '--quiet', '--message', message);
      rmSync(base, { recursive: true, force: true });
      cpSync(tree, base, { recursive: true, filter: (path) => !path.endsWith(`${join('shop', '.git')}`) });
    },
    log: () => git('log', '--format=%s', '--reverse', '--stat=72'),
  };
}
