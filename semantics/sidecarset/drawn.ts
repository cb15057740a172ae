import { createHash } from 'node:crypto';

/** A number in [0, 1) that a text decides on. */
export function drawn(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}
