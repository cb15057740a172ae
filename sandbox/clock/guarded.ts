import type { Clock } from '../../schemas/wire/clock.ts';

/** A clock whose timers do not end the process: what one throws is told. */
export function guarded(clock: Clock, onError: (error: unknown) => void): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (delayMs, run) =>
      clock.after(delayMs, () => {
        try {
          run();
        } catch (error) {
          onError(error);
        }
      }),
  };
}
