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

function attempt<T>(run: () => T): T {
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

function write(files: readonly FileChange[]): void {
  const ready: { from: string; to: string }[] = [];
  try {
    for (const { path, text } of files) {
      if (text === undefined) continue;
      mkdirSync(dirname(path), { recursive: true });
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

/** The machine the process runs on. */
export function nodeHost(): Host {
  return {
    cwd: slashes(process.cwd()),
    env: process.env,
    stdoutIsTTY: process.stdout.isTTY === true,
    readFile: (path) => attempt(() => readFileSync(path)),
    list: (path) => attempt(() => list(path)),
    inspect,
    write,
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
  };
}
