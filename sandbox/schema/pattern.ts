import { RE2JS } from 're2js';

/** An RE2 regular expression, which runs in linear time. */
export interface Pattern {
  /** Whether it matches anywhere in a text. */
  test(text: string): boolean;
  /** The matches from left to right; at most `limit`, all for a negative limit. */
  findAll(text: string, limit?: number): string[];
}

/** A pattern, or the error in the wording of Go's compiler (`error parsing regexp: missing closing ): …`). */
export type Compiled = { pattern: Pattern; fault?: undefined } | { pattern?: undefined; fault: string };

/** The cache is bounded, because expressions can compute patterns; schemas have few. */
const maxCached = 1000;
const cache = new Map<string, Compiled>();

function compile(text: string): Compiled {
  try {
    const compiled = RE2JS.compile(text);
    return {
      pattern: {
        test: (read) => compiled.test(read),
        findAll(read, limit = -1) {
          const found: string[] = [];
          const matcher = compiled.matcher(read);
          while (found.length !== limit && matcher.find()) found.push(matcher.group() ?? '');
          return found;
        },
      },
    };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

/** The compiled pattern of a text, cached. */
export function patternOf(text: string): Compiled {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const made = compile(text);
  if (cache.size >= maxCached) cache.clear();
  cache.set(text, made);
  return made;
}
