import { lstatSync, mkdirSync, realpathSync, rmdirSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { HostError } from '../../compiler/host.ts';
import type { FileChange } from '../../compiler/host.ts';
import { systemCode } from './refused.ts';
import {
  draft,
  folderAt,
  nearestFolder,
  PUBLIC,
  refuseOutside,
  removeFile,
  type Draft,
  type Folder,
} from './safe-file.ts';

/**
 * Writes all files or none, and nothing outside of `inside` with links resolved. Throws a `HostError` or an error of the
 * system; no temporary file and no new folder remains then.
 */
export function writeOutputs(files: readonly FileChange[], inside: string): void {
  deferSignals();
  const limit = realpathSync.native(inside);
  const byFolder = inFolders(files);
  // Refuse what is known to be wrong before creating anything.
  const places = new Map<string, string>();
  for (const [folder, own] of byFolder) {
    const place = refuseTargets(folder, own, limit);
    refuseOneFile(own, place, places);
  }
  refuseFoldersOfOthers(files, byFolder);
  const drafts: { folder: Folder; files: Draft[] }[] = [];
  const created: string[] = [];
  try {
    for (const [path, own] of byFolder) {
      const written = own.flatMap(({ path: file, text }) => (text === undefined ? [] : [{ file, text }]));
      if (written.length === 0) continue;
      const folder = folderAt(path, limit, createFolders(path, limit, created));
      const group = { folder, files: [] as Draft[] };
      drafts.push(group);
      for (const { file, text } of written) group.files.push(draft(file, [text], { mode: PUBLIC }, folder));
    }
    for (const { folder } of drafts) folder.check();
    for (const group of drafts) {
      group.folder.check();
      for (const { publish } of group.files) publish();
    }
    // A run that is killed before this leaves a plan too many, which the next run removes, and never one too few.
    for (const { path, text } of files) if (text === undefined) remove(path, limit);
  } catch (error) {
    for (const { discard } of drafts.flatMap((group) => group.files)) discard();
    for (const folder of created.reverse()) removeEmpty(folder);
    throw error;
  }
}

/** Removes a file, and the folders that this empties. */
function remove(path: string, limit: string): void {
  removeFile(path, limit);
  for (let folder = nearestFolder(dirname(path)).real; folder !== limit && removeEmpty(folder);)
    folder = dirname(folder);
}

/** The files by their folder: what is true of a folder is looked up once. */
function inFolders(files: readonly FileChange[]): Map<string, FileChange[]> {
  const folders = new Map<string, FileChange[]>();
  for (const file of files) {
    const folder = dirname(file.path);
    const others = folders.get(folder);
    if (others === undefined) folders.set(folder, [file]);
    else others.push(file);
  }
  return folders;
}

/** The path of a folder with links resolved, whether it exists or not. */
function refuseTargets(folder: string, files: readonly FileChange[], limit: string): string {
  const { real, missing } = nearestFolder(folder);
  refuseOutside(real, limit);
  if (missing.length > 0) return join(real, ...missing);
  for (const { path } of files)
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
      throw new HostError(`${path} is a folder`);
  return real;
}

/** Throws if two paths are one file through a link of a folder: the later text would replace the earlier one. */
function refuseOneFile(files: readonly FileChange[], folder: string, places: Map<string, string>): void {
  for (const { path } of files) {
    const place = `${folder}${sep}${basename(path)}`;
    const other = places.get(place);
    if (other !== undefined && other !== path) throw new HostError(`${other} and ${path} are one file`);
    places.set(place, path);
  }
}

/** Throws if a file is where others need a folder: they would be half written. */
function refuseFoldersOfOthers(files: readonly FileChange[], byFolder: ReadonlyMap<string, unknown>): void {
  const folders = new Set<string>();
  for (const folder of byFolder.keys())
    for (let at = folder; !folders.has(at) && dirname(at) !== at; at = dirname(at)) folders.add(at);
  for (const { path } of files)
    if (folders.has(path)) throw new HostError(`${path} is a folder of other files`);
}

/**
 * Creates the missing parts of a folder one by one, so that none is created behind a link that leads out. Returns whether the folder
 * itself was created.
 */
function createFolders(path: string, limit: string, created: string[]): boolean {
  const { real, missing } = nearestFolder(path);
  refuseOutside(real, limit);
  let current = real;
  let isNew = false;
  for (const name of missing) {
    current = join(current, name);
    isNew = createFolder(current);
    if (isNew) created.push(current);
  }
  return isNew;
}

/** False if another process created the folder first. If it is not a folder, writing into it fails. */
function createFolder(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** False if the folder is not empty. */
function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/**
 * Delays a signal until all files are written, so that neither temporary files nor half a plan remain: writing is
 * synchronous, and Node runs a listener only after it.
 */
function deferSignals(): void {
  for (const [signal, number] of [
    ['SIGHUP', 1],
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ] as const) {
    const exit = (): never => process.exit(128 + number);
    // An existing listener has the same effect, and cleans up itself.
    if (process.listenerCount(signal) > 0) continue;
    process.once(signal, exit);
    // Node delivers signals between two rounds of immediates, so a signal that arrived during the writing is not lost.
    setImmediate(() => setImmediate(() => process.off(signal, exit)));
  }
}
