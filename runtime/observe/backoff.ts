import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';

/**
 * The first pause and the longest one, milliseconds, and the longest one while the server does not serve a resource: what influences
 * decisions must be known as soon as it is served again, and the answer costs the server nothing.
 */
const PAUSE_MS = { first: 800, most: 30_000, mostUnserved: 2_000 };

/** Retries with exponential backoff and jitter. */
export interface Backoff {
  /**
   * Runs a function after the pause, or after the server's retryAfterSeconds if that is longer. The next pause doubles. After a 404 it
   * runs within two seconds.
   */
  retry(run: () => void, error?: unknown): void;
  /** The next pause is the first one again. */
  reset(): void;
  /** Cancels a pending retry. */
  cancel(): void;
}

/** @param random a number in [0, 1): it adds up to half of a pause */
export function createBackoff(clock: Clock, random: () => number): Backoff {
  let pauseMs = PAUSE_MS.first;
  let cancel = (): void => {};
  return {
    retry(run, error) {
      const pause = Math.max(pauseMs, retryAfterMs(error));
      const most = isUnserved(error) ? PAUSE_MS.mostUnserved : PAUSE_MS.most;
      cancel = clock.after(Math.min(pause * (1 + random() / 2), most), run);
      // A server that begins to serve a resource may first answer something else than 404.
      pauseMs = Math.min(pauseMs * 2, most);
    },
    reset() {
      pauseMs = PAUSE_MS.first;
    },
    cancel: () => cancel(),
  };
}

function isUnserved(error: unknown): boolean {
  return error instanceof ApiError && error.status.code === 404;
}

/** The server's retryAfterSeconds as milliseconds; 0: none. */
function retryAfterMs(error: unknown): number {
  const seconds = error instanceof ApiError ? error.status.details?.retryAfterSeconds : undefined;
  return (seconds ?? 0) * 1000;
}
