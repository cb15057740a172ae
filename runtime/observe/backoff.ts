import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';

/** The first pause and the longest one, milliseconds. */
const PAUSE_MS = { first: 800, most: 30_000 };

/** Retries with exponential backoff and jitter. */
export interface Backoff {
  /** Runs a function after the pause, or after the server's retryAfterSeconds if that is longer. The next pause doubles. */
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
      cancel = clock.after(Math.min(pause * (1 + random() / 2), PAUSE_MS.most), run);
      pauseMs = Math.min(pauseMs * 2, PAUSE_MS.most);
    },
    reset() {
      pauseMs = PAUSE_MS.first;
    },
    cancel: () => cancel(),
  };
}

/** The server's retryAfterSeconds as milliseconds; 0: none. */
function retryAfterMs(error: unknown): number {
  const seconds = error instanceof ApiError ? error.status.details?.retryAfterSeconds : undefined;
  return (seconds ?? 0) * 1000;
}
