import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { main } from '../../../cli/dispatch.ts';
import type { Host } from '../../../cli/host.ts';
import { runGit } from '../../../cli/machine/git-program.ts';
import { nodeHost } from '../../../cli/machine/node-host.ts';

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** What a run of `kruise` printed, and its exit code. */
export interface Ran {
  code: number;
  out: string;
  err: string;
  /** The commands of git that it ran, such as `rev-parse`. */
  gits: string[];
}

/** A clone of a repository in a folder of its own, removed after the tests of the file. */
export interface Clone {
  folder: string;
  git(...args: readonly string[]): string;
  /** Writes files relative to the folder; `undefined` removes one. */
  write(files: Readonly<Record<string, string | undefined>>): void;
  read(path: string): string;
  /** Commits the whole working tree. */
  commit(message: string, files?: Readonly<Record<string, string | undefined>>): string;
  /** Runs `kruise` in the folder or one below it, with `input` on its standard input. */
  kruise(
    words: readonly string[],
    at?: string,
    env?: Readonly<Record<string, string>>,
    input?: string,
  ): Promise<Ran>;
}

/** A new folder for a test. */
export function emptyFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kruise-git-')));
  made.push(folder);
  return folder;
}

const identity = { name: 'mona', email: 'mona@example.com', date: '2026-01-01T00:00:00Z' };
const env = {
  PATH: process.env['PATH'],
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: identity.name,
  GIT_AUTHOR_EMAIL: identity.email,
  GIT_AUTHOR_DATE: identity.date,
  GIT_COMMITTER_NAME: identity.name,
  GIT_COMMITTER_EMAIL: identity.email,
  GIT_COMMITTER_DATE: identity.date,
};

/** A new repository with a first commit on `main`. */
export function repositoryWith(files: Readonly<Record<string, string>>): Clone {
  const clone = cloneIn(emptyFolder());
  clone.git('init', '--quiet', '--initial-branch=main');
  clone.commit('first', files);
  return clone;
}

/** A clone of another repository; `options` are those of `git clone`. */
export function cloneOf({ folder }: Clone, ...options: readonly string[]): Clone {
  const clone = cloneIn(emptyFolder());
  clone.git('clone', '--quiet', ...options, `file://${folder}`, '.');
  return clone;
}

export function cloneIn(folder: string): Clone {
  function git(...args: readonly string[]): string {
    return execFileSync('git', args, {
      cwd: folder,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
  function write(files: Readonly<Record<string, string | undefined>>): void {
    for (const [path, text] of Object.entries(files)) {
      const at = join(folder, path);
      mkdirSync(dirname(at), { recursive: true });
      if (text === undefined) rmSync(at);
      else writeFileSync(at, text);
    }
  }
  return {
    folder,
    git,
    write,
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    commit(message, files = {}) {
      write(files);
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD').trim();
    },
    async kruise(words, at = '.', own = {}, input = '') {
      const ran = { out: '', err: '', gits: new Array<string>() };
      const node = nodeHost();
      const host: Host = {
        ...node,
        readStream: (path, most) =>
          path === undefined ? Buffer.from(input) : (node.readStream?.(path, most) ?? Buffer.of()),
        cwd: join(folder, at).replace(/\/$/, ''),
        env: own,
        git(...run: Parameters<typeof runGit>) {
          ran.gits.push(run[1][0] ?? '');
          return runGit(...run);
        },
        stdoutIsTTY: false,
        stdout: (text: string) => void (ran.out += text),
        stderr: (text: string) => void (ran.err += text),
      };
      const code = await main(host, words);
      return { code, ...ran };
    },
  };
}
