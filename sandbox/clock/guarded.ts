import type { Clock } from '../../schemas/wire/clock.ts';

/** A clock that reports errors thrown by timers, so that they do not end the process. */
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
