import { RE2JS } from 're2js';

/** A regular expression in RE2's syntax, which takes time in proportion to what it reads, whatever it is. */
export interface Pattern {
  /** Whether it is found anywhere in a text. */
  test(text: string): boolean;
  /** What it finds, from left to right; at most `limit` pieces, all for a negative limit. */
  findAll(text: string, limit?: number): string[];
}

/** A pattern, or why it is none in the words of Go's compiler (`error parsing regexp: missing closing ): …`). */
export type Compiled = { pattern: Pattern; fault?: undefined } | { pattern?: undefined; fault: string };

/** Patterns that expressions put together come and go; those of schemas are few. */
const maxKept = 1000;
const kept = new Map<string, Compiled>();

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

/** The pattern of a text; the same one for the same text. */
export function patternOf(text: string): Compiled {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const made = compile(text);
  if (kept.size >= maxKept) kept.clear();
  kept.set(text, made);
  return made;
}
