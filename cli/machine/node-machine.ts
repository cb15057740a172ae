import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { closeSync, fstatSync, ftruncateSync, readFileSync, renameSync, rmSync } from 'node:fs';
import type { Machine, OpenFile } from '../host.ts';
import { onOutputLost } from './output-guard.ts';
import { attempt, systemCode } from './refused.ts';
import { draft, isAlive, openAppended, PRIVATE, writeAll, type Draft } from './safe-file.ts';

function isMissing(error: unknown): boolean {
  return systemCode(error) === 'ENOENT';
}

function openFile(path: string): OpenFile {
  let file: number | undefined;
  let length = 0;

  function opened(): number {
    if (file !== undefined) return file;
    file = openAppended(path);
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
        put(draft(path, lines, { mode: PRIVATE, durable: true }));
        close();
      }),
    close,
  };
}

/** Publishes a draft, or removes it completely. */
function put(whole: Draft): void {
  try {
    whole.check();
    whole.publish();
  } finally {
    whole.discard();
  }
}

/** The machine on which the process runs. */
export function nodeMachine(): Machine {
  return {
    pid: process.pid,
    isAlive,
    random: () => randomBytes(4).readUInt32LE(),
    collectEarly: () => setFlagsFromString('--heap-growing-percent=45'),
    onSignal(listener) {
      let isSignaled = false;
      const listenerFor = (number: number) => (): void => {
        if (isSignaled) process.exit(128 + number);
        isSignaled = true;
        listener();
      };
      const signals = [
        ['SIGINT', listenerFor(2)],
        ['SIGTERM', listenerFor(15)],
        // The terminal was closed.
        ['SIGHUP', listenerFor(1)],
      ] as const;
      for (const [signal, handler] of signals) process.on(signal, handler);
      const removeListener = onOutputLost(listener);
      return () => {
        removeListener();
        for (const [signal, handler] of signals) process.off(signal, handler);
      };
    },
    createPrivate: (path, text) =>
      attempt(() => {
        const whole = draft(path, [text], { mode: PRIVATE });
        try {
          return whole.publishNew();
        } finally {
          whole.discard();
        }
      }),
    replacePrivate: (path, text) => attempt(() => put(draft(path, [text], { mode: PRIVATE }))),
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
