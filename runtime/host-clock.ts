import type { Clock } from '../schemas/wire/clock.ts';

/** setTimeout fires at once beyond 2^31 ms, so long delays are split. */
const LONGEST_MS = 2 ** 31 - 1;

/** The clocks of the machine; the wall clock may be set back or forward. */
export function createHostClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after(delayMs, run) {
      // Due timers run one after the other before any I/O; an immediate runs after pending I/O.
      if (delayMs <= 0) {
        const immediate = setImmediate(run);
        return () => clearImmediate(immediate);
      }
      let remaining = delayMs;
      let timeout: NodeJS.Timeout;
      function sleep(): void {
        const piece = Math.min(remaining, LONGEST_MS);
        remaining -= piece;
        timeout = setTimeout(remaining > 0 ? sleep : run, piece);
      }
      sleep();
      return () => clearTimeout(timeout);
    },
  };
}
