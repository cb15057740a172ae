import type { Clock } from '../schemas/wire/clock.ts';
import { ApiError } from '../schemas/wire/cluster.ts';
import type { Connection } from './api/connection.ts';
import { problemOf } from './problem.ts';
import type { Log } from './report/log.ts';
import type { LogLimiter } from './report/log-limiter.ts';

/** How often it is looked whether everything is seen again. */
const LOOK_MS = 1_000;

/** Tells that not everything can be watched, and when it is seen again. */
export interface Sight {
  /** A resource could not be listed or watched. */
  unseen(plural: string, error: unknown): void;
  stop(): void;
}

export interface SightOptions {
  connection: Connection;
  clock: Clock;
  log: Log;
  quiet: LogLimiter;
  /** Undefined: nothing is watched now. */
  isSynced(): boolean | undefined;
}

export function createSight({ connection, clock, log, quiet, isSynced }: SightOptions): Sight {
  let cancelLook = (): void => {};

  function lookWhetherSeen(): void {
    cancelLook();
    const synced = isSynced();
    if (synced === undefined) return;
    if (synced) quiet.over('sight', 'everything is seen again');
    else cancelLook = clock.after(LOOK_MS, lookWhetherSeen);
  }

  return {
    /** A server that goes away is one trouble, however many watches it takes along. */
    unseen(plural, error) {
      if (error instanceof ApiError && error.status.code === 410) {
        log.info(`${plural} are listed again: the server has forgotten what changed since`);
        return;
      }
      const { problem, help } = problemOf(error, connection);
      quiet.warn('sight', `not everything can be watched: ${problem}; ${help}; it is tried again`);
      lookWhetherSeen();
    },
    stop: () => cancelLook(),
  };
}
