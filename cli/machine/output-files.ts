import { lstatSync, mkdirSync, realpathSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HostError } from '../../compiler/host.ts';
import type { FileChange } from '../../compiler/host.ts';
import { systemCode } from './refused.ts';
import { draft, nearestFolder, PUBLIC, refuseOutside, removeFile, type Draft } from './safe-file.ts';

/**
 * Writes all files or none, and nothing outside of `inside`, wherever links lead. Throws the errors of the system, and a
 * `HostError`; then no temporary file and no new folder is left.
 */
export function writeOutputs(files: readonly FileChange[], inside: string): void {
  deferSignals();
  const limit = realpathSync(inside);
  // What can be seen beforehand is refused before anything is made.
  for (const { path } of files) refuseTarget(path, limit);
  const drafts: Draft[] = [];
  const folders: string[] = [];
  try {
    for (const { path, text } of files) {
      if (text === undefined) continue;
      makeFolder(dirname(path), limit, folders);
      drafts.push(draft(path, [text], { mode: PUBLIC, inside: limit }));
    }
    for (const { check } of drafts) check();
    for (const { publish } of drafts) publish();
    for (const { path, text } of files) if (text === undefined) removeFile(path, limit);
  } catch (error) {
    for (const { discard } of drafts) discard();
    for (const folder of folders.reverse()) removeEmpty(folder);
    throw error;
  }
}

function refuseTarget(path: string, limit: string): void {
  refuseOutside(nearestFolder(dirname(path)).real, limit);
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new HostError(`${path} is a folder`);
}

/** Makes what is missing of a folder, one after the other, so that none is made behind a link that leads out. */
function makeFolder(path: string, limit: string, made: string[]): void {
  const { real, missing } = nearestFolder(path);
  refuseOutside(real, limit);
  let here = real;
  for (const name of missing) {
    here = join(here, name);
    if (madeNow(here)) made.push(here);
  }
}

/** Another process may have made it meanwhile; whether it is a folder is seen by what is written into it. */
function madeNow(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something is in it by now, and it is no longer only ours.
  }
}

/**
 * A signal that comes while files are written waits until all of them are in place: Node runs a listener only when the
 * (synchronous) writing is over, so no temporary file is left, and no half of a plan.
 */
function deferSignals(): void {
  for (const [signal, number] of [
    ['SIGHUP', 1],
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ] as const) {
    const leave = (): never => process.exit(128 + number);
    // An existing listener has the same effect, and clean-up of its own.
    if (process.listenerCount(signal) > 0) continue;
    process.once(signal, leave);
    // Signals are delivered between two rounds of immediates, so one that came meanwhile is not lost.
    setImmediate(() => setImmediate(() => process.off(signal, leave)));
  }
}
