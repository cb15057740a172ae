import type { Clock } from '../../schemas/wire/clock.ts';
import type { Log, LogFields } from './log.ts';

/** The same warning is not logged again within this time. */
const QUIET_MS = 60_000;
/** Most warnings remembered; beyond that, some are logged twice. */
const MOST_REMEMBERED = 1_000;

/** Logs repeated warnings once a minute each, and their end. */
export interface LogLimiter {
  /** @param about the subject; another text about the same subject is logged at once */
  warn(about: string, text: string, fields?: LogFields): void;
  /** Logs the end of a problem; nothing if there was no warning about the subject. */
  over(about: string, text: string, fields?: LogFields): void;
}

export function createLogLimiter(log: Log, clock: Clock): LogLimiter {
  const logged = new Map<string, { text: string; at: number }>();
  return {
    warn(about, text, fields) {
      const before = logged.get(about);
      const now = clock.monotonic();
      if (before?.text === text && now - before.at < QUIET_MS) return;
      if (logged.size >= MOST_REMEMBERED) logged.clear();
      logged.set(about, { text, at: now });
      log.warn(text, fields);
    },
    over(about, text, fields) {
      if (logged.delete(about)) log.info(text, fields);
    },
  };
}
