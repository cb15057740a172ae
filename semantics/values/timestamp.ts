let last = { ms: Number.NaN, text: '' };

/** The end of the year 9999: a later moment has no timestamp. */
const LATEST_MS = 253_402_300_799_000;

/** RFC 3339 (seconds, UTC) of a moment in milliseconds: the form every Kubernetes timestamp has. */
export function timestamp(ms: number): string {
  // One decision writes one moment many times.
  if (ms !== last.ms) last = { ms, text: `${dateOf(ms).toISOString().slice(0, 19)}Z` };
  return last.text;
}

/** What a tenant asks to wait for may be longer than there are dates. */
function dateOf(ms: number): Date {
  return new Date(Math.min(Math.max(ms, 0), LATEST_MS) || 0);
}
