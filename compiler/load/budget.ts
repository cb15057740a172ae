import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, SourcePosition } from '../diagnostics/diagnostic.ts';
import { LIMITS, limitText } from './limits.ts';
import type { Limits, RunLimit } from './limits.ts';

/** Limits on what is reported. Beyond them the run continues with fewer details. */
type Allowance = 'problems' | 'placeTokens';

/** What remains of the limits of one run. Each run has its own budget, passed from stage to stage. */
export interface Budget {
  readonly limits: Limits;
  /** The limit that was reached; nothing more is read then. */
  readonly exceeded: RunLimit | undefined;
  /** Takes `count`; false if less remains, or if a limit was reached before. */
  take(limit: RunLimit, count: number): boolean;
  /** How many remain; 0 once a limit was reached. */
  remaining(limit: RunLimit): number;
  /** Takes up to `count`, and returns how many it took. */
  consume(allowance: Allowance, count: number): number;
  /** The error that names the reached limit, on the first call only. */
  problems(position?: SourcePosition): Diagnostic[];
}

export function createBudget(limits: Limits = LIMITS): Budget {
  const used = new Map<keyof Limits, number>();
  let exceeded: RunLimit | undefined;
  let isReported = false;

  function remaining(name: keyof Limits): number {
    return limits[name] - (used.get(name) ?? 0);
  }

  return {
    limits,
    get exceeded() {
      return exceeded;
    },
    take(limit, count) {
      if (exceeded !== undefined) return false;
      if (count > remaining(limit)) {
        exceeded = limit;
        return false;
      }
      used.set(limit, (used.get(limit) ?? 0) + count);
      return true;
    },
    remaining: (limit) => (exceeded === undefined ? remaining(limit) : 0),
    consume(allowance, count) {
      const drawn = Math.min(count, remaining(allowance));
      used.set(allowance, (used.get(allowance) ?? 0) + drawn);
      return drawn;
    },
    problems(position) {
      if (exceeded === undefined || isReported) return [];
      isReported = true;
      return [diagnostic('KR1035', { limit: limitText(exceeded, limits[exceeded]) }, position)];
    },
  };
}
