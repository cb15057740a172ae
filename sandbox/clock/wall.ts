import type { Clock } from '../../schemas/wire/clock.ts';

const longestTimeout = 2 ** 31 - 1;

/**
 * The host's clock, `speed` times as fast since the call (1 = real time). It starts at the host's time, or at
 * `notBefore` (milliseconds since 1970 UTC) if that is later, and never goes back.
 */
export function createWallClock(speed = 1, notBefore = 0): Clock {
  if (!(speed > 0)) throw new RangeError(`speed must be greater than 0, not ${speed}`);
  const begin = Date.now();
  const start = Math.max(begin, notBefore);
  let latest = start;
  return {
    now() {
      // The host's clock may be set back; this clock stays monotonic.
      latest = Math.max(latest, Math.floor(start + (Date.now() - begin) * speed));
      return latest;
    },
    monotonic: () => performance.now() * speed,
    after(delayMs, run) {
      let remaining = Math.max(0, delayMs) / speed;
      let timeout: NodeJS.Timeout;
      // setTimeout fires immediately for delays above 2^31 ms, so long delays are split.
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
