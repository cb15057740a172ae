import type { Clock } from '../../schemas/wire/clock.ts';

const longestTimeout = 2 ** 31 - 1;

/** The host's clock, running `speed` times as fast from the moment of the call (1 = real time). */
export function createWallClock(speed = 1): Clock {
  if (!(speed > 0)) throw new RangeError(`speed must be greater than 0, not ${speed}`);
  const start = Date.now();
  return {
    now: () => Math.floor(start + (Date.now() - start) * speed),
    after(delayMs, run) {
      let remaining = Math.max(0, delayMs) / speed;
      let timeout: NodeJS.Timeout;
      // setTimeout fires at once beyond 2^31 ms, so long delays are slept in pieces.
      function sleep(): void {
        const piece = Math.min(remaining, longestTimeout);
        remaining -= piece;
        timeout = setTimeout(remaining > 0 ? sleep : run, piece);
      }
      sleep();
      return () => clearTimeout(timeout);
    },
  };
}
