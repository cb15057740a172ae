import type { Clock } from '../../schemas/wire/clock.ts';

/** Measures what runs without a pause: nothing else runs meanwhile. */
export function busyTime(clock: Clock): { readonly ms: number; during<Value>(run: () => Value): Value } {
  let ms = 0;
  return {
    get ms() {
      return ms;
    },
    during(run) {
      const before = clock.monotonic();
      try {
        return run();
      } finally {
        ms += clock.monotonic() - before;
      }
    },
  };
}
