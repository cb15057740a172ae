import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { HostError, TooMuch } from '../../compiler/host.ts';
import { systemCode } from './refused.ts';

const STDIN = 0;
const PART = 65_536;
/** Pause before a stream that has nothing yet is read again, ms. */
const PAUSE_MS = 10;

/**
 * Reads a file of any type, or standard input, to its end. Waits for a pipe whose writer is slower.
 *
 * @throws HostError for a folder
 * @throws TooMuch beyond `most` bytes
 */
export function readStream(path: string | undefined, most: number): Uint8Array {
  const file = path === undefined ? STDIN : openSync(path, 'r');
  try {
    if (fstatSync(file).isDirectory()) throw new HostError('it is a folder');
    const parts: Uint8Array[] = [];
    for (let length = 0; ;) {
      const part = new Uint8Array(PART);
      const count = readSome(file, part);
      if (count === 0) return Buffer.concat(parts);
      length += count;
      if (length > most) throw new TooMuch(`it is larger than ${most} bytes`);
      parts.push(part.subarray(0, count));
    }
  } finally {
    if (file !== STDIN) closeSync(file);
  }
}

function readSome(file: number, into: Uint8Array): number {
  for (;;) {
    try {
      return readSync(file, into);
    } catch (error) {
      const code = systemCode(error);
      // Windows reports the end of a pipe as an error.
      if (code === 'EOF') return 0;
      // Another process may have made the pipe non-blocking for all that share it.
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
