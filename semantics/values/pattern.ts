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

/** Names that patterns are for have at most 253 characters. */
const MOST_CHARACTERS = 1024;
/** A count repeats what it counts, so that a short text may become a large program; characters times repetitions. */
const MOST_EXPANDED = 32_768;

/** Why a text is no pattern that is worth to be compiled; undefined if it may be. */
function tooLarge(text: string): string | undefined {
  if (text.length > MOST_CHARACTERS) return `a pattern has at most ${MOST_CHARACTERS} characters`;
  const repeated = [...text.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g)].reduce(
    (all, [, least = '', most = '']) => all + Math.max(Number(least), Number(most)),
    1,
  );
  return text.length * repeated > MOST_EXPANDED
    ? `the counts of a pattern repeat it too often: ${text.length} characters up to ${repeated} times`
    : undefined;
}

function compile(text: string): Compiled {
  const problem = tooLarge(text);
  if (problem !== undefined) return { read: { problem }, instructions: 0 };
  try {
    const compiled = RE2JS.compile(text);
    return { read: { test: (read) => compiled.test(read) }, instructions: compiled.programSize() };
  } catch (error) {
    return { read: { problem: error instanceof Error ? error.message : String(error) }, instructions: 0 };
  }
}
