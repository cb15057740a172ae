let last = { ms: Number.NaN, text: '' };

/** The end of the year 9999: later times have no timestamp. */
const LATEST_MS = 253_402_300_799_000;

/** Formats milliseconds since 1970 as RFC 3339 (seconds, UTC), as in every Kubernetes timestamp. */
export function timestamp(ms: number): string {
  // One decision formats the same time many times.
  if (ms !== last.ms) last = { ms, text: `${dateOf(ms).toISOString().slice(0, 19)}Z` };
  return last.text;
}

/** Parses a timestamp to milliseconds since 1970; 0 if it is missing or invalid. */
export function timeOf(text: string | undefined): number {
  return text === undefined ? 0 : Date.parse(text) || 0;
}

/** Limits the time to valid dates: users may request very long waits. */
function dateOf(ms: number): Date {
  return new Date(Math.min(Math.max(ms, 0), LATEST_MS) || 0);
}
