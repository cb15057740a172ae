import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Machine, OpenFile } from '../host.ts';
import { attempt, isAlive, onOutputLost } from './node-host.ts';

const PRIVATE = 0o600;

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function temporary(path: string): string {
  return `${path}.kruise-${process.pid}`;
}

/** Writes all of it and makes sure that it is on the disk. */
function writeWhole(path: string, parts: Iterable<string>): void {
  const file = openSync(path, 'w', PRIVATE);
  try {
    for (const part of inPieces(parts)) writeAll(file, part);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
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

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

/** Makes a rename last through a loss of power, where the system lets a folder be opened. */
function syncFolder(path: string): void {
  let folder: number | undefined;
  try {
    folder = openSync(dirname(path), 'r');
    fsyncSync(folder);
  } catch {
    // Not every system knows this; the rename itself was done.
  } finally {
    if (folder !== undefined) closeSync(folder);
  }
}

function openFile(path: string): OpenFile {
  let file: number | undefined;
  let length = 0;

  function opened(): number {
    if (file !== undefined) return file;
    file = openSync(path, 'a', PRIVATE);
    length = fstatSync(file).size;
    return file;
  }

  function close(): void {
    if (file !== undefined) closeSync(file);
    file = undefined;
  }

  return {
    read: () =>
      attempt(() => {
        try {
          return readFileSync(path);
        } catch (error) {
          if (isMissing(error)) return undefined;
          throw error;
        }
      }),
    append: (text) =>
      attempt(() => {
        const target = opened();
        const bytes = Buffer.from(text);
        try {
          writeAll(target, bytes);
          length += bytes.length;
        } catch (error) {
          ftruncateSync(target, length);
          throw error;
        }
      }),
    cut: (end) =>
      attempt(() => {
        ftruncateSync(opened(), end);
        length = end;
      }),
    replace: (lines) =>
      attempt(() => {
        const from = temporary(path);
        try {
          writeWhole(from, lines);
          renameSync(from, path);
        } catch (error) {
          rmSync(from, { force: true });
          throw error;
        }
        syncFolder(path);
        close();
      }),
    close,
  };
}

/** The machine the process runs on. */
export function nodeMachine(): Machine {
  return {
    pid: process.pid,
    isAlive,
    random: () => randomBytes(4).readUInt32LE(),
    onSignal(listener) {
      let told = false;
      const hear = (number: number) => (): void => {
        if (told) process.exit(128 + number);
        told = true;
        listener();
      };
      const signals = [
        ['SIGINT', hear(2)],
        ['SIGTERM', hear(15)],
        // The terminal was closed.
        ['SIGHUP', hear(1)],
      ] as const;
      for (const [signal, heard] of signals) process.on(signal, heard);
      const unlisten = onOutputLost(listener);
      return () => {
        unlisten();
        for (const [signal, heard] of signals) process.off(signal, heard);
      };
    },
    createPrivate: (path, text) =>
      attempt(() => {
        const from = temporary(path);
        try {
          writeFileSync(from, text, { mode: PRIVATE });
          linkSync(from, path);
          return true;
        } catch (error) {
          if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
          throw error;
        } finally {
          rmSync(from, { force: true });
        }
      }),
    replacePrivate: (path, text) =>
      attempt(() => {
        const from = temporary(path);
        try {
          writeFileSync(from, text, { mode: PRIVATE });
          renameSync(from, path);
        } catch (error) {
          rmSync(from, { force: true });
          throw error;
        }
      }),
    move: (from, to) =>
      attempt(() => {
        try {
          renameSync(from, to);
          return true;
        } catch (error) {
          if (isMissing(error)) return false;
          throw error;
        }
      }),
    remove: (path) => attempt(() => rmSync(path, { force: true })),
    open: openFile,
  };
}
