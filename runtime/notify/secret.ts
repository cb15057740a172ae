import { readFileSync, statSync } from 'node:fs';
import { reasonOf } from '../api/file-reason.ts';

/** The longest and the shortest key, bytes. Shorter ones can be guessed from one signature. */
const LONGEST = 4_096;
const SHORTEST = 16;

/** Reads the key of the signature each time: a mounted Secret changes in place. Line breaks at its end are no part of it. */
export function secretReader(path: string): () => Uint8Array {
  return () => {
    let text: Buffer;
    try {
      if (statSync(path).size > LONGEST) throw new Error(`it is longer than ${LONGEST} bytes`);
      text = readFileSync(path);
    } catch (error) {
      throw new Error(`the secret ${path} cannot be used: ${reasonOf(error)}`, { cause: error });
    }
    let end = text.length;
    while (end > 0 && (text[end - 1] === 10 || text[end - 1] === 13)) end -= 1;
    if (end < SHORTEST)
      throw new Error(`the secret ${path} cannot be used: it is shorter than ${SHORTEST} bytes`);
    return text.subarray(0, end);
  };
}
