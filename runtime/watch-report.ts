import type { Clock } from '../schemas/wire/clock.ts';
import { ApiError } from '../schemas/wire/cluster.ts';
import type { Connection } from './api/connection.ts';
import { problemOf } from './problem.ts';
import type { Log } from './report/log.ts';
import type { LogLimiter } from './report/log-limiter.ts';
import type { Runtime } from './options.ts';

/** How often it is checked whether all caches are synced again. */
const CHECK_MS = 1_000;

/** Logs failed watches, and when all caches are synced again. */
export interface WatchReport {
  /** A resource could not be listed or watched. */
  failed(plural: string, error: unknown): void;
  stop(): void;
}

export interface WatchReportOptions {
  connection: Connection;
  clock: Clock;
  log: Log;
  quiet: LogLimiter;
  /** Undefined: no watches are open now. */
  runtime(): Pick<Runtime, 'synced' | 'heldKinds'> | undefined;
}

export function createWatchReport(options: WatchReportOptions): WatchReport {
  const { connection, clock, log, quiet } = options;
  let cancel = (): void => {};

  function checkSynced(): void {
    cancel();
    const runtime = options.runtime();
    if (runtime === undefined) return;
    if (runtime.synced && runtime.heldKinds.length === 0)
      quiet.over('watches', 'all caches are synced again');
    else cancel = clock.after(CHECK_MS, checkSynced);
  }

  return {
    /** All watches share one warning: a server that is down breaks all of them. */
    failed(plural, error) {
      if (error instanceof ApiError && error.status.code === 410) {
        log.info(`${plural} are listed again: the watch expired`);
        return;
      }
      const { problem, help } = problemOf(error, connection);
      const held = options.runtime()?.heldKinds ?? [];
      const effect =
        held.length === 0 ? '' : `. Until then all targets of these kinds are held: ${held.join(', ')}`;
      quiet.warn('watches', `a watch failed: ${problem}; ${help}; retrying${effect}`);
      checkSynced();
    },
    stop: () => cancel(),
  };
}
