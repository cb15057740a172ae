import type { Clock } from '../../schemas/wire/clock.ts';

/** Measures the time in which all watches were open: only then the shadow compares. */
export interface WatchCoverage {
  /** A resource is watched, for the first time or again. */
  found(resource: string): void;
  lost(resource: string, why: string): void;
  /** Milliseconds with and without full coverage since the start; `why`: the first problem now. */
  durations(): { watchedMs: number; blindMs: number; why: string | undefined };
}

/** @param required the resources that must be watched, as of now */
export function createWatchCoverage(clock: Clock, required: () => readonly string[]): WatchCoverage {
  const startedAt = clock.monotonic();
  const watched = new Set<string>();
  const lost = new Map<string, string>();
  let watchedMs = 0;
  let since: number | undefined;

  const current = (): number => (since === undefined ? 0 : clock.monotonic() - since);

  return {
    found(resource) {
      watched.add(resource);
      lost.delete(resource);
      if (since === undefined && required().every((each) => watched.has(each))) since = clock.monotonic();
    },
    lost(resource, why) {
      watchedMs += current();
      since = undefined;
      watched.delete(resource);
      lost.set(resource, why);
    },
    durations() {
      const total = watchedMs + current();
      const [why] = lost.values();
      return { watchedMs: total, blindMs: clock.monotonic() - startedAt - total, why };
    },
  };
}
