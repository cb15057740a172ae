import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  opendirSync,
  readFileSync,
  readSync,
  readdirSync,
  realpathSync,
  statSync,
} from 'node:fs';
import type { Dirent } from 'node:fs';
import { join, sep } from 'node:path';
import { HostError, TooMuch } from '../../compiler/host.ts';
import type { Entry } from '../../compiler/host.ts';
import type { Host } from '../host.ts';
import { forScreen } from '../../compiler/text/escape.ts';
import { confirmAt } from './confirm.ts';
import { writeOutputs } from './output-files.ts';
import { runGit } from './git-program.ts';
import { createProgressLine } from './progress-line.ts';
import { hasProgram } from './programs.ts';
import { attempt } from './refused.ts';
import { nodeRenderer } from './renderer.ts';
import { readStream } from './stream.ts';

function slashes(path: string): string {
  return sep === '/' ? path : path.split(sep).join('/');
}

function inspect(path: string): Omit<Entry, 'name'> | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    const kind = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
    return { kind, real: slashes(realpathSync.native(path)) };
  } catch {
    return undefined;
  }
}

/**
 * Reads a regular file of at most `most` bytes. Does not block on a pipe, checks the file that was opened, not its path,
 * and stops at the limit even if the file grows.
 */
function readBounded(path: string, most: number): Uint8Array {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(file);
    if (found.isDirectory()) throw new HostError('it is a folder');
    if (!found.isFile()) throw new HostError('it is not a regular file');
    if (found.size > most) throw new TooMuch(`it is larger than ${most} bytes`);
    const parts: Uint8Array[] = [];
    let length = 0;
    // Reading one byte more than the stated size detects the end of the file, or that it has grown.
    let wanted = found.size + 1;
    for (;;) {
      const part = new Uint8Array(Math.min(wanted, most + 1 - length));
      const count = readSync(file, part);
      if (count === 0) return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
      length += count;
      if (length > most) throw new TooMuch(`it is larger than ${most} bytes`);
      parts.push(part.subarray(0, count));
      // The next read usually only confirms the end, and a run reads thousands of files, so its buffer is small.
      wanted = count < part.length ? PROBE : NEXT_PART;
    }
  } finally {
    closeSync(file);
  }
}

const NEXT_PART = 65_536;
const PROBE = 64;

/** A directory of this size, in bytes, has at most a few thousand entries on common file systems. */
const SMALL_FOLDER = 65_536;

function entriesIn(path: string, most: number): Dirent[] {
  const { size } = statSync(path);
  if (size > 0 && size <= SMALL_FOLDER) {
    // Much faster than reading entry by entry.
    const entries = readdirSync(path, { withFileTypes: true });
    if (entries.length > most) throw tooMany(most);
    return entries;
  }
  const folder = opendirSync(path, { bufferSize: 1024 });
  try {
    const entries: Dirent[] = [];
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (entries.length === most) throw tooMany(most);
      entries.push(entry);
    }
    return entries;
  } finally {
    folder.closeSync();
  }
}

function tooMany(most: number): TooMuch {
  return new TooMuch(`it has more than ${most} entries`);
}

function list(path: string, most?: number, real: string = slashes(realpathSync.native(path))): Entry[] {
  const entries = most === undefined ? readdirSync(path, { withFileTypes: true }) : entriesIn(path, most);
  return entries.map((entry): Entry => {
    if (entry.isSymbolicLink()) {
      const target = inspect(join(path, entry.name));
      return { name: entry.name, ...(target ?? { kind: 'dangling', real: `${real}/${entry.name}` }) };
    }
    const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other';
    return { name: entry.name, kind, real: `${real === '/' ? '' : real}/${entry.name}` };
  });
}

/** Asks on standard error, because standard output may be redirected. */
function confirm(question: string): Promise<boolean> {
  return confirmAt({ input: process.stdin, output: process.stderr }, question);
}

/** The machine on which the process runs. */
export function nodeHost(): Host {
  const { stderr } = process;
  const line = createProgressLine({
    write: (text) => void stderr.write(text),
    columns: () => stderr.columns || 0,
    elapsed: () => performance.now(),
  });
  return {
    cwd: slashes(process.cwd()),
    env: process.env,
    stdoutIsTTY: process.stdout.isTTY === true,
    screen() {
      const { isTTY, columns, rows } = process.stdout;
      return isTTY === true ? { columns: columns || 80, rows: rows || 24 } : undefined;
    },
    readFile: (path, most) =>
      attempt(() => (most === undefined ? readFileSync(path) : readBounded(path, most))),
    list: (path, most, real) => attempt(() => list(path, most, real)),
    inspect,
    write: (files, inside) => attempt(() => writeOutputs(files, inside)),
    stdout(text) {
      line.clear();
      process.stdout.write(forScreen(text));
    },
    stderr(text) {
      line.clear();
      stderr.write(forScreen(text));
    },
    ...(stderr.isTTY === true ? { progress: line.show } : {}),
    git: runGit,
    hasProgram,
    renderer: nodeRenderer(),
    readStream: (path, most) => attempt(() => readStream(path, most)),
    draw: (text) => void process.stdout.write(text),
    ...(process.stdin.isTTY === true && process.stderr.isTTY === true ? { confirm } : {}),
  };
}
