import { createContext, Script } from 'node:vm';

/** How long a pattern may take over one value, milliseconds. */
const patternLimitMs = 250;
/** A process that was held up for so many of these is not asked to try once more. */
const mostTrials = 20;

const script = new Script('pattern.test(value)');
const context: { pattern?: RegExp; value?: string } = createContext({});

/** The expression that holds for whole values only, whatever alternatives stand in it; undefined when it is none. */
export function compilePattern(pattern: string): RegExp | undefined {
  try {
    // On its own first: `^a)|(b$` is one in the brackets only.
    return new RegExp(`^(?:${new RegExp(pattern, 'u').source})$`, 'u');
  } catch {
    return undefined;
  }
}

/**
 * Whether a pattern matches; undefined when it takes too long. An expression such as `^(a+)+$` needs more than a
 * lifetime for some values of fifty characters, and a script with a limit is what can stop one.
 */
export function matches(pattern: RegExp, value: string): boolean | undefined {
  for (let trial = 1; trial <= mostTrials; trial += 1) {
    const before = process.cpuUsage();
    try {
      Object.assign(context, { pattern, value });
      return script.runInContext(context, { timeout: patternLimitMs }) === true;
    } catch {
      const { user, system } = process.cpuUsage(before);
      // The limit is one of the wall's clock: where others had the processor meanwhile, it says nothing of the pattern.
      if ((user + system) / 1000 >= patternLimitMs / 2) return undefined;
    }
  }
  return undefined;
}
