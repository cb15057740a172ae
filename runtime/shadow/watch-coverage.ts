import type { Clock } from '../../schemas/wire/clock.ts';

/** Keeps the time in which everything was seen, and only that was compared. */
export interface WatchCoverage {
  /** This is seen, for the first time or again. */
  found(what: string): void;
  lost(what: string, why: string): void;
  /** Milliseconds since the beginning, and what is not seen now, if it was tried. */
  durations(): { seenMs: number; blindMs: number; why: string | undefined };
}

/** @param everything all that has to be seen, by now */
export function createWatchCoverage(clock: Clock, everything: () => readonly string[]): WatchCoverage {
  const begun = clock.monotonic();
  const seen = new Set<string>();
  const lost = new Map<string, string>();
  let seenMs = 0;
  let since: number | undefined;

  const spell = (): number => (since === undefined ? 0 : clock.monotonic() - since);

  return {
    found(what) {
      seen.add(what);
      lost.delete(what);
      if (since === undefined && everything().every((each) => seen.has(each))) since = clock.monotonic();
    },
    lost(what, why) {
      seenMs += spell();
      since = undefined;
      seen.delete(what);
      lost.set(what, why);
    },
    durations() {
      const total = seenMs + spell();
      const [why] = lost.values();
      return { seenMs: total, blindMs: clock.monotonic() - begun - total, why };
    },
  };
}
