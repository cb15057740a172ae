import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, SourcePosition } from '../diagnostics/diagnostic.ts';
import { LIMITS, limitText, RUN_LIMITS } from './limits.ts';
import type { Limits, RunLimit } from './limits.ts';
import { createUsage } from './usage.ts';

/** Limits on what is reported. Beyond them the run continues with fewer details. */
type Allowance = 'problems' | 'placeTokens';

/**
 * What remains of the limits of one run. A run has one budget: all of its roots and states draw on it, and so does what is read
 * again.
 */
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
  /** Says of which file or folder, as shown, the following is taken. */
  reading(place: string): void;
  /** Lowers the limits of the run to a share of what they are, unless whoever runs it has set the share. */
  lower(percent: number): void;
  /** The error that names the reached limit, at the position where it was reached first; sorting leaves one of them. */
  problems(position?: SourcePosition): Diagnostic[];
}

/**
 * @param percent the share of the limits of a run that whoever runs it allows. Default: all, or what `kruise.yaml` lowers them to
 * @param onTake called with each part that is taken
 */
export function createBudget(
  given: Limits = LIMITS,
  percent?: number,
  onTake?: (limit: RunLimit, count: number) => void,
): Budget {
  const used = new Map<keyof Limits, number>();
  const usage = createUsage();
  let limits = percent === undefined ? given : scaled(given, percent);
  let exceeded: RunLimit | undefined;
  let reported: Diagnostic | undefined;

  function remaining(name: keyof Limits): number {
    return Math.max(0, limits[name] - (used.get(name) ?? 0));
  }

  return {
    get limits() {
      return limits;
    },
    get exceeded() {
      return exceeded;
    },
    take(limit, count) {
      if (exceeded !== undefined) return false;
      usage.add(limit, count);
      onTake?.(limit, count);
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
    reading: usage.enter,
    lower(share) {
      if (percent === undefined) limits = scaled(given, share);
    },
    problems(position) {
      if (exceeded === undefined) return [];
      const limit = limitText(exceeded, limits[exceeded]);
      const read = usage.text((each) => used.get(each) ?? 0);
      reported ??= diagnostic('KR1035', { limit, read, most: usage.most(exceeded) }, position);
      return [reported];
    },
  };
}

/** The limits of a run times a share; those of one file or document are not of the run. */
function scaled(limits: Limits, percent: number): Limits {
  const ofRun = RUN_LIMITS.map((name) => [name, Math.floor((limits[name] * percent) / 100)] as const);
  return { ...limits, ...Object.fromEntries(ofRun) };
}
