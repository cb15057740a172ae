import type { Clock } from '../../schemas/wire/clock.ts';
import type { Log, LogFields } from './log.ts';

/** The same trouble is not told again for so long. */
const QUIET_MS = 60_000;
/** Troubles that are remembered; beyond that, some are told twice. */
const MOST_REMEMBERED = 1_000;

/** Tells troubles that come again and again: each once a minute, and when it is over. */
export interface LogLimiter {
  /** @param about what is in trouble; the last word about it counts */
  warn(about: string, text: string, fields?: LogFields): void;
  /** Tells it only where there was a trouble. */
  over(about: string, text: string, fields?: LogFields): void;
}

export function createLogLimiter(log: Log, clock: Clock): LogLimiter {
  const told = new Map<string, { text: string; at: number }>();
  return {
    warn(about, text, fields) {
      const before = told.get(about);
      const now = clock.monotonic();
      if (before?.text === text && now - before.at < QUIET_MS) return;
      if (told.size >= MOST_REMEMBERED) told.clear();
      told.set(about, { text, at: now });
      log.warn(text, fields);
    },
    over(about, text, fields) {
      if (told.delete(about)) log.info(text, fields);
    },
  };
}
