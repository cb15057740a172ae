import {
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { HostError } from '../host.ts';
import type { Entry, FileChange, Host } from '../host.ts';

const REASONS: Record<string, string> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is no folder',
  ELOOP: 'its links form a loop',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left',
};

function refuse(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  if (code === undefined) throw error;
  throw new HostError(REASONS[code] ?? code);
}

/** Runs it; what the machine refuses becomes a `HostError`. */
export function attempt<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    return refuse(error);
  }
}

function slashes(path: string): string {
  return sep === '/' ? path : path.split(sep).join('/');
}

function inspect(path: string): Omit<Entry, 'name'> | undefined {
  try {
    const found = statSync(path);
    const kind = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
    return { kind, real: slashes(realpathSync(path)) };
  } catch {
    return undefined;
  }
}

function list(path: string): Entry[] {
  const real = slashes(realpathSync(path));
  return readdirSync(path, { withFileTypes: true }).map((entry): Entry => {
    if (entry.isSymbolicLink()) {
      const target = inspect(join(path, entry.name));
      return { name: entry.name, ...(target ?? { kind: 'dangling', real: `${real}/${entry.name}` }) };
    }
    const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other';
    return { name: entry.name, kind, real: `${real === '/' ? '' : real}/${entry.name}` };
  });
}

/**
 * A signal that comes while files are written waits until all of them are in place: with a listener Node tells it when
 * the (synchronous) writing is over, so no temporary file is left, and no half of a plan.
 */
function deferSignals(): void {
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ] as const) {
    const leave = (): never => process.exit(128 + number);
    // Somebody who listens already has the same effect, and clean-up of their own.
    if (process.listenerCount(signal) > 0) continue;
    process.once(signal, leave);
    // Between two rounds of immediates signals are told, so one that came meanwhile is not lost.
    setImmediate(() => setImmediate(() => process.off(signal, leave)));
  }
}

const LEFTOVER = /\.kruise-([0-9]+)$/;

/** Removes what a process that was killed in the middle of its writing has left. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = Number(LEFTOVER.exec(name)?.[1]);
    if (Number.isInteger(pid) && pid > 0 && !isAlive(pid)) rmSync(join(folder, name), { force: true });
  }
}

/** Whether there is a process of that id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

function write(files: readonly FileChange[]): void {
  const ready: { from: string; to: string }[] = [];
  const swept = new Set<string>();
  deferSignals();
  try {
    for (const { path, text } of files) {
      if (text === undefined) continue;
      const folder = dirname(path);
      mkdirSync(folder, { recursive: true });
      if (!swept.has(folder)) sweep(folder);
      swept.add(folder);
      const from = `${path}.kruise-${process.pid}`;
      ready.push({ from, to: path });
      writeFileSync(from, text);
    }
  } catch (error) {
    for (const { from } of ready) rmSync(from, { force: true });
    refuse(error);
  }
  attempt(() => {
    for (const { from, to } of ready) renameSync(from, to);
    for (const { path, text } of files) if (text === undefined) rmSync(path, { force: true });
  });
}

/** Of those who have to end in order, when nobody reads what they say. */
const endings = new Set<() => void>();
let lost: 1 | 141 | undefined;

/** Calls the listener when the output is lost, instead of ending the process; what is returned takes it away. */
export function onOutputLost(listener: () => void): () => void {
  endings.add(listener);
  return () => void endings.delete(listener);
}

/** The exit code of a command: once its output was lost, that is what the process ends with. */
export function codeOf(code: number): number {
  return lost ?? code;
}

/**
 * A reader that went away ends the program as SIGPIPE would; a full disk is worth a line. Neither is our mistake, and who
 * has something to hand back or to put away does so first.
 */
export function guardOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: Error & { code?: string }) => {
      const isFirst = lost === undefined;
      lost ??= error.code === 'EPIPE' ? 141 : 1;
      if (isFirst && lost === 1 && stream === process.stdout) {
        const reason = REASONS[error.code ?? ''] ?? error.code ?? error.message;
        process.stderr.write(`kruise: the output cannot be written: ${reason}\n`);
      }
      if (endings.size === 0) process.exit(lost);
      for (const end of endings) end();
    });
  }
}

/** The machine the process runs on. */
export function nodeHost(): Host {
  return {
    cwd: slashes(process.cwd()),
    env: process.env,
    stdoutIsTTY: process.stdout.isTTY === true,
    screen() {
      const { isTTY, columns, rows } = process.stdout;
      return isTTY === true ? { columns: columns || 80, rows: rows || 24 } : undefined;
    },
    readFile: (path) => attempt(() => readFileSync(path)),
    list: (path) => attempt(() => list(path)),
    inspect,
    write,
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
  };
}
