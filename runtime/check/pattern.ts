import { type ReadPattern, readPattern } from '../../semantics/values/pattern.ts';

/** A pattern anchored at both ends, also for alternatives; it is read as Go reads it, and matches in linear time. */
export function readWholePattern(pattern: string): ReadPattern {
  // Read on its own first: `^a)|(b$` is valid only within the brackets.
  const own = readPattern(pattern);
  return 'problem' in own ? own : readPattern(`^(?:${pattern})$`);
}
