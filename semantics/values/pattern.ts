import { RE2JS } from 're2js';
import { boundedCache, textWeight } from './bounded-cache.ts';

/** A regular expression of Go, or why the text is none. */
export type ReadPattern = { test: (text: string) => boolean } | { problem: string };

interface Compiled {
  read: ReadPattern;
  instructions: number;
}

/** The instructions of a compiled pattern, and the states that matching adds to each, bytes. */
const INSTRUCTION = 1024;
const cache = boundedCache<Compiled>({
  bytes: 16 * 2 ** 20,
  weigh: (text, compiled) => textWeight(text) + INSTRUCTION * (compiled?.instructions ?? 0),
});

/** Reads a regular expression as Go does (RE2). It matches anywhere in a text, in linear time. */
export function readPattern(text: string): ReadPattern {
  return cache.of(text, () => compile(text)).read;
}

function compile(text: string): Compiled {
  try {
    const compiled = RE2JS.compile(text);
    return { read: { test: (read) => compiled.test(read) }, instructions: compiled.programSize() };
  } catch (error) {
    return { read: { problem: error instanceof Error ? error.message : String(error) }, instructions: 0 };
  }
}
