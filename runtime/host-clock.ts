import type { Clock } from '../schemas/wire/clock.ts';

/** setTimeout fires at once beyond 2^31 ms, so long delays are slept in pieces. */
const LONGEST_MS = 2 ** 31 - 1;

/** The clocks of the machine as they are, set back and forward included. */
export function createHostClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after(delayMs, run) {
      // Timers that are due run one after the other before anything else has its turn; what is due at once comes after
      // whatever the network has brought.
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
