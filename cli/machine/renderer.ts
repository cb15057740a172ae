import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { HostError } from '../../compiler/host.ts';
import type { Renderer, TreeFile } from '../host.ts';
import { attempt, systemCode } from './refused.ts';

const PRIVATE = 0o700;
const MODES = { file: 0o600, program: 0o700 } as const;

/** Runs commands of kruise.yaml in folders, and writes states of git into temporary ones. */
export function nodeRenderer(): Renderer {
  return {
    unpack(files) {
      const folder = attempt(() => mkdtempSync(join(realpathSync(tmpdir()), 'kruise-render-')));
      const release = removeAtEnd(folder);
      const remove = (): void => {
        rmSync(folder, { recursive: true, force: true });
        release();
      };
      try {
        attempt(() => unpackInto(folder, files));
      } catch (error) {
        remove();
        throw error;
      }
      return { folder, remove };
    },
    run(folder, [program = '', ...args], { timeoutMs, mostBytes }) {
      const { error, signal, status, stdout, stderr } = spawnSync(program, args, {
        cwd: folder,
        env: { ...withoutGit(process.env), LC_ALL: 'C', TZ: 'UTC' },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: mostBytes,
        windowsHide: true,
      });
      const code = error === undefined ? undefined : systemCode(error);
      const text = stderr?.toString('utf8') ?? '';
      if (code === 'ENOENT' || code === 'EACCES')
        return { end: 'not found', stdout: new Uint8Array(), stderr: '' };
      if (code === 'ETIMEDOUT') return { end: 'timeout', stdout, stderr: text };
      if (code === 'ENOBUFS') return { end: 'too much', stdout, stderr: text };
      if (error !== undefined) throw new HostError(error.message);
      return { end: status ?? signal ?? 'a signal', stdout, stderr: text };
    },
  };
}

/**
 * Has a folder removed when this process ends, however that is: a signal, such as of Ctrl-C, ends it while it waits for a
 * command, without a chance to clean up. The program waits for the end of its input, in a session that gets no signal of the
 * terminal. Returns a function that ends it.
 */
function removeAtEnd(folder: string): () => void {
  const watch = spawn('sh', ['-c', 'cat > /dev/null; rm -rf -- "$1"', 'sh', folder], {
    cwd: '/',
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    windowsHide: true,
  });
  // Without such a program, only a signal leaves the folder behind.
  watch.on('error', () => undefined);
  watch.stdin.on('error', () => undefined);
  watch.unref();
  return () => void watch.stdin.destroy();
}

/** A command must not read the repository from which, for instance, a hook has started this program. */
function withoutGit(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_')));
}

/**
 * Links come last, after all folders, so that neither a file nor another link is written through one: a tree that is made by
 * hand may have a link and a folder of one name.
 */
function unpackInto(folder: string, files: Iterable<TreeFile>): void {
  const links: TreeFile[] = [];
  for (const file of files) {
    if (file.kind === 'link') {
      links.push(file);
      continue;
    }
    const path = pathIn(folder, file.path);
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE });
    writeFileSync(path, file.bytes, { flag: 'wx', mode: MODES[file.kind] });
  }
  const places = links.map(({ path, bytes }) => [pathIn(folder, path), bytes] as const);
  for (const [at] of places) mkdirSync(dirname(at), { recursive: true, mode: PRIVATE });
  for (const [at, bytes] of places) symlinkSync(Buffer.from(bytes).toString('utf8'), at);
}

/** A tree of git may be made by hand, with names that lead elsewhere. */
function pathIn(folder: string, path: string): string {
  const names = path.split(/[/\\]/);
  if (names.some((name) => ['', '.', '..', '.git'].includes(name.toLowerCase())))
    throw new HostError(`the repository has a file of the name ${path}`);
  return join(folder, ...names);
}
