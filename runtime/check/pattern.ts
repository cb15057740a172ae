import { createContext, Script } from 'node:vm';

/** How long the match of one value may take, milliseconds. */
const patternLimitMs = 250;
/** The most attempts to match while other processes use the CPU. */
const mostTrials = 20;

const script = new Script('pattern.test(value)');
const context: { pattern?: RegExp; value?: string } = createContext({});

/** The expression anchored at both ends, also for alternatives; undefined: the pattern is invalid. */
export function compilePattern(pattern: string): RegExp | undefined {
  try {
    // Compiled on its own first: `^a)|(b$` is valid only within the brackets.
    return new RegExp(`^(?:${new RegExp(pattern, 'u').source})$`, 'u');
  } catch {
    return undefined;
  }
}

/**
 * Whether a pattern matches; undefined: it takes too long. An expression such as `^(a+)+$` needs exponential time for some
 * values; only a script with a timeout can be stopped.
 */
export function matches(pattern: RegExp, value: string): boolean | undefined {
  for (let trial = 1; trial <= mostTrials; trial += 1) {
    const before = process.cpuUsage();
    try {
      Object.assign(context, { pattern, value });
      return script.runInContext(context, { timeout: patternLimitMs }) === true;
    } catch {
      const { user, system } = process.cpuUsage(before);
      // The timeout is wall-clock time: if other processes used the CPU meanwhile, the pattern may not be slow.
      if ((user + system) / 1000 >= patternLimitMs / 2) return undefined;
    }
  }
  return undefined;
}
