import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { HostError } from '../../compiler/host.ts';
import { systemCode } from './refused.ts';

/**
 * The one place where files are written. A repository is somebody else's work: a link in it may bear any name that can be
 * guessed, and stand in the place of any folder. So a file is written under a name that nobody can guess, in a file that
 * did not exist before, and gets its own name only when its folder is still the one that it was written into.
 */

/** Windows has no such flag; there `O_EXCL` alone refuses a link. */
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const FRESH = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NOFOLLOW;
const APPENDED = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | NOFOLLOW;

/** For the owner alone. */
export const PRIVATE = 0o600;
/** For whomever the umask allows. */
export const PUBLIC = 0o666;

/** A file that is on the disk under a name of its own, and not yet in its place. */
export interface Draft {
  /** Refuses when its folder is another one by now, or lies outside of where it may be written. */
  check(): void;
  /** Moves it to its place; what stands there is replaced, a link itself and not what it leads to. */
  publish(): void;
  /** The same where nothing stands; false where something does. */
  publishNew(): boolean;
  /** Removes it, unless it is in its place. */
  discard(): void;
}

export interface DraftOptions {
  mode: number;
  /** The real path of a folder that it must be written in. */
  inside?: string;
  /** The content is on the disk when this returns, and the name when `publish` returns. */
  durable?: boolean;
}

/** Writes a file that is then published, or discarded. Throws the errors of the system, and a `HostError`; nothing is left then. */
export function draft(path: string, parts: Iterable<string>, options: DraftOptions): Draft {
  const { mode, inside, durable = false } = options;
  const name = basename(path);
  const folder = realpathSync(dirname(path));
  const to = join(folder, name);
  const from = `${to}.kruise-${process.pid}-${randomBytes(12).toString('hex')}`;

  function check(): void {
    if (realpathSync(dirname(path)) !== folder) throw new HostError('its folder is another one by now');
    refuseOutside(folder, inside);
  }

  refuseOutside(folder, inside);
  removeLeftovers(folder, name);
  let isThere = false;
  function discard(): void {
    if (isThere) rmSync(from, { force: true });
    isThere = false;
  }
  const file = openSync(from, FRESH, mode);
  isThere = true;
  try {
    for (const piece of inPieces(parts)) writeAll(file, piece);
    if (durable) fsyncSync(file);
  } catch (error) {
    discard();
    throw error;
  } finally {
    closeSync(file);
  }
  return {
    check,
    publish() {
      check();
      renameSync(from, to);
      isThere = false;
      if (durable) syncFolder(folder);
    },
    publishNew() {
      check();
      try {
        linkSync(from, to);
        return true;
      } catch (error) {
        if (systemCode(error) === 'EEXIST') return false;
        throw error;
      } finally {
        discard();
      }
    },
    discard,
  };
}

/** Opens a private file for adding to it. Refuses a link. */
export function openAppended(path: string): number {
  return openSync(path, APPENDED, PRIVATE);
}

/** Removes the file or link at a path; nothing where there is none. `inside` as for a draft. */
export function removeFile(path: string, inside: string): void {
  const folder = nearestFolder(dirname(path));
  refuseOutside(folder.real, inside);
  if (folder.missing.length === 0) rmSync(join(folder.real, basename(path)), { force: true });
}

/** The part of a path that is there, every link resolved, and the names below it that are not. */
export function nearestFolder(path: string): { real: string; missing: string[] } {
  const missing: string[] = [];
  for (let here = path; ; here = dirname(here)) {
    try {
      return { real: realpathSync(here), missing };
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || dirname(here) === here) throw error;
      if (lstatSync(here, { throwIfNoEntry: false }) !== undefined)
        throw new HostError('a link in its path leads nowhere');
      missing.unshift(basename(here));
    }
  }
}

/** Refuses a folder, its links resolved, that lies outside of another. */
export function refuseOutside(folder: string, inside: string | undefined): void {
  if (inside === undefined) return;
  const way = relative(inside, folder);
  if (way === '..' || way.startsWith(`..${sep}`) || way.startsWith(sep))
    throw new HostError('a link in its path leads out of the folder that may be written to');
}

/** Adds all of it at the end, or throws. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

/** A state has many short lines: they are written some at a time. */
function* inPieces(parts: Iterable<string>): Iterable<Uint8Array> {
  const SIZE = 1 << 20;
  let piece: string[] = [];
  let length = 0;
  for (const part of parts) {
    piece.push(part);
    length += part.length;
    if (length < SIZE) continue;
    yield Buffer.from(piece.join(''));
    piece = [];
    length = 0;
  }
  yield Buffer.from(piece.join(''));
}

/** No draft that is being written stays unchanged for so long. */
const LEFT_AFTER_MS = 3_600_000;

/**
 * Removes what a process that was killed in the middle of writing this file has left. On a volume that containers share, the
 * id may be that of a process of another one, which cannot be seen here: only an old draft is taken for left.
 */
function removeLeftovers(folder: string, name: string): void {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    // A folder may be written to and not listed.
    return;
  }
  for (const each of names) {
    if (!each.startsWith(`${name}.kruise-`)) continue;
    const pid = Number(/^([0-9]{1,10})-[0-9a-f]{24}$/.exec(each.slice(name.length + '.kruise-'.length))?.[1]);
    if (!Number.isInteger(pid) || isAlive(pid)) continue;
    const left = join(folder, each);
    const changedAt = lstatSync(left, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (Date.now() - changedAt > LEFT_AFTER_MS) rmSync(left, { force: true });
  }
}

/** Whether there is a process of that id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}

/** Makes a rename last through a loss of power, where the system lets a folder be opened. */
function syncFolder(path: string): void {
  let folder: number | undefined;
  try {
    folder = openSync(path, 'r');
    fsyncSync(folder);
  } catch {
    // Not every system knows this; the rename itself was done.
  } finally {
    if (folder !== undefined) closeSync(folder);
  }
}
