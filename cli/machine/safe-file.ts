import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { HostError } from '../../compiler/host.ts';
import { systemCode } from './refused.ts';

/**
 * Writes files safely. A repository may contain hostile links: at any predictable name, and in place of any folder. So a
 * file is created under an unpredictable name, and renamed only if its folder is still the same.
 */

/** Windows has no such flag; there `O_EXCL` alone refuses a link. */
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const FRESH = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NOFOLLOW;
const APPENDED = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | NOFOLLOW;

/** Readable by the owner only. */
export const PRIVATE = 0o600;
/** Readable as the umask allows. */
export const PUBLIC = 0o666;

/** A file that is on disk under a temporary name. */
export interface Draft {
  /** Throws if another folder is at the path of its folder by now. */
  check(): void;
  /** Renames it to its final name. Replaces what exists; a link itself, not its target. */
  publish(): void;
  /** The same if the path does not exist; else returns false. */
  publishNew(): boolean;
  /** Removes the temporary file, unless it was published. */
  discard(): void;
}

export interface DraftOptions {
  mode: number;
  /** Whether the content is on disk when this returns, and the name when `publish` returns. */
  durable?: boolean;
}

/** A folder that files are written into. Many files of a run share one. */
export interface Folder {
  /** Its path, with links resolved. */
  real: string;
  /** Throws if another folder is at its path by now, or if it is outside of the allowed one. */
  check(): void;
  /** Its entries; none if it cannot be listed. */
  names(): readonly string[];
}

/**
 * The folder at a path.
 *
 * @param inside the real path of the folder in which it must lie; undefined: it may lie anywhere
 * @param isNew this process has just created it, so it has no entries
 */
export function folderAt(path: string, inside?: string, isNew = false): Folder {
  const real = realpathSync.native(path);
  refuseOutside(real, inside);
  let listed: readonly string[] | undefined = isNew ? [] : undefined;
  return {
    real,
    check() {
      if (realpathSync.native(path) !== real) throw new HostError('its folder was replaced');
    },
    names: () => (listed ??= namesIn(real)),
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A folder may be writable but not listable.
    return [];
  }
}

/** Writes a file to be published or discarded. Throws a `HostError` or an error of the system; no file remains then. */
export function draft(
  path: string,
  parts: Iterable<string>,
  { mode, durable = false }: DraftOptions,
  folder: Folder = folderAt(dirname(path)),
): Draft {
  const name = basename(path);
  // Many files are written in a run, and `join` takes longer than their names are worth.
  const to = `${folder.real}${sep}${name}`;
  const from = `${to}.kruise-${process.pid}-${processSpace()}${randomBytes(8).toString('hex')}`;

  removeLeftovers(folder, name);
  let exists = false;
  function discard(): void {
    if (exists) rmSync(from, { force: true });
    exists = false;
  }
  const file = openSync(from, FRESH, mode);
  exists = true;
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
    check: folder.check,
    publish() {
      renameSync(from, to);
      exists = false;
      if (durable) syncFolder(folder.real);
    },
    publishNew() {
      folder.check();
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

/** Opens a private file to append to it. Refuses a link. */
export function openAppended(path: string): number {
  return openSync(path, APPENDED, PRIVATE);
}

/** Removes the file or link at a path, if it exists. `inside` as for a draft. */
export function removeFile(path: string, inside: string): void {
  const folder = nearestFolder(dirname(path));
  refuseOutside(folder.real, inside);
  if (folder.missing.length === 0) rmSync(join(folder.real, basename(path)), { force: true });
}

/** The existing part of a path, with every link resolved, and the names of the missing part. */
export function nearestFolder(path: string): { real: string; missing: string[] } {
  const missing: string[] = [];
  let here = path;
  // The folders of new files are missing. Looking first is faster than an exception for each.
  while (lstatSync(here, { throwIfNoEntry: false }) === undefined && dirname(here) !== here) {
    missing.unshift(basename(here));
    here = dirname(here);
  }
  try {
    return { real: realpathSync.native(here), missing };
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    throw new HostError('a link in its path leads nowhere');
  }
}

/** Throws if a folder, with its links resolved, is outside of another one. */
export function refuseOutside(folder: string, inside: string | undefined): void {
  if (inside === undefined) return;
  const offset = relative(inside, folder);
  if (offset === '..' || offset.startsWith(`..${sep}`) || offset.startsWith(sep))
    throw new HostError('a link in its path leads out of the folder that may be written to');
}

/** Writes all bytes, or throws. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

/** Joins the many short lines of a state to larger writes. */
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

/** A draft that has not changed for this long is no longer being written. */
const STALE_AFTER_MS = 3_600_000;

/**
 * Removes the drafts of this file that a killed process left behind. Containers that share a volume do not see each other's
 * processes, so a missing process ID suffices only for drafts of the same process space; others are removed when they are
 * old.
 */
function removeLeftovers({ real, names }: Folder, name: string): void {
  for (const each of names()) {
    if (!each.startsWith(`${name}.kruise-`)) continue;
    const suffix = each.slice(name.length + '.kruise-'.length);
    const [, id, space] = /^([0-9]{1,10})-([0-9a-f]{8})[0-9a-f]{16}$/.exec(suffix) ?? [];
    if (id === undefined || isAlive(Number(id))) continue;
    const leftover = join(real, each);
    const changedAt = lstatSync(leftover, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (space === processSpace() || Date.now() - changedAt > STALE_AFTER_MS)
      rmSync(leftover, { force: true });
  }
}

let knownSpace: string | undefined;

/** Eight digits that two processes share only if they see each other's process IDs: one start of one machine or container. */
function processSpace(): string {
  knownSpace ??= createHash('sha256').update(spaceText()).digest('hex').slice(0, 8);
  return knownSpace;
}

function spaceText(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8') + readlinkSync('/proc/self/ns/pid');
  } catch {
    // Only Linux has both, and process IDs of containers.
    return `${process.platform} ${hostname()}`;
  }
}

/** Whether a process with that ID exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}

/** Makes a rename survive a loss of power, if the system allows opening a folder. */
function syncFolder(path: string): void {
  let folder: number | undefined;
  try {
    folder = openSync(path, 'r');
    fsyncSync(folder);
  } catch {
    // Not every system supports this; the rename itself succeeded.
  } finally {
    if (folder !== undefined) closeSync(folder);
  }
}
