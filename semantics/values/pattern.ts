import { RE2JS } from 're2js';

/** A regular expression of Go, or why the text is none. */
export type ReadPattern = { test: (text: string) => boolean } | { problem: string };

/** The cache is bounded, because users may edit patterns without end. */
const MOST_CACHED = 1_000;
const cache = new Map<string, ReadPattern>();

/** Reads a regular expression as Go does (RE2). It matches anywhere in a text, in linear time. */
export function readPattern(text: string): ReadPattern {
  const known = cache.get(text);
  if (known !== undefined) return known;
  if (cache.size >= MOST_CACHED) cache.clear();
  const read = compile(text);
  cache.set(text, read);
  return read;
}

function compile(text: string): ReadPattern {
  try {
    const compiled = RE2JS.compile(text);
    return { test: (read) => compiled.test(read) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
