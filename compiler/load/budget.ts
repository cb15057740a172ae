import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, SourcePosition } from '../diagnostics/diagnostic.ts';
import { LIMITS, limitText } from './limits.ts';
import type { Limits, RunLimit } from './limits.ts';

/** What is listed rather than taken in: beyond it the run goes on, and says less. */
type Allowance = 'problems' | 'placeTokens';

/** What is left of the limits of one run. Each run has its own, which is handed from pass to pass. */
export interface Budget {
  readonly limits: Limits;
  /** The limit that was reached: from then on nothing more is read. */
  readonly exceeded: RunLimit | undefined;
  /** Takes so many; false when there are not so many left, or a limit was reached before. */
  take(limit: RunLimit, count: number): boolean;
  /** How many are left; 0 once a limit was reached. */
  remaining(limit: RunLimit): number;
  /** Takes as many of these as are left, and says how many that were. */
  consume(allowance: Allowance, count: number): number;
  /** The error that names the limit that was reached, the first time it is asked for. */
  problems(place?: SourcePosition): Diagnostic[];
}

export function createBudget(limits: Limits = LIMITS): Budget {
  const used = new Map<keyof Limits, number>();
  let exceeded: RunLimit | undefined;
  let isReported = false;

  function left(name: keyof Limits): number {
    return limits[name] - (used.get(name) ?? 0);
  }

  return {
    limits,
    get exceeded() {
      return exceeded;
    },
    take(limit, count) {
      if (exceeded !== undefined) return false;
      if (count > left(limit)) {
        exceeded = limit;
        return false;
      }
      used.set(limit, (used.get(limit) ?? 0) + count);
      return true;
    },
    remaining: (limit) => (exceeded === undefined ? left(limit) : 0),
    consume(allowance, count) {
      const drawn = Math.min(count, left(allowance));
      used.set(allowance, (used.get(allowance) ?? 0) + drawn);
      return drawn;
    },
    problems(place) {
      if (exceeded === undefined || isReported) return [];
      isReported = true;
      return [diagnostic('KR1035', { limit: limitText(exceeded, limits[exceeded]) }, place)];
    },
  };
}
