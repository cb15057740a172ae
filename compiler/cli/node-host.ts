import { readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Entry, Host } from '../host.ts';
import { forScreen } from '../text/escape.ts';
import { writeOutputs } from './output-files.ts';
import { attempt, reasonOf } from './refused.ts';

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
        const reason = error.code === undefined ? error.message : reasonOf(error.code);
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
    write: (files, inside) => attempt(() => writeOutputs(files, inside)),
    stdout: (text) => void process.stdout.write(forScreen(text)),
    stderr: (text) => void process.stderr.write(forScreen(text)),
    draw: (text) => void process.stdout.write(text),
  };
}
