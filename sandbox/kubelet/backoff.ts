export const firstBackoffMs = 10_000;
export const longestBackoffMs = 300_000;
/** Running this long resets the backoff. */
export const resetAfterMs = 2 * longestBackoffMs;

function durationText(delayMs: number): string {
  return delayMs >= 60_000
    ? `${Math.floor(delayMs / 60_000)}m${(delayMs % 60_000) / 1000}s`
    : `${delayMs / 1000}s`;
}

/** The waiting message of a container in CrashLoopBackOff. */
export function crashLoopText(delayMs: number, container: string, podTitle: string): string {
  return `back-off ${durationText(delayMs)} restarting failed container=${container} pod=${podTitle}`;
}

/** Parses the delay from such a message, in milliseconds. */
export function backoffIn(message: string | undefined): number | undefined {
  const match = /^back-off (?:(\d+)m)?(\d+)s /.exec(message ?? '');
  return match === null ? undefined : (Number(match[1] ?? 0) * 60 + Number(match[2])) * 1000;
}
