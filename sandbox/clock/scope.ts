import type { Clock } from '../../schemas/wire/clock.ts';

/** A clock whose timers can be canceled together. */
export interface ClockScope extends Clock {
  /** Cancels every timer of this scope and ignores new ones. */
  close(): void;
}

export function createClockScope(clock: Clock): ClockScope {
  const cancellations = new Set<() => void>();
  let closed = false;
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after(delayMs, run) {
      if (closed) return () => {};
      const cancel = clock.after(delayMs, () => {
        cancellations.delete(cancel);
        run();
      });
      cancellations.add(cancel);
      return () => {
        cancellations.delete(cancel);
        cancel();
      };
    },
    close() {
      closed = true;
      for (const cancel of cancellations) cancel();
      cancellations.clear();
    },
  };
}
